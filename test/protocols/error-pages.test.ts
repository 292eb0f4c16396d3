import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import type { Seen } from '../given/visitor.js'

const service = await startService({ variables: { SIGN_IN_ATTEMPTS_PER_ADDRESS: '' } })
const client = await service.client()
const given = flowGivenOf(service, client)

/** The page without what differs between two visits. */
function textOf({ html }: Seen, email: string): string {
  return html
    .replaceAll(email, 'EMAIL')
    .replaceAll(email.split('@')[0] ?? '', 'NAME')
    .replace(/name="csrf" value="[^"]*"/g, '')
    .replace(/\/sign-in\/[\w-]{36}/g, '/sign-in/ID')
}

/** The answers to these passwords, one after the other, for an address. */
async function tryPasswords(scene: FlowScene, email: string, passwords: readonly string[]): Promise<Seen[]> {
  const { visitor, page } = await given.begin(scene)
  const asked = await visitor.press(page, 'identify', { email })
  const answers: Seen[] = []
  for (const password of passwords) answers.push(await visitor.send(asked, 'password', { password }))
  return answers
}

describe('after five wrong passwords', () => {
  const wrong = Array.from({ length: 5 }, (_, index) => `not the password ${index}`)

  test('the page says how long to wait, whatever the password is', async () => {
    const scene = await given.scene()
    const answers = await tryPasswords(scene, scene.user.email, [...wrong, goodPassword, 'not it'])

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 429, 429, 429])
    expect(answers[3]?.html).toContain('E-mail or password is incorrect')
    for (const answer of answers.slice(4)) {
      expect(answer.html).toContain('Too many attempts. Try again in 15 minutes.')
      expect(answer.headers.get('retry-after')).toMatch(/^\d{3}$/)
    }
    const [, , , , , right, other] = answers.map((answer) => textOf(answer, scene.user.email))
    expect(right).toBe(other)

    await service.clock.advance(15 * 60)
    const [later] = await tryPasswords(scene, scene.user.email, [goodPassword])
    expect(later?.status).toBe(303)
  })

  test('an address of nobody is answered to the letter as one of a user', async () => {
    const scene = await given.scene()
    const nobody = anyEmail()
    const known = await tryPasswords(scene, scene.user.email, [...wrong, goodPassword])
    const unknown = await tryPasswords(scene, nobody, [...wrong, goodPassword])

    expect(unknown.map((answer) => [answer.status, textOf(answer, nobody)])).toEqual(
      known.map((answer) => [answer.status, textOf(answer, scene.user.email)]),
    )
  })
})

describe('an error page', () => {
  test('has the reference of its request, and its sentence in the other languages', async () => {
    const reference = randomUUID()
    const visitor = given.visitorOf()
    const url = `${service.baseUrl}/t/nobody-here/authorize?client_id=${randomUUID()}`
    const seen = await visitor.request(url, { headers: { 'x-request-id': reference } })
    expect([seen.status, seen.html.includes(`Reference: ${reference}`)]).toEqual([400, true])

    const french = await visitor.visit(linkTo(seen, 'fr'))

    expect(french.html).toContain('L’application a envoyé une requête non valide')
    expect(french.html).toContain(`Référence\u00a0: ${reference}`)
    expect((await visitor.visit(linkTo(french, 'en'))).html).toContain('sent an invalid request')
  })

  test('tells the developer of a sandbox what is wrong, and nobody else', async () => {
    const scene = await given.scene()
    const query = { client_id: scene.application.client_id, post_logout_redirect_uri: 'https://x.example/' }
    const url = `${service.baseUrl}/t/${scene.org_domain}/logout`
    const visitor = given.visitorOf()
    const seen = await visitor.visit(`${url}?${new URLSearchParams(query).toString()}`)
    const [, fold = ''] = /<details>(.*?)<\/details>/s.exec(seen.html) ?? []
    expect(fold).toContain('post_logout_redirect_uri must be one of allowed_logout_urls')
    expect(seen.html.replace(fold, '')).not.toContain('allowed_logout_urls')

    const nameless = await visitor.visit(`${url}?client_id=${randomUUID()}`)
    expect([nameless.status, nameless.html.includes('<details>')]).toEqual([400, false])
    expect(service.logLines.some((line) => line.includes('"reason":"client_id"'))).toBe(true)
  })

  test('of a sign-in that is over leads back to its application, in the browser of the sign-in', async () => {
    const { scene, visitor, page } = await given.atPassword()
    await visitor.press(page, 'password', { password: goodPassword })

    const over = await visitor.visit(page.url)
    const elsewhere = given.visitorOf()
    await given.begin(scene, {}, elsewhere)
    const foreign = await elsewhere.visit(page.url)

    expect(over.status).toBe(404)
    expect(over.html).toMatch(/<a class="second" href="https:\/\/store\.example\/"[^>]*>Back to Storefront/)
    expect(foreign.html).not.toContain('store.example')
  })

  test('has no address for a name that is none of a message', async () => {
    const seen = await given.visitorOf().visit(`${service.baseUrl}/message/constructor`)
    expect(seen.status).toBe(404)
    const odd = await given.visitorOf().visit(`${service.baseUrl}/message/flowOver?reference=%3Cb%3E`)
    expect([odd.status, odd.html.includes('Reference')]).toEqual([200, false])
  })
})

/** The address of a page in another language. */
function linkTo({ html }: Seen, language: string): string {
  const href = new RegExp(`href="([^"]*ui_locales=${language})"`).exec(html)?.[1] ?? ''
  return href.replaceAll('&amp;', '&')
}
