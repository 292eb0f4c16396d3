import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { followMagicLink, openMagicLink } from './open-link.js'

const page = `<!doctype html><title>Sign in</title><h1>Sign in to A &amp; B</h1>
  <form method="post" action="/t/a/magic-link?x=1&amp;y=2">
    <input type="hidden" name="token" value="t&quot;1"><input type="hidden" name="csrf" value="c1"/>
    <button type="submit">Sign in</button>
  </form>`

interface Step {
  readonly status: number
  readonly headers?: Record<string, string | string[]>
  readonly body?: string
}

/** A service that answers the steps in order, and the requests it received. */
async function given(...steps: readonly Step[]) {
  const seen: { request: IncomingMessage; body: string }[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const step = steps[seen.length] ?? { status: 500 }
      seen.push({ request, body })
      response.writeHead(step.status, step.headers).end(step.body)
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, seen }
}

const cookies = { 'set-cookie': ['flow=f1; HttpOnly; Path=/', 'sid=s1'] }

test('the page’s form is sent with its fields, cookies and origin, and the redirect is not followed', async () => {
  const { origin, seen } = await given(
    { status: 200, headers: cookies, body: page },
    { status: 303, headers: { location: 'https://store.example/callback?code=c1&state=s2' } },
  )

  const { redirectedTo, code, state } = await openMagicLink(`${origin}/t/a/magic-link?token=x`)

  expect([redirectedTo.origin, code, state]).toEqual(['https://store.example', 'c1', 's2'])
  const [opened, pressed] = seen
  expect(opened?.request.headers.accept).toBe('text/html')
  expect(pressed?.request).toMatchObject({ method: 'POST', url: '/t/a/magic-link?x=1&y=2' })
  expect(pressed?.request.headers).toMatchObject({ origin, cookie: 'flow=f1; sid=s1' })
  expect([...new URLSearchParams(pressed?.body)]).toEqual([
    ['token', 't"1'],
    ['csrf', 'c1'],
  ])
})

test('a link that does not work throws the sentence of its page', async () => {
  const body = '<h1>Portico</h1><p role="alert">This link has   <b>expired</b> &mdash; ask for another.</p>'
  const { origin } = await given({ status: 410, body })

  await expect(openMagicLink(origin)).rejects.toThrow('This link has expired &mdash; ask for another.')
})

test('a link that was used meanwhile throws the sentence of the answer to the form', async () => {
  const { origin } = await given({ status: 200, body: page }, { status: 410, body: '<h1>Used already</h1>' })

  await expect(openMagicLink(origin)).rejects.toThrow('Used already')
})

test('a redirect that carries an error throws it', async () => {
  const location = 'https://store.example/callback?error=access_denied&error_description=Not+allowed'
  const { origin } = await given({ status: 200, body: page }, { status: 303, headers: { location } })

  await expect(openMagicLink(origin)).rejects.toThrow('Not allowed')
})

test('a redirect that asks for a second factor is no code, for either function', async () => {
  const location = 'https://store.example/callback?error=totp_required&request_id=r1&user_id=u1&state=s2'
  const steps = [
    { status: 200, body: page },
    { status: 303, headers: { location } },
  ]
  const { origin } = await given(...steps, ...steps)

  await expect(openMagicLink(origin)).rejects.toThrow('asks for a second factor')
  const followed = await followMagicLink(origin)

  if (followed.outcome !== 'totp_required') expect.unreachable()
  // @ts-expect-error Only the outcome code has one, and the compiler knows.
  expect(followed.code).toBeUndefined()
  expect([followed.requestId, followed.userId, followed.state]).toEqual(['r1', 'u1', 's2'])
})

test('a redirect for a user who has to enrol a second factor is no code, for either function', async () => {
  const location = 'https://store.example/callback?error=totp_enrollment_required&user_id=u1&state=s2'
  const steps = [
    { status: 200, body: page },
    { status: 303, headers: { location } },
  ]
  const { origin } = await given(...steps, ...steps)

  await expect(openMagicLink(origin)).rejects.toThrow('has to enrol a second factor')
  expect(await followMagicLink(origin)).toMatchObject({
    outcome: 'totp_enrollment_required',
    userId: 'u1',
    state: 's2',
  })
})

test.each([
  [
    'passkey_required',
    'error=passkey_required&request_id=r1&user_id=u1&state=s2',
    'has to use their passkey',
  ],
  [
    'passkey_enrollment_required',
    'error=passkey_enrollment_required&user_id=u1&state=s2',
    'has to add a passkey',
  ],
])('a redirect with %s is no code, for either function', async (outcome, query, message) => {
  const steps = [
    { status: 200, body: page },
    { status: 303, headers: { location: `https://store.example/callback?${query}` } },
  ]
  const { origin } = await given(...steps, ...steps)

  await expect(openMagicLink(origin)).rejects.toThrow(message)
  expect(await followMagicLink(origin)).toMatchObject({ outcome, userId: 'u1', state: 's2' })
})

test('a redirect that sets a password is no code, for either function', async () => {
  const location = 'https://store.example/callback?password_code=p1&state=s2'
  const steps = [
    { status: 200, body: page },
    { status: 303, headers: { location } },
  ]
  const { origin } = await given(...steps, ...steps)

  await expect(openMagicLink(origin)).rejects.toThrow('leads to a new password')
  const followed = await followMagicLink(origin)

  if (followed.outcome !== 'password_code') expect.unreachable()
  // @ts-expect-error Only the outcome code has one, and the compiler knows.
  expect(followed.code).toBeUndefined()
  expect([followed.passwordCode, followed.state]).toEqual(['p1', 's2'])
})
