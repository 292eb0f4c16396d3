import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { answerOf } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { leadOf, samlGivenOf, type SamlScene } from '../given/saml-given.js'
import type { Said } from '../given/saml-identity-provider.js'
import { createVisitor, pkcePair } from '../given/visitor.js'
import { exchange, exchangeLanded } from './code-given.js'
import { claimsOf } from '../given/claims.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)

const aCode = expect.stringMatching(/^[\w-]{43}$/)
const mfa = 'https://refeds.org/profile/mfa'
const demandsMfa = { acr_values: 'urn:portico:acr:mfa' }

/** The tokens obtained by a sign-in. */
async function tokensOf(scene: SamlScene, said: Said = {}, members: Record<string, string> = {}) {
  const { verifier, challenge } = pkcePair()
  const { landed, visitor } = await given.signIn(scene, said, { code_challenge: challenge, ...members })
  const { body } = await exchangeLanded(service, landed, scene, verifier)
  return { body, visitor, id: claimsOf(body.id_token), access: claimsOf(body.access_token) }
}

function userOf({ org_domain }: SamlScene, user_email: string) {
  return client.users.getByEmail({ org_domain, user_email })
}

describe('a sign-in by SSO', () => {
  longTest('ends at the application with a code for tokens that say sso', async () => {
    const scene = await given.scene()
    const nameId = `${anything()}@awesome.example`

    const { id, access } = await tokensOf(scene, { nameId })

    expect(id).toMatchObject({ email: nameId, amr: ['sso'], acr: 'urn:portico:acr:1fa' })
    expect(access).toMatchObject({ amr: ['sso'], scp: ['sso'] })
    expect(await userOf(scene, nameId)).toMatchObject({
      id: id['sub'],
      email_verified: true,
      identities: [{ idp_id: scene.connection.idp_id, provider: 'saml.okta', data: { saml_nameid: nameId } }],
    })
  })

  test('is told: that it began, that it succeeded, and every check that it went through', async () => {
    const scene = await given.scene()
    const { requestId, landed } = await given.signIn(scene)
    expect([requestId, answerOf(landed).get('code')]).toEqual([expect.stringMatching(/^_/), aCode])

    const { data } = await client.logEvents.list({ org_domain: scene.org_domain })
    const told = data.filter(({ saml_identity_provider_id: id }) => id === scene.connection.idp_id)
    expect(told.map(({ event_code: code }) => code)).toEqual([
      'SSO_END_USER_SAML_SUCCESS',
      'SSO_END_USER_SAML_STARTED',
    ])
    const trace = await given.lastTrace(scene)
    expect(trace).toMatchObject({ kind: 'sign_in', outcome: 'success', failed_check: null, remedy: null })
    expect(trace.user_id).toBe((await userOf(scene, 'ada@awesome.example')).id)
    const names = trace.checks.map(({ name }) => name)
    expect(names.slice(0, 1)).toEqual(['encoding'])
    expect(names.slice(-4)).toEqual(['user_policy', 'seats', 'user_active', 'destination_application'])
    expect(trace.checks.every(({ passed }) => passed)).toBe(true)
  })

  test('makes the connection tested, once', async () => {
    const scene = await given.scene()
    const { idp_id } = scene.connection
    expect(scene.connection.state).toBe('configured')
    await given.signIn(scene)
    await given.signIn(scene)

    expect((await client.ssoConnections.get({ idp_id })).state).toBe('tested')
    const { data } = await client.events.list()
    const tested = data.filter(
      ({ code, data: record }) =>
        code === 'sso.connection.update.success' && 'idp_id' in record && record.idp_id === idp_id,
    )
    expect(tested.filter(({ actor }) => actor.type === 'system')).toHaveLength(1)
  })

  test('finds its user by the NameID, also under another address', async () => {
    const scene = await given.scene()
    const before = await tokensOf(scene, { nameId: 'u-1', attributes: { email: 'ada@awesome.example' } })
    const after = await tokensOf(scene, { nameId: 'u-1', attributes: { email: 'ada@married.example' } })

    expect(after.id).toMatchObject({ sub: before.id['sub'], email: 'ada@awesome.example' })
  })
})

