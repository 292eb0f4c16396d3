import { openMagicLink } from '@portico/sdk'
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT, type JSONWebKeySet } from 'jose'
import { describe, expect, test } from 'vitest'
import { longDescribe, longTest } from '../sampled.js'
import { claimsOf } from '../given/claims.js'
import { callback, type FlowScene } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { startLogoutReceiver } from '../given/logout-receiver.js'
import { accountGivenOf } from './account-given.js'
import { exchange, loggedReason, refusal } from './code-given.js'
import { resigned } from './forged-tokens.js'
import { refusedRefresh } from './refresh-given.js'

const service = await startService()
const client = await service.client()
const given = accountGivenOf(service, client)
const { flows, issuer, path } = given
const { domain: strangers } = await service.createAccount()

const organizationIssuer = ({ org_domain }: FlowScene) => `${service.baseUrl}/t/${org_domain}`

async function keysOf(of: string) {
  const keySet = (await (await fetch(`${of}/.well-known/jwks.json`)).json()) as JSONWebKeySet
  return createLocalJWKSet(keySet)
}

/** Whether the keys of an issuer have signed a token that names it. */
async function isSignedBy(token: string, of: string): Promise<boolean> {
  const currentDate = new Date(service.clock.now().getTime() + 1_000)
  return jwtVerify(token, await keysOf(of), { issuer: of, currentDate }).then(
    () => true,
    () => false,
  )
}

const userInfo = (token: string, at = path) =>
  fetch(`${service.baseUrl}${at}/userinfo`, { headers: { authorization: `Bearer ${token}` } })

/** Tokens of a user who signed in at the organization's own issuer. */
async function tokensAtOrganization({ org_domain, user, application }: FlowScene) {
  const { magic_link } = await client.magicLink.createChallenge({
    org_domain,
    user_email: user.email,
    application_id: application.client_id,
    send_email: false,
    scope: 'openid email offline_access',
  })
  const { code } = await openMagicLink(magic_link ?? '')
  return {
    code,
    exchange: () => client.oauth.organizationToken({ org_domain, grant_type: 'authorization_code', code }),
  }
}

describe('the tokens of a sign-in at the issuer of an account', () => {
  longTest(
    'are an ID token of the account, by its key, and an access token of the organization, by its own',
    async () => {
      const { scene, idToken, accessToken } = await given.tokens()
      const { application, org_domain, user } = scene

      expect(claimsOf(idToken)).toMatchObject({
        iss: issuer,
        aud: application.client_id,
        org: org_domain,
        sub: user.id,
      })
      expect(claimsOf(accessToken)).toMatchObject({
        iss: organizationIssuer(scene),
        org: org_domain,
        sub: user.id,
      })
      expect([
        await isSignedBy(idToken, issuer),
        await isSignedBy(accessToken, organizationIssuer(scene)),
      ]).toEqual([true, true])
      expect(await isSignedBy(idToken, organizationIssuer(scene))).toBe(false)
      expect(await isSignedBy(accessToken, issuer)).toBe(false)
    },
  )

  longTest('are signed with the algorithm of the application', async () => {
    const { org_domain, user } = await flows.scene()
    const application = await service.given.application({
      org_domain,
      organization_domain_scope: org_domain,
      allowed_redirect_urls: [callback],
      token_signing_alg: 'RS256',
    })
    // Published before anything is signed.
    const keys = await keysOf(issuer)

    const { idToken } = await given.tokens({ org_domain, user, application })

    const currentDate = new Date(service.clock.now().getTime() + 1_000)
    const { protectedHeader } = await jwtVerify(idToken, keys, { issuer, currentDate })
    expect(protectedHeader.alg).toBe('RS256')
  })

  test('keep their issuers at a refresh, also at the service’s own endpoint', async () => {
    const { scene, refreshToken } = await given.tokens()
    const client_id = scene.application.client_id
    let refresh_token = refreshToken

    for (const at of [`${path}/oauth/token`, '/oauth/token']) {
      const { status, body } = await exchange(
        service,
        { grant_type: 'refresh_token', refresh_token, client_id },
        { path: at },
      )
      expect([status, claimsOf(body.id_token)['iss'], claimsOf(body.access_token)['iss']]).toEqual([
        200,
        issuer,
        organizationIssuer(scene),
      ])
      refresh_token = String(body['refresh_token'])
    }
  })
})

