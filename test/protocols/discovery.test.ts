import { describe, expect, test } from 'vitest'
import { claimsOf } from '../given/claims.js'
import { discoveryGivenOf } from '../given/discovery-given.js'
import { answerOf, callback, goodPassword, isIn } from '../given/flow-given.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { idpMetadata } from '../given/sso-given.js'
import { pkcePair } from '../given/visitor.js'
import { accountSignInGivenOf } from './account-sign-in-given.js'
import { exchange } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const { flows, links } = given
const discoveries = discoveryGivenOf(service, client)

/** A person with users in two organizations, and an application of both. */
async function inTwo() {
  const user_email = anyEmail()
  const application = await given.application()
  const first = await given.member(user_email, { name: 'Alpha' })
  const second = await given.member(user_email, { name: 'Beta' })
  return { user_email, application_id: application.id, application, first, second }
}

function enter(discovery_token: string, org_domain: string, members: object = {}) {
  return client.discovery.enter({ discovery_token, org_domain, redirect_uri: callback, ...members })
}

describe('a discovery', () => {
  test('leads from an address to its organizations, and to a code of one of them', async () => {
    const { user_email, application_id, application, first, second } = await inTwo()
    const challenge = await client.discovery.createChallenge({ user_email, application_id })
    expect(challenge).toMatchObject({ __domain__: service.account.domain, magic_link: null })
    const link = await links.newestLinkTo(user_email)
    const { location } = await discoveries.press(link)
    const answer = answerOf({ location })
    expect(location).toContain(`${callback}?discovery_code=`)
    expect(answer.get('request_id')).toBe(challenge.request_id)

    const discovery = await client.discovery.exchange({ discovery_code: answer.get('discovery_code') ?? '' })
    expect(discovery).toMatchObject({ email: user_email, request_id: challenge.request_id })
    expect(discovery.organizations).toMatchObject([
      { domain: first.org_domain, name: 'Alpha', kind: 'member', user_id: first.user.id },
      { domain: second.org_domain, first_factor: 'email', second_factor: false, last_signed_in_at: null },
    ])

    const { verifier, challenge: code_challenge } = pkcePair()
    const members = { nonce: 'nonce-7', scope: 'openid email', code_challenge }
    const entered = await enter(discovery.discovery_token, second.org_domain, members)
    expect(entered).toMatchObject({ __domain__: second.org_domain, continue_url: null })
    const { body } = await exchange(
      service,
      { code: entered.code ?? '', code_verifier: verifier, client_id: application.client_id },
      { path: `${given.path}/oauth/token` },
    )
    expect(claimsOf(body.id_token)).toMatchObject({
      ...{ iss: given.issuer, sub: second.user.id, org: second.org_domain },
      ...{ nonce: 'nonce-7', amr: ['email'] },
    })
    expect(claimsOf(body.access_token)).toMatchObject({
      iss: `${service.baseUrl}/t/${second.org_domain}`,
      scp: ['email'],
    })
  })

  test('marks the address as proved, lists what was used last first, and logs each step', async () => {
    const { user_email, application_id, second, first } = await inTwo()
    const { discovery_token } = await discoveries.discover({ user_email, application_id })
    await enter(discovery_token, second.org_domain)

    const user = await client.users.get({ org_domain: second.org_domain, user_id: second.user.id })
    expect(user).toMatchObject({ email_verified: true })
    const { organizations } = await discoveries.discover({ user_email, application_id })
    expect(organizations.map(({ domain }) => domain)).toEqual([second.org_domain, first.org_domain])
    const { data } = await client.logEvents.listOfAccount({ email: user_email.toUpperCase() })
    expect(data.map(({ event_code, tenant_domain }) => [event_code, tenant_domain])).toEqual([
      ['ACCOUNT_SIGN_IN_PROVED', service.account.domain],
      ['ACCOUNT_SIGN_IN_STARTED', service.account.domain],
      ['END_USER_SIGN_IN_SUCCESS', second.org_domain],
      ['ACCOUNT_SIGN_IN_PROVED', service.account.domain],
      ['ACCOUNT_SIGN_IN_STARTED', service.account.domain],
    ])
  })

  test('sends the browser to the default redirect of the application where it names none', async () => {
    const { user_email, application_id, application } = await inTwo()
    const { location } = await discoveries.press(await discoveries.linkOf({ user_email, application_id }))
    expect(location).toContain(`${application.default_redirect_uri_after_login ?? 'none'}?discovery_code=`)
  })

  test('creates the user where links create users of the domain', async () => {
    const domain = `corp-${anything()}.example`
    const application = await given.application()
    const { domain: org_domain } = await service.given.organization({ allowed_email_domains: [domain] })
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
    const seeker = { user_email: `new@${domain}`, application_id: application.id }
    const { discovery_token, organizations } = await discoveries.discover(seeker)
    expect(organizations).toMatchObject([{ domain: org_domain, kind: 'may_join', user_id: null }])

    const { code } = await enter(discovery_token, org_domain)

    expect(code).not.toBeNull()
    const { data } = await client.users.list({ org_domain })
    expect(data.map(({ email }) => email)).toEqual([seeker.user_email])
  })

  test('says what each organization demands', async () => {
    const scene = await flows.enrolledScene()
    const emailDomain = scene.user.email.split('@')[1] ?? ''
    const { id: organization_id, domain } = await service.given.organization()
    const { idp_id } = await client.ssoConnections.create({ organization_id, email_domains: [emailDomain] })
    await client.ssoConnections.update({ idp_id, metadata: idpMetadata(), active: true })
    const bare = await given.member(scene.user.email)
    await client.magicLink.updateConnection({ org_domain: bare.org_domain, active: false })
    const application = await given.application()
    const seeker = { user_email: scene.user.email, application_id: application.id }

    const { organizations } = await discoveries.discover(seeker)
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })
    const { organizations: later } = await discoveries.discover(seeker)

    const demands = (of: typeof organizations) =>
      Object.fromEntries(of.map((one) => [one.domain, [one.kind, one.first_factor, one.second_factor]]))
    expect(demands(organizations)).toEqual({
      [scene.org_domain]: ['member', 'email', true],
      [domain]: ['sso', 'sso', false],
      [bare.org_domain]: ['member', null, false],
    })
    expect(demands(later)[scene.org_domain]).toEqual(['member', 'password', true])
  })
})