describe('where a sign-in by SSO begins', () => {
  async function atIdentifier(scene: SamlScene) {
    const visitor = createVisitor(service.baseUrl)
    return { visitor, page: await visitor.visit(given.flows.authorizeUrl(scene)) }
  }

  test('an address of a domain of the connection leads to its identity provider, and comes back', async () => {
    const domain = `${anything()}.example`
    const scene = await given.scene({ email_domains: [domain] })
    const { visitor, page } = await atIdentifier(scene)
    const step = await visitor.press(page, 'identify', { email: `ada@${domain}` })
    const { sent, requestId } = await given.leave(visitor, step)

    expect([step.status, sent.status]).toEqual([200, 303])
    expect(sent.location).toContain(`${scene.idp.ssoUrl}?SAMLRequest=`)
    const response = scene.idp.respond({ ...scene.connection, requestId }, { nameId: `ada@${domain}` })
    expect(answerOf(await given.comeBack(scene, visitor, response)).get('code')).toEqual(aCode)
  })

  longTest(
    'where the organization has no other way, every address does, and otherwise those of its domains',
    async () => {
      const alone = await given.scene()
      await given.closeLinks(alone)
      const { visitor, page } = await atIdentifier(alone)
      const step = await visitor.press(page, 'identify', { email: 'ada@anywhere.example' })
      expect(leadOf(step)).toContain('/identity-provider')

      const domain = `${anything()}.example`
      const both = await given.scene({}, { allowed_email_domains: [domain, `other-${domain}`] })
      await client.password.createConnection({ org_domain: both.org_domain })
      const other = await atIdentifier(both)
      const led = await other.visitor.press(other.page, 'identify', { email: `ada@${domain}` })
      expect(leadOf(led)).toContain('/identity-provider')
      expect(other.page.html).not.toContain('single_sign_on')
    },
  )

  test('an address of none of the domains of the connections is asked for its password', async () => {
    const scene = await given.scene({ email_domains: [`${anything()}.example`] })
    await client.password.createConnection({ org_domain: scene.org_domain })
    const { visitor, page } = await atIdentifier(scene)
    const step = await visitor.press(page, 'identify', { email: 'ada@elsewhere.example' })

    expect(step.html).toContain('type="password"')
    expect(page.html).not.toContain('single_sign_on')
  })

  test('and is refused where there is no other way', async () => {
    const scene = await given.scene({ email_domains: [`${anything()}.example`] })
    await given.closeLinks(scene)
    const { visitor, page } = await atIdentifier(scene)
    expect((await visitor.press(page, 'identify', { email: 'ada@elsewhere.example' })).status).toBe(422)
  })

  test('a button leads there where no domain decides, and to no other connection', async () => {
    const scene = await given.scene()
    await client.password.createConnection({ org_domain: scene.org_domain })
    const foreign = await given.scene()
    const { visitor, page } = await atIdentifier(scene)
    const wrong = await visitor.send(page, 'single_sign_on', { idp_id: foreign.connection.idp_id })
    const step = await visitor.press(page, 'single_sign_on', { idp_id: scene.connection.idp_id })

    expect(page.html).toContain('Continue with single sign-on')
    expect([wrong.status, leadOf(step)]).toEqual([422, expect.stringContaining('/identity-provider')])
  })

  test('a connection that is switched off, or another organization’s, is no way in', async () => {
    const scene = await given.scene()
    const { idp_id } = scene.connection
    const foreign = await given.scene()
    const elsewhere = createVisitor(service.baseUrl)
    const page = await elsewhere.visit(given.flows.authorizeUrl(foreign, { idp_hint: idp_id }))
    expect([leadOf(page), page.html.includes('type="email"')]).toEqual(['', true])
    await client.ssoConnections.disable({ idp_id })
    await given.closeLinks(scene)
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })
    const visitor = createVisitor(service.baseUrl)
    const closed = await visitor.visit(given.flows.authorizeUrl(scene, { idp_hint: idp_id }))
    expect(closed.html).toContain('Sign-in is not set up yet')
  })

  test('a connection that is switched off meanwhile asks no identity provider', async () => {
    const scene = await given.scene()
    const { idp_id } = scene.connection
    const visitor = createVisitor(service.baseUrl)
    const page = await visitor.visit(given.flows.authorizeUrl(scene, { idp_hint: idp_id }))
    await client.ssoConnections.disable({ idp_id })
    const seen = await visitor.request(leadOf(page))
    expect([seen.status, seen.location]).toEqual([403, null])
  })

  test('the page leads on by itself once, and who comes back may choose another address', async () => {
    const scene = await given.scene()
    await client.password.createConnection({ org_domain: scene.org_domain })
    const { visitor, page } = await given.atIdentityProvider(scene)
    const again = await visitor.request(page.url)
    const identifier = await visitor.press(again, 'change_address')

    expect([leadOf(page) !== '', leadOf(again)]).toEqual([true, ''])
    expect(again.html).toContain('/identity-provider')
    expect(identifier.html).toContain('type="email"')
  })

  test('an identity provider with the POST binding alone gets a form, which may lead to it and nowhere else', async () => {
    const scene = await given.scene()
    const url = 'https://idp.example/post'
    const metadata = scene.idp.metadata({ binding: 'POST', url })
    await client.ssoConnections.update({ idp_id: scene.connection.idp_id, metadata })
    const visitor = createVisitor(service.baseUrl)
    const page = await visitor.visit(given.flows.authorizeUrl(scene, { idp_hint: scene.connection.idp_id }))
    const form = await visitor.request(leadOf(page))

    expect(form.html).toMatch(
      /<form method="post" action="https:\/\/idp\.example\/post"[^>]*><input[^>]* name="SAMLRequest"/,
    )
    expect(form.headers.get('content-security-policy')).toContain("form-action 'self' https://idp.example;")
  })
})