describe('a code is taken at the token endpoint of its issuer', () => {
  test('200: and at the service’s own', async () => {
    for (const at of [`${path}/oauth/token`, '/oauth/token']) {
      const { code, parameters } = await given.code()
      expect((await exchange(service, { code, ...parameters }, { path: at })).status).toBe(200)
    }
  })

  test.each<[string, (scene: FlowScene) => string]>([
    ['the organization’s', ({ org_domain }) => `/t/${org_domain}`],
    ['another account’s', () => `/a/${strangers}`],
    ['that of no account', () => '/a/no-such-account'],
  ])('400: not at %s, which spends it', async (_, placeOf) => {
    const { scene, code, parameters } = await given.code()

    const answer = await exchange(service, { code, ...parameters }, { path: `${placeOf(scene)}/oauth/token` })
    const reason = await loggedReason(service, scene.org_domain)
    const again = await exchange(service, { code, ...parameters }, { path: `${path}/oauth/token` })

    expect([answer.status, answer.text, reason]).toEqual([400, refusal, 'wrong_issuer'])
    expect(again.text).toBe(refusal)
  })

  test('400: one of an organization’s issuer is not taken at the account’s', async () => {
    const scene = await given.scene()
    const { code } = await tokensAtOrganization(scene)

    const answer = await exchange(service, { code }, { path: `${path}/oauth/token` })

    expect([answer.text, await loggedReason(service, scene.org_domain)]).toEqual([refusal, 'wrong_issuer'])
  })
})

describe('a refresh token is taken at the token endpoint of its issuer', () => {
  const refreshAt = async (at: string, scene: FlowScene, refresh_token: string) => {
    const { client_id } = scene.application
    const parameters = { grant_type: 'refresh_token', refresh_token, client_id }
    return exchange(service, parameters, { path: `${at}/oauth/token` })
  }
  const lastReason = async ({ org_domain }: FlowScene) => {
    const [row] = await service.query<{ reason: string }>(
      `select reason from log_events where domain = $1 and event_code = 'TOKEN_REFRESH_FAILED' order by id desc`,
      [org_domain],
    )
    return row?.reason
  }

  test.each<[string, (scene: FlowScene) => string]>([
    ['the organization’s', ({ org_domain }) => `/t/${org_domain}`],
    ['another account’s', () => `/a/${strangers}`],
    ['that of no account', () => '/a/no-such-account'],
  ])('400: not at %s, and stays good', async (_, placeOf) => {
    const { scene, refreshToken } = await given.tokens()

    const { status, body } = await refreshAt(placeOf(scene), scene, refreshToken)

    expect([status, body, await lastReason(scene)]).toEqual([400, refusedRefresh, 'wrong_issuer'])
    expect((await refreshAt(path, scene, refreshToken)).status).toBe(200)
  })

  test('400: one of an organization’s issuer is not taken at the account’s, and stays good', async () => {
    const scene = await given.scene()
    const tokens = await (await tokensAtOrganization(scene)).exchange()
    const refreshToken = tokens.refresh_token ?? ''

    const { body } = await refreshAt(path, scene, refreshToken)

    expect([body, await lastReason(scene)]).toEqual([refusedRefresh, 'wrong_issuer'])
    expect((await refreshAt(`/t/${scene.org_domain}`, scene, refreshToken)).status).toBe(200)
  })
})

