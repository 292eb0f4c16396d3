import { expect, test } from 'vitest'
import { readKeyUri } from '../given/authenticator.js'
import { consoleGivenOf } from '../given/console-given.js'
import { startService } from '../given/harness.js'
import { createVisitor, type Seen, type Visitor } from '../given/visitor.js'
import { keyUriOf } from '../protocols/enrolling-given.js'

const here = await startService()
const baseUrl = 'https://auth.example'
/** The same service as others reach it, behind a proxy. */
const reached = await startService({
  databaseUrl: here.databaseUrl,
  variables: {
    BASE_URL: baseUrl,
    SMTP_URL: 'smtp://localhost',
    TRUSTED_PROXIES: 'loopback',
    MASTER_KEYS: here.masterKeys,
  },
})
const given = consoleGivenOf(here)

function visitorOf(): Visitor {
  return createVisitor(baseUrl, (url, init) => {
    const headers = new Headers(init?.headers)
    headers.set('x-forwarded-proto', 'https')
    const { pathname, search } = new URL(String(url))
    return fetch(`http://127.0.0.1:${reached.port}${pathname}${search}`, { ...init, headers })
  })
}

async function signInByLink(page: Seen, email: string, visitor: Visitor): Promise<Seen> {
  const asked = await visitor.press(page, 'identify', { email })
  await visitor.press(asked, 'mail_link')
  await reached.runJobs()
  const [mail] = await reached.sentTo(email)
  const link = /https\S+\/t\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
  const token = /token=([\w-]+)/.exec(link)?.[1] ?? ''
  return visitor.press(await visitor.visit(link), '', { token })
}

test('where others reach the service, a sign-in enrols a second factor, and no session without one opens the console', async () => {
  const { email, home, visitor: operator } = await given.owner()
  const visitor = visitorOf()

  // The session of the first owner, which began on the machine of the service, before anything has ended it.
  const [name = ''] = [...operator.cookies.keys()].filter((cookie) => cookie.startsWith('portico-session-'))
  const cookie = `__Host-${name}=${operator.sessionSecret()}`
  expect((await operator.request(home)).status).toBe(200)
  expect((await visitorOf().request(home, { headers: { cookie } })).status).toBe(303)

  const sent = await visitor.request(home)
  expect(new URL(sent.location ?? '', baseUrl).searchParams.get('acr_values')).toBe('urn:portico:acr:mfa')
  const enrolling = await signInByLink(await visitor.visit(home), email, visitor)
  expect(enrolling.html).toContain('value="enroll"')
  expect((await visitor.request(home)).status).toBe(303)
  const shown = await visitor.press(enrolling, 'enroll')
  const code = readKeyUri(keyUriOf(shown)).codeAt(reached.clock.now())
  const codes = await visitor.press(shown, 'validate', { code })
  const landed = await visitor.press(codes, 'acknowledge', { acknowledged: 'true' })

  expect([landed.status, landed.url]).toEqual([200, `${baseUrl}${home}`])
})

test('a link of the first owner opens nothing once others reach the service', async () => {
  const { url } = await given.link()
  const { pathname, search } = new URL(url)
  expect((await given.visitorOf().request(url)).status).toBe(200)

  const seen = await visitorOf().request(`${baseUrl}${pathname}${search}`)

  expect(seen.status).toBe(404)
})