describe('the second factor after SSO', () => {
  test('is the identity provider’s, where it says so', async () => {
    const scene = await given.scene()
    await given.flows.totp.activate(scene.org_domain)
    const { id } = await tokensOf(scene, { authnContext: mfa }, demandsMfa)
    expect(id).toMatchObject({ amr: ['sso', 'mfa'], acr: 'urn:portico:acr:mfa' })
  })

  test('is not asked of a user who has one here, nor of their session afterwards', async () => {
    const { scene } = await given.enrolled()
    const { visitor, landed } = await given.signIn(scene)
    const again = await visitor.visit(given.flows.authorizeUrl(scene))
    expect([answerOf(landed).get('code'), answerOf(again).get('code')]).toEqual([aCode, aCode])
  })

  test('is asked where the application demands it and the identity provider has not', async () => {
    const { scene, app } = await given.enrolled()
    const { visitor, landed: asked } = await given.signIn(scene, {}, demandsMfa)
    expect(asked.html).toContain('name="code"')
    const landed = await visitor.press(asked, 'totp', { code: given.flows.totp.codeOf(app) })
    expect(answerOf(landed).get('code')).toEqual(aCode)
  })

  longTest('is asked of the session, where another application demands it', async () => {
    const { scene, app } = await given.enrolled()
    const { visitor } = await given.signIn(scene, { attributes: { displayname: 'Ada' } })
    const { verifier, challenge } = pkcePair()
    const members = { ...demandsMfa, code_challenge: challenge }
    const asked = await visitor.visit(given.flows.authorizeUrl(scene, members))
    const landed = await visitor.press(asked, 'totp', { code: given.flows.totp.codeOf(app) })
    const { body } = await exchangeLanded(service, landed, scene, verifier)
    expect(claimsOf(body.id_token)).toMatchObject({
      amr: ['sso', 'otp', 'mfa'],
      resource_owner_metadata: { displayname: 'Ada' },
    })
  })

  test('is set up where the application demands it and the user has none', async () => {
    const scene = await given.scene()
    await given.flows.totp.activate(scene.org_domain)
    const { landed } = await given.signIn(scene, {}, demandsMfa)
    expect([landed.status, landed.html.includes('value="enroll"')]).toEqual([200, true])
  })
})

