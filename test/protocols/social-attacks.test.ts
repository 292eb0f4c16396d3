import { describe, expect, test } from 'vitest'
import { goodPassword, isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { socialGivenOf, type SocialScene } from '../given/social-given.js'
import { createVisitor, type Seen } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = socialGivenOf(service, client)
const scene = await given.scene()

/** Expects that nobody is signed in, and nobody was made. */
async function expectRefused(landed: Seen, of: SocialScene = scene): Promise<void> {
  expect([landed.status, landed.location]).toEqual([403, null])
  const { data } = await client.users.list({ org_domain: of.org_domain })
  expect(data).toEqual([])
}

test.each([
  ['wrong_nonce', 'oidc_id_token'],
  ['wrong_audience', 'oidc_id_token'],
  ['wrong_issuer', 'oidc_id_token'],
  ['expired', 'oidc_id_token'],
  ['unsigned', 'oidc_id_token'],
  ['invalid_client', 'oidc_token'],
  ['token_endpoint_down', 'oidc_token'],
])('an answer with the fault %s signs nobody in, and the log says why', async (fault, check) => {
  const { landed } = await given.signIn(scene, { fault })
  await expectRefused(landed)
  expect((await given.lastLog(scene, 'END_USER_SOCIAL_FAILED'))?.reason).toContain(check)
})

describe('a state', () => {
  test('that nobody has made is refused', async () => {
    const { landed } = await given.signIn(scene, { fault: 'wrong_state' })
    await expectRefused(landed)
  })

  test('is good once', async () => {
    const of = await given.scene()
    const { visitor, address } = await given.atProvider(of)
    const back = await given.answered(visitor, address, { fault: 'wrong_nonce' })
    await expectRefused(await visitor.request(back), of)
    await expectRefused(await visitor.request(back), of)
  })

  test('is over after ten minutes', async () => {
    const of = await given.scene()
    const { name, idp } = await given.custom(of)
    const { visitor, address } = await given.atProvider(of, name)
    await service.clock.advance(601)
    await expectRefused(await visitor.request(idp.approve(address, { sub: 'ada' })), of)
  })

  test('of another browser signs nobody in, so that nobody is signed in as the attacker', async () => {
    const { visitor, address } = await given.atProvider(scene)
    const back = await given.answered(visitor, address)
    const victim = createVisitor(service.baseUrl)
    await given.atProvider(scene, 'test', victim)
    await expectRefused(await victim.request(back))
    expect(victim.sessionSecret()).toBeUndefined()
  })

  test('is of one provider, whose address alone takes it', async () => {
    const of = await given.scene()
    const { name, idp } = await given.custom(of)
    const { visitor, address } = await given.atProvider(of, name)
    const right = idp.approve(address, { sub: 'mallory' })
    const back = new URL(right)
    const { data } = await client.socialProviders.list({ name: 'test' })
    back.pathname = new URL(data[0]?.redirect_uri ?? '').pathname
    await expectRefused(await visitor.request(back.href), of)
    // Nothing was spent.
    expect((await visitor.visit(right)).html).toContain('We need an e-mail address')
  })
})

test('an answer that names another issuer is refused before its code is sent', async () => {
  const of = await given.scene()
  const { name, idp } = await given.custom(of)
  const { visitor, address } = await given.atProvider(of, name)
  const back = idp.approve(address, { sub: 'ada' }, { parameters: { iss: 'https://other.example' } })
  const before = idp.asked.length
  await expectRefused(await visitor.request(back), of)
  expect(idp.asked.slice(before)).toEqual([])
})

test('a flow that has gone to another provider takes no answer of the first', async () => {
  const of = await given.scene()
  const { name } = await given.custom(of)
  const { visitor, address, asking } = await given.atProvider(of)
  const back = await given.answered(visitor, address)
  const identifier = await visitor.press(asking, 'change_address')
  await visitor.press(identifier, 'social', { provider: name })
  await expectRefused(await visitor.request(back), of)
})

test('the address of a custom provider counts for nothing, verified or not', async () => {
  const of = await given.scene()
  const { name, idp } = await given.custom(of)
  const email = `victim-${anything()}@awesome.example`
  const { visitor, address } = await given.atProvider(of, name)
  const landed = await visitor.visit(idp.approve(address, { sub: 'mallory', email, email_verified: true }))
  expect(isIn(landed)).toBe(false)
  expect(landed.html).toContain('6\u2011digit code')
  for (let tries = 0; tries < 5; tries++) await visitor.press(landed, 'address_code', { code: '000000' })
  const right = await visitor.press(landed, 'address_code', { code: await given.codeTo(email) })
  expect(isIn(right)).toBe(false)
})

test('a provider of another account is none of an organization', async () => {
  const page = await createVisitor(service.baseUrl).visit(given.flows.authorizeUrl(scene))
  const visitor = createVisitor(service.baseUrl)
  const own = await visitor.visit(given.flows.authorizeUrl(scene))
  const answer = await visitor.press(own, 'social', { provider: `other-${anything()}` })
  expect([page.status, answer.status]).toEqual([200, 422])
})

describe('single sign-on', () => {
  /** A user who is known by a provider, and a person who comes by one for the first time. */
  async function known() {
    const of = await given.scene()
    const email = `ada-${anything()}@awesome.example`
    expect(isIn((await given.signIn(of, { subject: email, email })).landed)).toBe(true)
    const { id: organization_id } = await client.organizations.get({ org_domain: of.org_domain })
    return { of, email, organization_id, subjects: [email, `new-${anything()}`] }
  }

  test('that a domain requires has no way around by a social provider, new or known', async () => {
    const { of, email, organization_id, subjects } = await known()
    const { org_domain } = of
    await client.ssoConnections.create({ organization_id, email_domains: ['awesome.example'] })
    const { data } = await client.domains.list({ org_domain })
    await client.domains.update({ org_domain, domain_id: data[0]?.id ?? '', sso_required: true })
    for (const subject of subjects) {
      const { landed } = await given.signIn(of, { subject, email })
      expect([landed.status, isIn(landed)]).toEqual([403, false])
    }
  })

  test('of a connection that is named for the domain is asked instead', async () => {
    const { of, email, organization_id, subjects } = await known()
    const email_domains = ['awesome.example']
    await client.ssoConnections.create({ organization_id, provider_type: 'test', email_domains })
    for (const subject of subjects) {
      const { landed, visitor } = await given.signIn(of, { subject, email })
      expect(isIn(landed)).toBe(false)
      expect(landed.html).toContain('/identity-provider')
      expect(visitor.sessionSecret()).toBeUndefined()
    }
  })
})

describe('single sign-on that an address gets between the provider and a second factor', () => {
  /** A user with a password and an app, who is known by a provider where `isKnown`. */
  async function withApp(isKnown: boolean) {
    const of = await given.scene()
    const { org_domain } = of
    const user = await service.given.user({ org_domain, email: `ada-${anything()}@awesome.example` }, client)
    await given.flows.passwords.set({ ...of, user })
    const { email } = user
    if (isKnown) {
      const { landed, visitor } = await given.signIn(of, { subject: email, email })
      expect(isIn(await visitor.press(landed, 'password', { password: goodPassword }))).toBe(true)
    }
    await given.flows.totp.activate(org_domain)
    const { app } = await given.flows.totp.enroll({ org_domain, user_id: user.id })
    await service.clock.advance(30)
    const asked = await given.signIn(of, { subject: email, email })
    return { of, email, app, ...asked }
  }

  async function nameConnection({ org_domain }: SocialScene): Promise<void> {
    const { id: organization_id } = await client.organizations.get({ org_domain })
    const email_domains = ['awesome.example']
    await client.ssoConnections.create({ organization_id, provider_type: 'test', email_domains })
  }

  test('refuses the known at the end of the sign-in', async () => {
    const { of, app, visitor, landed } = await withApp(true)
    await nameConnection(of)

    const ended = await visitor.press(landed, 'totp', { code: given.flows.totp.codeOf(app) })

    expect([ended.status, isIn(ended), visitor.sessionSecret()]).toEqual([403, false, undefined])
    const { data } = await client.logEvents.list({
      org_domain: of.org_domain,
      code: 'END_USER_SIGN_IN_FAILED',
    })
    expect(data[0]?.reason).toBe('sso_required')
  })

  test('links nobody', async () => {
    const { of, email, app, visitor, landed } = await withApp(false)
    const atCode = await visitor.press(landed, 'password', { password: goodPassword })
    await nameConnection(of)

    const ended = await visitor.press(atCode, 'totp', { code: given.flows.totp.codeOf(app) })

    expect([ended.status, isIn(ended)]).toEqual([403, false])
    const { org_domain } = of
    expect((await client.users.getByEmail({ org_domain, user_email: email })).identities).toEqual([])
  })

  test('is no matter for who has gone back and signs in by password', async () => {
    const { of, email, app, visitor, landed } = await withApp(false)
    const back = await visitor.press(landed, 'change_address')
    const asked = await visitor.press(back, 'identify', { email })
    const atCode = await visitor.press(asked, 'password', { password: goodPassword })
    await nameConnection(of)
    expect(isIn(await visitor.press(atCode, 'totp', { code: given.flows.totp.codeOf(app) }))).toBe(true)
  })
})

test('an address outside the domains of the organization is refused', async () => {
  const of = await given.scene({}, { allowed_email_domains: ['other.example'] })
  const { landed } = await given.signIn(of, { email: 'ada@awesome.example' })
  await expectRefused(landed, of)
})

test('the last seat is for one of those who come at once', async () => {
  const of = await given.scene()
  await client.organizationPolicy.update({ org_domain: of.org_domain, seats_limit: 1 })
  const landed = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const email = `${name}-${anything()}@awesome.example`
      return (await given.signIn(of, { subject: email, email })).landed
    }),
  )
  expect(landed.filter((seen) => isIn(seen))).toHaveLength(1)
})