describe('UserInfo', () => {
  test('200: at the account of access tokens of any organization, whichever issuer was asked', async () => {
    const first = await given.tokens()
    const second = await given.scene(first.scene.application)
    const ofSecond = await (await tokensAtOrganization(second)).exchange()

    for (const [{ user, org_domain }, token] of [
      [first.scene, first.accessToken],
      [second, ofSecond.access_token],
    ] as const)
      for (const at of [path, `/t/${org_domain}`]) {
        const answer = await userInfo(token, at)
        expect([answer.status, await answer.json()]).toMatchObject([200, { sub: user.id, email: user.email }])
      }
    expect((await userInfo(first.accessToken, `/t/${second.org_domain}`)).status).toBe(401)
  })

  test('401: at another account, and for every other token', async () => {
    const { scene, accessToken, idToken, refreshToken } = await given.tokens()
    const other = await given.scene(scene.application)
    const apiToken = await service.token()
    // Signed by the organization of the user, and naming another one of the account.
    const ofOther = await resigned(service, accessToken, { claims: { org: other.org_domain } })
    const header = { typ: 'at+jwt' }
    const byAccount = await Promise.all(
      [issuer, organizationIssuer(scene)].map((iss) =>
        resigned(service, idToken, { header, claims: { ...claimsOf(accessToken), iss } }),
      ),
    )
    const withAccountIss = await resigned(service, accessToken, { claims: { iss: issuer } })

    expect((await userInfo(accessToken, `/a/${strangers}`)).status).toBe(401)
    for (const token of [idToken, refreshToken, apiToken, ofOther, withAccountIss, ...byAccount])
      expect((await userInfo(token)).status).toBe(401)
    expect((await userInfo(accessToken)).status).toBe(200)
  })
})