describe('what the identity provider says of a user', () => {
  const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
  const microsoft = 'http://schemas.microsoft.com'
  const attributes = {
    [`${claims}/givenname`]: 'Ada',
    [`${claims}/surname`]: 'Lovelace',
    [`${claims}/emailaddress`]: 'ada@awesome.example',
    [`${claims}/name`]: 'ada',
    [`${microsoft}/claims/authnmethodsreferences`]: ['pwd', 'mfa'],
    [`${microsoft}/identity/claims/displayname`]: 'Ada L.',
    [`${microsoft}/identity/claims/identityprovider`]: 'https://sts.example/',
    [`${microsoft}/identity/claims/objectidentifier`]: 'oid-1',
    [`${microsoft}/identity/claims/tenantid`]: 'tid-1',
    email: 'ada@awesome.example',
    first_name: 'Ada',
    last_name: 'Lovelace',
    objectGuid: 'guid-1',
    phone: '+33612345678',
    uid: 'ada',
    unit_path: '/engines',
    __proto__: 'nothing',
  }
  const metadata = {
    authnmethodsreferences: ['pwd', 'mfa'],
    displayname: 'Ada L.',
    email: 'ada@awesome.example',
    emailaddress: 'ada@awesome.example',
    first_name: 'Ada',
    givenname: 'Ada',
    identityprovider: 'https://sts.example/',
    last_name: 'Lovelace',
    name: 'ada',
    objectGuid: 'guid-1',
    objectidentifier: 'oid-1',
    phone: '+33612345678',
    saml_nameid: 'n-1',
    saml_subject: 'n-1',
    surname: 'Lovelace',
    tenantid: 'tid-1',
    uid: 'ada',
    unit_path: '/engines',
  }

  test('is in the ID token under every name of the table, also after a refresh', async () => {
    const scene = await given.scene()
    const { body, id } = await tokensOf(
      scene,
      { nameId: 'n-1', attributes },
      { scope: 'openid offline_access' },
    )
    const refreshed = await exchange(service, {
      grant_type: 'refresh_token',
      refresh_token: String(body['refresh_token']),
      client_id: scene.application.client_id,
    })

    expect(id['resource_owner_metadata']).toEqual(metadata)
    expect(claimsOf(refreshed.body.id_token)['resource_owner_metadata']).toEqual(metadata)
  })

  longTest('is the profile of a new user, and later again where the connection refreshes it', async () => {
    const kept = await given.scene()
    const refreshed = await given.scene({ update_user_new_connection: true })
    for (const scene of [kept, refreshed]) {
      await given.signIn(scene, { attributes: { firstname: 'Ada', lastname: 'Byron' } })
      await given.signIn(scene, { attributes: { lastname: 'Lovelace' } })
    }
    expect((await userOf(kept, 'ada@awesome.example')).profile).toMatchObject({ family_name: 'Byron' })
    expect((await userOf(refreshed, 'ada@awesome.example')).profile).toMatchObject({
      given_name: 'Ada',
      family_name: 'Lovelace',
    })
  })
})

describe('a user who signs in by SSO again', () => {
  /** Signs in twice, and lists the events about the user after the first sign-in. */
  async function toldOf(second: Said, settings: { update_user_new_connection?: boolean } = {}) {
    const scene = await given.scene(settings)
    const first = { nameId: 'n-1', attributes: { email: 'ada@awesome.example', last_name: 'Byron' } }
    await given.signIn(scene, first)
    const before = await userOf(scene, 'ada@awesome.example')
    const { cursor } = await client.events.list({ after: 'latest' })
    await service.clock.advance(60)
    await given.signIn(scene, { ...first, ...second })
    const { data } = await client.events.list({ after: cursor })
    const told = data.filter(({ code }) => code === 'user.user.update.success')
    return { before, after: await userOf(scene, 'ada@awesome.example'), told }
  }

  test('is no user who was changed: when the identity provider had them prove it is noted, and nothing told', async () => {
    const { before, after, told } = await toldOf({}, { update_user_new_connection: true })

    const times = [before, after].map(({ identities }) => Date.parse(identities[0]?.authenticated_at ?? ''))
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(60_000)
    expect(after.updated_at).toBe(before.updated_at)
    expect(told).toEqual([])
  })

  longTest('is told of once where the identity provider says something else of them', async () => {
    const attributes = { email: 'ada@awesome.example', last_name: 'Lovelace' }
    const kept = await toldOf({ attributes })
    const refreshed = await toldOf({ attributes }, { update_user_new_connection: true })

    const told = { identities: [{ data: { last_name: 'Lovelace' } }] }
    expect(kept.told).toMatchObject([{ data: { ...told, profile: { family_name: 'Byron' } } }])
    expect(refreshed.told).toMatchObject([{ data: { ...told, profile: { family_name: 'Lovelace' } } }])
  })
})

describe('our metadata', () => {
  test('are there for everybody, and may be kept for five minutes', async () => {
    const { connection } = await given.scene()
    const answer = await fetch(connection.sp_id)
    const head = await fetch(connection.sp_id, { method: 'HEAD' })

    expect([answer.status, head.status]).toEqual([200, 200])
    expect(answer.headers.get('content-type')).toMatch(/^application\/samlmetadata\+xml/)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(await answer.text()).toContain(`entityID="${connection.sp_id}"`)
  })

  test('of no connection are a page', async () => {
    const answer = await fetch(`${service.baseUrl}/saml/nobody_1/metadata`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      404,
      expect.stringContaining('text/html'),
    ])
  })
})
