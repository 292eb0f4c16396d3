import { describe, expect, test } from 'vitest'
import { answerOf } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { ada, oidcGivenOf, type OidcScene } from '../given/oidc-given.js'
import type { SaidClaims } from '../given/openid-provider.js'
import { createVisitor, pkcePair } from '../given/visitor.js'
import { exchangeLanded } from './code-given.js'
import { claimsOf } from '../given/claims.js'

const service = await startService()
const client = await service.client()
const given = oidcGivenOf(service, client)

const aCode = expect.stringMatching(/^[\w-]{43}$/)

/** The tokens obtained by a sign-in. */
async function tokensOf(scene: OidcScene, claims: SaidClaims, members: Record<string, string> = {}) {
  const { verifier, challenge } = pkcePair()
  const { landed } = await given.signIn(scene, claims, {}, { code_challenge: challenge, ...members })
  const { body } = await exchangeLanded(service, landed, scene, verifier)
  return { id: claimsOf(body.id_token), access: claimsOf(body.access_token) }
}

function userOf({ org_domain }: OidcScene, user_email: string) {
  return client.users.getByEmail({ org_domain, user_email })
}

describe('a sign-in by OpenID Connect', () => {
  test('asks the provider with code, PKCE, state and nonce, and with our redirect URI', async () => {
    const scene = await given.scene()

    const { address } = await given.atProvider(scene, { login_hint: 'ada@awesome.example' })

    const { origin, pathname, searchParams } = new URL(address)
    expect(`${origin}${pathname}`).toBe(`${scene.idp.issuer}/authorize`)
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: scene.idp.client.id,
      redirect_uri: scene.connection.oidc_redirect_uri,
      scope: 'openid email profile',
      state: aCode,
      nonce: aCode,
      code_challenge: aCode,
      code_challenge_method: 'S256',
      login_hint: 'ada@awesome.example',
    })
  })

  test('ends at the application with a code for tokens that say sso', async () => {
    const scene = await given.scene()
    const email = `${anything()}@awesome.example`

    const { id, access } = await tokensOf(scene, {
      ...ada,
      email,
      given_name: 'Ada',
      family_name: 'Lovelace',
      oid: 'o-1',
    })

    expect(id).toMatchObject({ email, email_verified: true, amr: ['sso'], acr: 'urn:portico:acr:1fa' })
    expect(id['resource_owner_metadata']).toMatchObject({
      email,
      givenname: 'Ada',
      surname: 'Lovelace',
      objectidentifier: 'o-1',
    })
    expect(access).toMatchObject({ amr: ['sso'], scp: ['sso'] })
    const user = await userOf(scene, email)
    expect(user).toMatchObject({
      id: id['sub'],
      email_verified: true,
      profile: { given_name: 'Ada', family_name: 'Lovelace' },
    })
    expect(user.identities).toEqual([
      {
        __type__: 'Identity',
        id: expect.any(String),
        idp_id: scene.connection.idp_id,
        provider: 'oidc.custom_oidc',
        authenticated_at: expect.any(String),
        data: expect.objectContaining({ sub: 'ada-1', email }),
      },
    ])
    expect(Object.keys(user.identities[0]?.data ?? {})).not.toContain('nonce')
  })

  test('is told: that it began, that it succeeded, and every check that it went through', async () => {
    const scene = await given.scene()
    const { landed } = await given.signIn(scene)
    expect(answerOf(landed).get('code')).toEqual(aCode)

    const { data } = await client.logEvents.list({ org_domain: scene.org_domain })
    const told = data.filter(({ saml_identity_provider_id: id }) => id === scene.connection.idp_id)
    expect(told.map(({ event_code: code }) => code)).toEqual([
      'SSO_END_USER_OIDC_SUCCESS',
      'SSO_END_USER_OIDC_STARTED',
    ])
    const trace = await given.lastTrace(scene)
    expect(trace).toMatchObject({ kind: 'sign_in', outcome: 'success', failed_check: null, name_id: 'ada-1' })
    expect(trace.user_id).toBe((await userOf(scene, 'ada@awesome.example')).id)
    expect(trace.checks.map(({ name }) => name)).toEqual([
      ...['oidc_state', 'oidc_browser', 'oidc_answer', 'oidc_discovery', 'oidc_issuer_parameter'],
      ...['oidc_token', 'oidc_id_token', 'oidc_token_type', 'oidc_authorized_party', 'oidc_issued_at'],
      ...['oidc_subject', 'connection_active', 'email', 'email_domain'],
      ...['linking', 'user_policy', 'seats', 'user_active', 'destination_application'],
    ])
    // A received value is recorded only for refused checks.
    const refusals = /no iss|no open sign-in|neither a code|nobody who is registered|not said to be verified/
    expect(trace.checks.filter(({ received }) => refusals.test(received ?? ''))).toEqual([])
    expect(await client.ssoConnections.get({ idp_id: scene.connection.idp_id })).toMatchObject({
      state: 'tested',
    })
  })

  test('finds the same user by issuer and subject, whatever their address is by now', async () => {
    const scene = await given.scene()
    const first = await tokensOf(scene, ada)
    const second = await tokensOf(scene, {
      ...ada,
      email: 'ada.byron@awesome.example',
      email_verified: false,
    })
    expect(second.id['sub']).toBe(first.id['sub'])
    expect(second.id['email']).toBe('ada@awesome.example')
  })

  test('passes on a second factor of the provider, and demands ours where there was none', async () => {
    const scene = await given.scene()
    await given.flows.totp.activate(scene.org_domain)
    const members = { acr_values: 'urn:portico:acr:mfa' }

    const { id } = await tokensOf(scene, { ...ada, amr: ['pwd', 'mfa'] }, members)
    expect(id).toMatchObject({ amr: ['sso', 'mfa'], acr: 'urn:portico:acr:mfa' })

    const { landed } = await given.signIn(scene, { ...ada, amr: ['pwd'] }, {}, members)
    expect([landed.status, answerOf(landed).get('code')]).toEqual([200, null])
  })

  test('reads the address at the UserInfo endpoint where the ID token has none', async () => {
    const scene = await given.scene({ email_domains: ['userinfo.example'] })
    const { idp } = scene
    idp.answer('/.well-known/openid-configuration', (res) =>
      res.end(JSON.stringify(idp.discovery({ userinfo_endpoint: `${idp.issuer}/userinfo` }))),
    )
    idp.answer('/userinfo', (res) =>
      res
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ sub: 'ada-2', email: 'ada@userinfo.example', email_verified: true })),
    )
    await service.clock.advance(301)

    const { id } = await tokensOf(scene, { sub: 'ada-2' })

    expect(id).toMatchObject({ email: 'ada@userinfo.example', email_verified: true })

    const { landed } = await given.signIn(scene, { sub: 'somebody-else' })
    expect(landed.status).toBe(403)
    expect(await given.lastTrace(scene)).toMatchObject({ failed_check: 'oidc_id_token' })
  })

  test('asks for a fresh sign-in where the application does, and sees to it', async () => {
    const scene = await given.scene()
    const members = { prompt: 'login' }
    const { address } = await given.atProvider(scene, members)
    const sent = Object.fromEntries(new URL(address).searchParams)
    expect(sent).toMatchObject({ prompt: 'login', max_age: '0' })

    const at = Math.floor(service.clock.now().getTime() / 1000)
    const fresh = await given.signIn(scene, { ...ada, auth_time: at }, {}, members)
    expect(answerOf(fresh.landed).get('code')).toEqual(aCode)
    for (const auth_time of [at - 3_600, undefined, 'now']) {
      const { landed } = await given.signIn(scene, { ...ada, auth_time }, {}, members)
      expect(landed.status).toBe(403)
      expect((await given.lastTrace(scene)).failed_check).toMatch(/^(authenticated_at|oidc_id_token)$/)
    }
  })

  test('begins at the address of a challenge, too', async () => {
    const scene = await given.scene()
    const { authorization_url, __type__ } = await client.ssoConnections.createOauthChallenge({
      org_domain: scene.org_domain,
      state: 'state-2',
    })
    expect(__type__).toBe('SsoOauthChallenge')
    const visitor = createVisitor(service.baseUrl)

    const { location } = await visitor.visit(authorization_url)
    const landed = await visitor.visit(scene.idp.approve(location ?? '', ada))

    expect(Object.fromEntries(answerOf(landed))).toMatchObject({ code: aCode, state: 'state-2' })
  })

  test('by a connection of one protocol is none by the challenge of the other', async () => {
    const scene = await given.scene()
    await expect(
      client.ssoConnections.createSamlChallenge({
        org_domain: scene.org_domain,
        idp_id: scene.connection.idp_id,
      }),
    ).rejects.toMatchObject({ code: 'sso_connection_not_found' })
  })

  test('may be answered at either of two requests of one browser, once', async () => {
    const scene = await given.scene()
    const visitor = createVisitor(service.baseUrl)
    const { page, address } = await given.atProvider(scene, {}, visitor)
    const again = (await visitor.request(`${new URL(page.url).pathname}/identity-provider`)).location ?? ''
    expect(new URL(again).searchParams.get('state')).not.toBe(new URL(address).searchParams.get('state'))

    const landed = await visitor.visit(scene.idp.approve(address, ada))
    expect(answerOf(landed).get('code')).toEqual(aCode)
    const late = await visitor.visit(scene.idp.approve(again, ada))
    expect(late.status).toBe(403)
    expect(await given.lastTrace(scene)).toMatchObject({ failed_check: 'oidc_state' })
  })

  test('takes no second answer while a second factor is asked for', async () => {
    const scene = await given.scene()
    await given.flows.totp.activate(scene.org_domain)
    const visitor = createVisitor(service.baseUrl)
    const { page, address } = await given.atProvider(scene, { acr_values: 'urn:portico:acr:mfa' }, visitor)
    const again = (await visitor.request(`${new URL(page.url).pathname}/identity-provider`)).location ?? ''
    const landed = await visitor.visit(scene.idp.approve(address, ada))
    expect([landed.status, answerOf(landed).get('code')]).toEqual([200, null])

    const late = await visitor.visit(
      scene.idp.approve(again, { ...ada, sub: 'b', email: 'b@awesome.example' }),
    )

    expect(late.status).toBe(403)
    expect(await given.lastTrace(scene)).toMatchObject({ failed_check: 'oidc_state' })
  })

  test('is not begun by a connection that was disabled meanwhile', async () => {
    const scene = await given.scene()
    const visitor = createVisitor(service.baseUrl)
    const { page } = await given.atProvider(scene, {}, visitor)
    await client.ssoConnections.disable({ idp_id: scene.connection.idp_id })
    const sent = await visitor.request(`${new URL(page.url).pathname}/identity-provider`)
    expect([sent.status, sent.location]).toEqual([403, null])
  })

  test('is refused by a connection that was disabled meanwhile', async () => {
    const scene = await given.scene()
    const { visitor, address } = await given.atProvider(scene)
    await client.ssoConnections.disable({ idp_id: scene.connection.idp_id })

    const landed = await visitor.visit(scene.idp.approve(address, ada))

    expect(landed.status).toBe(403)
    expect(await given.lastTrace(scene)).toMatchObject({ failed_check: 'connection_active' })
  })
})
