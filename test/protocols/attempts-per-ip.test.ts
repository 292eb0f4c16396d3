import { beforeAll, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { answerOf, flowGivenOf, goodPassword, type FlowGiven, type FlowScene } from '../given/flow-given.js'
import { startService, type Service } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { createVisitor } from '../given/visitor.js'

// All services are behind a proxy that sets the client address.
const TRUSTED_PROXIES = '127.0.0.0/8,::1'

let service: Service
let given: FlowGiven
/** A service with a lower limit than the default, which is faster to reach. */
let strict: FlowGiven
let strictService: Service
const strictLimit = 8

beforeAll(async () => {
  service = await startService({ variables: { SIGN_IN_ATTEMPTS_PER_IP: '', TRUSTED_PROXIES } })
  given = flowGivenOf(service, await service.client())
  strictService = await startService({
    variables: { SIGN_IN_ATTEMPTS_PER_IP: String(strictLimit), TRUSTED_PROXIES },
  })
  strict = flowGivenOf(strictService, await strictService.client())
})

/** Sends a password with this client address set by the proxy. */
async function attempt(scene: FlowScene, ip: string, at = given) {
  const { visitor, page } = await at.atPassword(scene)
  return visitor.send(page, 'password', { password: goodPassword }, headersFrom(ip, at))
}

function headersFrom(ip: string, at = given): Record<string, string> {
  const { baseUrl } = at === given ? service : strictService
  return { origin: baseUrl, 'x-forwarded-for': ip }
}

/** The number of passwords checked before one is refused unchecked. */
async function attemptsUntilLimit(scene: FlowScene, ips: readonly string[], at = given): Promise<number> {
  const { visitor, page } = await at.atPassword(scene)
  for (let count = 0; count < 40; count++) {
    const from = headersFrom(ips[count % ips.length] ?? '', at)
    if ((await visitor.send(page, 'password', { password: 'wrong' }, from)).status === 429) return count
  }
  return Infinity
}

longTest(
  'one IP address sends thirty passwords in a quarter of an hour, at whatever organization and for whomever',
  async () => {
    const [scene, other] = [await given.scene(), await given.scene()]

    const count = await attemptsUntilLimit(scene, ['192.0.2.1'])
    const elsewhere = await attempt(other, '192.0.2.1')
    const neighbour = await attempt(other, '192.0.2.2')
    await service.clock.advance(15 * 60 + 1)
    const later = await attempt(other, '192.0.2.1')

    expect(count).toBe(30)
    expect([elsewhere.status, elsewhere.location, elsewhere.headers.get('retry-after')]).toEqual([
      429,
      null,
      expect.stringMatching(/^\d+$/),
    ])
    expect(elsewhere.html).toContain('<h1>')
    expect([answerOf(neighbour).has('code'), answerOf(later).has('code')]).toEqual([true, true])
  },
)

test('of IPv6 a whole /64 is one', async () => {
  const scene = await strict.scene()
  const ips = Array.from({ length: 40 }, (_, number) => `2001:db8:0:1::${number.toString(16)}`)

  const count = await attemptsUntilLimit(scene, ips, strict)
  const neighbour = await attempt(scene, '2001:db8:0:2::1', strict)

  expect(count).toBe(strictLimit)
  expect(answerOf(neighbour).has('code')).toBe(true)
})

test('codes of the second factor are counted with passwords; looking at pages and changing one’s mind are not', async () => {
  const scene = await strict.enrolledScene()
  const from = headersFrom('192.0.2.3', strict)
  const { visitor, page } = await strict.atPassword(scene)
  for (let time = 0; time < strictLimit + 2; time++) await visitor.request(page.url, { headers: from })
  await visitor.send(page, 'password', { password: goodPassword }, from)
  const asked = await visitor.visit(page.url)
  const wrong = strict.totp.wrongCode(scene.app)

  const statuses: number[] = []
  for (let time = 0; time <= strictLimit; time++)
    statuses.push((await visitor.send(asked, 'totp', { code: wrong }, from)).status)

  // Four incorrect ones, a fifth that locks the user, and then refusals without a check up to the limit; the last attempt
  // is the user's own, with the correct password.
  expect(statuses.slice(0, 5)).toEqual([422, 422, 422, 422, 429])
  const { data } = await (
    await strictService.client()
  ).logEvents.list({ org_domain: scene.org_domain, per_page: 100 })
  expect(data.filter(({ event_code }) => event_code === 'END_USER_TOTP_FAILED')).toHaveLength(strictLimit)
})

test('passkeys and their recovery codes are counted, too, and the page says when the next one is looked at', async () => {
  const passkeys = passkeyGivenOf(strictService, await strictService.client())
  const { scene } = await passkeys.withPasskey()
  const from = headersFrom('192.0.2.30', strict)
  const { visitor, page } = await strict.atPassword(scene, { acr_values: 'urn:portico:acr:mfa' })
  const asked = await visitor.press(page, 'password', { password: goodPassword })
  const send = () => visitor.send(asked, 'passkey', { credential: '{}' }, from)

  const code = () => visitor.send(asked, 'recovery_code', { code: 'aaaaa-aaaaa' }, from)
  expect((await code()).status).toBe(422)
  for (let time = 1; time < strictLimit; time++) expect((await send()).status).toBe(422)

  const french = { ...asked, html: asked.html.replaceAll(/action="([^"?]+)/g, 'action="$1?ui_locales=fr') }
  const refused = [
    await send(),
    await code(),
    await visitor.send(french, 'passkey', { credential: '{}' }, from),
  ]
  expect(refused.map(({ status }) => status)).toEqual([429, 429, 429])
  expect(refused.map(({ html }) => /(?:Try again|Réessayez) [^<]+/.exec(html)?.[0])).toEqual([
    'Try again in 15 minutes.',
    'Try again in 15 minutes.',
    'Réessayez dans 15 minutes.',
  ])
})