describe('what is missing is passed on our pages', () => {
  async function continued(scene: { org_domain: string; user: { email: string } }) {
    const application = await given.application()
    const seeker = { user_email: scene.user.email, application_id: application.id }
    const { discovery_token } = await discoveries.discover(seeker)
    const { challenge: code_challenge } = pkcePair()
    const members = { state: 'state-7', code_challenge, code_challenge_method: 'S256' as const }
    const { code, continue_url: url } = await enter(discovery_token, scene.org_domain, members)
    expect(code).toBeNull()
    const visitor = flows.visitorOf()
    return { url: url ?? '', visitor, page: await visitor.visit(url ?? '') }
  }

  test('a password: the page names the address and the organization, and its button begins', async () => {
    const scene = await given.scene()
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })
    const { url, visitor, page } = await continued(scene)
    expect(page.html.replaceAll('<wbr/>', '')).toContain(scene.user.email)

    const asked = await visitor.visit((await discoveries.pressOn(page, url, visitor)).location ?? '')
    expect(asked.html).toContain('Enter your password')
    expect(asked.html).not.toContain('Another organization')
    const landed = await visitor.press(asked, 'password', { password: goodPassword })

    expect(isIn(landed)).toBe(true)
    expect(answerOf(landed).get('iss')).toBe(given.issuer)
    expect(answerOf(landed).get('state')).toBe('state-7')
  })

  test('a second factor', async () => {
    const scene = await flows.enrolledScene()
    const { url, visitor, page } = await continued(scene)

    const asked = await visitor.visit((await discoveries.pressOn(page, url, visitor)).location ?? '')
    expect(isIn(await visitor.press(asked, 'totp', { code: flows.totp.codeOf(scene.app) }))).toBe(true)
  })

  test('the identity provider of the domain', async () => {
    const member = await given.member()
    const emailDomain = member.user.email.split('@')[1] ?? ''
    const { id: organization_id } = await client.organizations.get({ org_domain: member.org_domain })
    const { idp_id } = await client.ssoConnections.create({ organization_id, email_domains: [emailDomain] })
    await client.ssoConnections.update({ idp_id, metadata: idpMetadata(), active: true })
    const { url, visitor, page } = await continued(member)

    const pressed = await discoveries.pressOn(page, url, visitor)

    expect((await visitor.visit(pressed.location ?? '')).html).toContain('/identity-provider')
    await client.ssoConnections.update({ idp_id, active: false })
  })

  test('in French, where the browser prefers it', async () => {
    const scene = await flows.enrolledScene()
    const { url, visitor } = await continued(scene)
    const page = await visitor.request(url, { headers: { 'accept-language': 'fr' } })
    expect(page.html).toContain('Continuez chez')
  })
})

test('at most three links of an address and application are open', async () => {
  const { user_email, application_id } = await inTwo()
  const made: string[] = []
  for (let count = 0; count < 4; count += 1) {
    await service.clock.advance(1)
    made.push(await discoveries.linkOf({ user_email, application_id }))
  }
  const statuses = await Promise.all(made.map(async (link) => (await flows.visitorOf().visit(link)).status))
  expect(statuses).toEqual([404, 200, 200, 200])
})

test('at most three are open, too, of ten that are asked for at once', async () => {
  const { user_email, application_id } = await inTwo()
  const made = await Promise.all(
    Array.from({ length: 10 }, () => discoveries.linkOf({ user_email, application_id })),
  )
  const statuses = await Promise.all(made.map(async (link) => (await flows.visitorOf().visit(link)).status))
  expect(statuses.filter((status) => status === 200)).toHaveLength(3)
})

test('three mails in a quarter of an hour, counted with those of the account’s pages and apart from organizations’', async () => {
  const strict = await startService({ variables: { MAILS_PER_ADDRESS: '3', SANDBOX_MAIL: 'send' } })
  const own = await strict.client()
  const { domain: org_domain } = await strict.given.organization()
  const { email: user_email } = await strict.given.user({ org_domain })
  const { id: application_id } = await strict.given.application({ org_domain })
  for (let count = 0; count < 3; count += 1)
    await own.discovery.createChallenge({ user_email, application_id })

  const fourth = own.discovery.createChallenge({ user_email, application_id })

  await expect(fourth).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
  await own.magicLink.createChallenge({ user_email, org_domain, application_id })
})