describe('introspection and revocation', () => {
  const post = async (at: string, parameters: Record<string, string>) => {
    const answer = await fetch(`${service.baseUrl}${at}`, {
      method: 'POST',
      body: new URLSearchParams(parameters),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  test('200: the account tells of tokens of all its organizations, and the issuer of a refresh token', async () => {
    const { scene, accessToken, refreshToken } = await given.tokens()
    const key = await service.apiKey({ scopes: ['read:sessions'] })
    const at = async (place: string, token: string) =>
      (await post(`${place}/oauth/introspect`, { token, ...key })).body

    expect(await at(path, accessToken)).toMatchObject({ active: true, iss: organizationIssuer(scene) })
    expect(await at(path, refreshToken)).toMatchObject({ active: true, iss: issuer, org: scene.org_domain })
    expect(await at(`/t/${scene.org_domain}`, refreshToken)).toMatchObject({ active: true, iss: issuer })
    for (const place of [`/a/${strangers}`, '/a/no-such-account'])
      for (const token of [accessToken, refreshToken])
        expect(await at(place, token)).toEqual({ active: false })
  })

  test('200: a token ends at its account, and at no other', async () => {
    const tokens = await given.tokens()
    const { client_id } = tokens.scene.application
    const revokeAt = (place: string, token: string) => post(`${place}/oauth/revoke`, { token, client_id })

    for (const token of [tokens.accessToken, tokens.refreshToken])
      expect((await revokeAt(`/a/${strangers}`, token)).status).toBe(200)
    expect((await userInfo(tokens.accessToken)).status).toBe(200)
    expect((await revokeAt(path, tokens.refreshToken)).status).toBe(200)
    expect((await userInfo(tokens.accessToken)).status).toBe(401)
  })
})

describe('no other key signs for an account', () => {
  test('a hint that names the account, by a key of an organization or of API tokens, is refused', async () => {
    const { scene, idToken, accessToken, visitor } = await given.tokens()
    const claims = claimsOf(idToken)
    const header = { typ: 'JWT' }
    const byOrganization = await resigned(service, accessToken, {
      header,
      claims: { ...claims, jtt: 'id_token' },
    })
    const byApi = await resigned(service, await service.token(), { header, claims })
    const ofOrganizationByAccount = await resigned(service, idToken, {
      claims: { iss: organizationIssuer(scene) },
    })

    for (const id_token_hint of [byOrganization, byApi, ofOrganizationByAccount])
      for (const members of [{ id_token_hint }, { id_token_hint, organization: undefined }])
        expect(await given.answerTo(scene, { ...members, prompt: 'none' }, visitor)).toMatchObject({
          error: 'invalid_request',
        })
    expect(await given.answerTo(scene, { id_token_hint: idToken, prompt: 'none' }, visitor)).toHaveProperty(
      'code',
    )
  })

  test('a hint of another account is refused, at its own and at this issuer', async () => {
    const { scene, idToken, visitor } = await given.tokens()
    const ofStrangers = await resigned(service, idToken, {
      claims: { iss: `${service.baseUrl}/a/${strangers}` },
    })

    expect(await given.answerTo(scene, { id_token_hint: ofStrangers }, visitor)).toMatchObject({
      error: 'invalid_request',
    })
  })

  test('401: what an account has signed is no API token, whatever it says', async () => {
    const { idToken } = await given.tokens()
    const apiToken = await service.token()
    const byAccount = await resigned(service, idToken, {
      header: { typ: 'at+jwt' },
      claims: claimsOf(apiToken),
    })
    const listed = (token: string) =>
      fetch(`${service.baseUrl}/api/v2/organizations`, { headers: { authorization: `Bearer ${token}` } })

    expect([(await listed(apiToken)).status, (await listed(byAccount)).status]).toEqual([200, 401])
    expect((await listed(idToken)).status).toBe(401)
  })
})

longDescribe('a client assertion (RFC 7523)', () => {
  test('is for the account as issuer or its token endpoint, and for no other there', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const { org_domain } = await flows.scene()
    const jwk = await exportJWK(publicKey)
    const application = await client.applications.create({
      org_domain,
      name: 'Confidential',
      application_type: 'regular_web',
      client_authentication: 'private_key_jwt',
      token_signing_alg: 'ES256',
      jwks: { keys: [{ ...jwk, kid: 'one' } as never] },
      allowed_redirect_urls: [callback],
      allowed_origins_cors: [],
      allowed_logout_urls: [],
    })
    const scene = await given.scene(application)
    const exchangedFor = async (audience: string) => {
      const { code, parameters } = await given.code(scene)
      const { client_id } = parameters
      const now = Math.floor(service.clock.now().getTime() / 1000)
      const client_assertion = await new SignJWT({ jti: anything() })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuer(client_id)
        .setSubject(client_id)
        .setAudience(audience)
        .setIssuedAt(now)
        .setExpirationTime(now + 60)
        .sign(privateKey)
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
      const sent = { code, code_verifier: parameters.code_verifier, client_assertion, client_assertion_type }
      return (await exchange(service, sent, { path: `${path}/oauth/token` })).status
    }

    expect(await exchangedFor(issuer)).toBe(200)
    expect(await exchangedFor(`${issuer}/oauth/token`)).toBe(200)
    expect(await exchangedFor(organizationIssuer(scene))).toBe(401)
    expect(await exchangedFor(service.baseUrl)).toBe(401)
  })
})

longTest(
  'an application whose user signed in at the account is told of the end of the session by the account',
  async () => {
    const receiver = await startLogoutReceiver()
    const { org_domain } = await flows.scene()
    const application = await service.given.application({
      org_domain,
      allowed_redirect_urls: [callback],
      backchannel_logout_uri: receiver.addressOf('account'),
    })
    const { scene, idToken, visitor } = await given.tokens(await given.scene(application))

    await visitor.request(`${service.baseUrl}/t/${scene.org_domain}/logout?id_token_hint=${idToken}`)
    await service.runJobs()

    const [token = ''] = receiver.tokensAt('account')
    const { sub, sid } = claimsOf(idToken)
    expect(claimsOf(token)).toMatchObject({ iss: issuer, aud: application.client_id, sub, sid })
    expect(await isSignedBy(token, issuer)).toBe(true)
  },
)