test('forms that try nothing, and passwords that are right, are not counted', async () => {
  const scene = await strict.scene()
  const from = headersFrom('192.0.2.4', strict)
  const { visitor, page } = await strict.atPassword(scene)

  for (let time = 0; time <= strictLimit; time++)
    expect((await visitor.send(page, 'password', { password: '' }, from)).status).toBe(422)
  for (let time = 0; time <= strictLimit; time++)
    expect(answerOf(await attempt(scene, '192.0.2.4', strict)).has('code')).toBe(true)
})

test('of forty wrong passwords at once thirty are looked at', async () => {
  const { visitor, page } = await given.atPassword()

  const seen = await Promise.all(
    Array.from({ length: 40 }, () =>
      visitor.send(page, 'password', { password: 'wrong' }, headersFrom('192.0.2.5')),
    ),
  )

  expect(seen.filter(({ status }) => status === 429)).toHaveLength(10)
})

/** A service that allows three started sign-ins per IP address; each test has addresses of its own. */
function fewBegun() {
  return (few ??= startFewBegun())
}

let few: ReturnType<typeof startFewBegun> | undefined

async function startFewBegun() {
  const limited = await startService({ variables: { SIGN_INS_BEGUN_PER_IP: '3', TRUSTED_PROXIES } })
  return { limited, there: flowGivenOf(limited, await limited.client()) }
}

test('429: one IP address begins so many sign-ins in a quarter of an hour, wherever', async () => {
  const { limited, there } = await fewBegun()
  const [scene, other] = [await there.scene(), await there.scene()]
  const begin = (of: FlowScene, ip: string) =>
    createVisitor(limited.baseUrl).request(there.authorizeUrl(of), { headers: { 'x-forwarded-for': ip } })

  for (let count = 0; count < 3; count++) expect((await begin(scene, '192.0.2.6')).status).toBe(303)
  const refused = await begin(other, '192.0.2.6')
  const neighbour = await begin(other, '192.0.2.7')
  await limited.clock.advance(15 * 60 + 1)
  const later = await begin(scene, '192.0.2.6')

  expect([refused.status, refused.location]).toEqual([429, null])
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(refused.html).toContain('<h1>')
  expect([neighbour.status, later.status]).toEqual([303, 303])
})

test('what a page has its visitors load behind their backs begins no sign-in, and is not counted', async () => {
  const { limited, there } = await fewBegun()
  const scene = await there.scene()
  const load = (dest: string) =>
    createVisitor(limited.baseUrl).request(there.authorizeUrl(scene), { headers: { 'sec-fetch-dest': dest } })

  for (const dest of ['image', 'iframe', 'empty', 'script']) {
    const answer = await load(dest)
    expect([answer.status, answerOf(answer).get('error')]).toEqual([303, 'interaction_required'])
  }
  for (let count = 0; count < 3; count++)
    expect((await load('document')).location).toContain(`/t/${scene.org_domain}/sign-in/`)
})
