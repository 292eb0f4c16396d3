import { beforeAll, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService, type Service } from '../given/harness.js'
import {
  onboardingGivenOf,
  tokenOf,
  uploadIdOf,
  type OnboardingGiven,
  type OnboardingScene,
} from '../given/onboarding-given.js'
import { startOpenIdProvider } from '../given/openid-provider.js'
import { idpMetadata } from '../given/sso-given.js'
import { createVisitor, type Seen, type Visitor } from '../given/visitor.js'

let service: Service
let given: OnboardingGiven

beforeAll(async () => {
  // With the default limits, behind a proxy that sets the client address.
  service = await startService({
    variables: { SIGN_IN_ATTEMPTS_PER_ADDRESS: '', TRUSTED_PROXIES: '127.0.0.0/8,::1' },
  })
  given = onboardingGivenOf(service, await service.client())
})

const minute = 60

function headersFrom(ip: string): Record<string, string> {
  return { origin: service.baseUrl, 'x-forwarded-for': ip }
}

/** Presses the button behind the link in a new browser with this client address, which causes a code to be mailed. */
async function pressFrom(ip: string, { link }: Pick<OnboardingScene, 'link'>) {
  const visitor = createVisitor(service.baseUrl)
  const invitation = await visitor.visit(link)
  const sent = await visitor.send(invitation, 'continue', { token: tokenOf(link) }, headersFrom(ip))
  return { visitor, sent, status: sent.status }
}

/** A browser with this client address on the page that asks for the latest code. */
async function openFrom(ip: string, scene: Pick<OnboardingScene, 'link'>) {
  // Sequentially, so that the latest mail contains the latest code.
  await service.runJobs()
  const { visitor, sent } = await pressFrom(ip, scene)
  return { visitor, page: await visitor.visit(sent.location ?? '') }
}

function networks(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `192.0.2.${number + 1}`)
}

function typeFrom(ip: string, { visitor, page }: { visitor: Visitor; page: Seen }, code: string) {
  return visitor.send(page, 'verify', { code }, headersFrom(ip))
}

longTest(
  'codes that one network has sent keep nobody out who opens the link elsewhere',
  async () => {
    const scene = await given.invited()
    for (let times = 1; times <= 3; times++) expect((await pressFrom('192.0.2.1', scene)).status).toBe(303)
    expect((await pressFrom('192.0.2.1', scene)).status).toBe(429)

    const owner = await openFrom('198.51.100.1', scene)
    const answer = await typeFrom('198.51.100.1', owner, await given.codeTo(scene.email))
    expect(answer.location).toContain('/now')
  },
  60_000,
)

test('wrong codes of one network lock nobody out who opens the link elsewhere', async () => {
  const scene = await given.invited()
  const thief = await openFrom('192.0.2.1', scene)
  const wrong = await given.wrongCode(scene.email)
  for (let times = 1; times <= 5; times++) await typeFrom('192.0.2.1', thief, wrong)
  const another = await openFrom('192.0.2.1', scene)
  const locked = await typeFrom('192.0.2.1', another, await given.codeTo(scene.email))
  expect(locked.html).toContain('Request a new one')

  const owner = await openFrom('198.51.100.1', scene)
  const answer = await typeFrom('198.51.100.1', owner, await given.codeTo(scene.email))
  expect(answer.location).toContain('/now')
}, 60_000)

test('of one link thirty codes are mailed in an hour, from wherever it is opened', async () => {
  const scene = await given.invited()
  const opened = await Promise.all(networks(32).map((ip) => pressFrom(ip, scene)))
  expect(opened.filter(({ status }) => status === 303).length).toBe(30)

  expect((await pressFrom('198.51.100.1', scene)).status).toBe(429)
  expect((await pressFrom('192.0.2.1', await given.invited())).status).toBe(303)
  await service.clock.advance(60 * minute + 1)
  expect((await pressFrom('198.51.100.1', scene)).status).toBe(303)
}, 60_000)

test('of one link a hundred codes are tried in a day, from wherever', async () => {
  const scene = await given.invited()
  const thief = await openFrom('192.0.2.1', scene)
  await Promise.all(networks(100).map((ip) => typeFrom(ip, thief, 'wrong')))

  const owner = await openFrom('198.51.100.1', scene)
  const late = await typeFrom('198.51.100.1', owner, await given.codeTo(scene.email))
  expect(late.html).toContain('Request a new one')
  const other = await given.invited()
  const elsewhere = await openFrom('198.51.100.1', other)
  const answer = await typeFrom('198.51.100.1', elsewhere, await given.codeTo(other.email))
  expect(answer.location).toContain('/now')
}, 60_000)

test('429: an administrator stores ten metadata an hour, so that the others are not mailed without end', async () => {
  const { scene, visitor } = await given.inTutorial()
  const store = async () => {
    await given.upload(scene, visitor, { xml: idpMetadata({ from: service.clock.now() }) })
    return given.confirm(scene, visitor)
  }
  for (let times = 1; times <= 10; times++) expect((await store()).url).toContain('/test')
  const refused = await store()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
  expect(refused.html).toContain('<h1>')
  await service.clock.advance(60 * minute + 1)
  expect((await store()).url).toContain('/test')
}, 60_000)

longTest('429: a test goes to the identity provider as often as a sign-in does', async () => {
  const limited = await startService({ variables: { SIGN_INS_BEGUN_PER_IP: '3' } })
  const there = onboardingGivenOf(limited, await limited.client())
  const scene = await there.invited()
  const { visitor } = await there.inTutorial(scene)
  await there.upload(scene, visitor, { xml: idpMetadata({ from: limited.clock.now() }) })
  await there.confirm(scene, visitor)
  const statuses: number[] = []
  for (let count = 0; count < 4; count++)
    statuses.push((await visitor.request(`/onboarding/${scene.connection.idp_id}/test/start`)).status)
  expect(statuses).toEqual([303, 303, 303, 429])
})

longTest('429: so does a test at an OpenID provider', async () => {
  const limited = await startService({ variables: { SIGN_INS_BEGUN_PER_IP: '3' } })
  const there = onboardingGivenOf(limited, await limited.client())
  const scene = await there.invited()
  const { visitor } = await there.inTutorial(scene, 'custom_oidc')
  const { issuer, client } = await startOpenIdProvider(limited.clock)
  const at = (page: string) => `/onboarding/${scene.connection.idp_id}/${page}`
  const { id: client_id, secret: client_secret } = client
  const review = await visitor.press(await visitor.visit(at('client')), 'read', {
    issuer,
    client_id,
    client_secret,
  })
  await visitor.press(review, 'confirm', { upload_id: uploadIdOf(review) })
  const statuses: number[] = []
  for (let count = 0; count < 4; count++) statuses.push((await visitor.request(at('test/start'))).status)
  expect(statuses).toEqual([303, 303, 303, 429])
})
