import {
  allowInsecureRequests,
  ClientSecretBasic,
  introspectionRequest,
  processIntrospectionResponse,
} from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { startService, type KeyRules } from '../given/harness.js'
import { codeGivenOf, type Scene } from './code-given.js'
import { forgeriesOf, resigned } from './forged-tokens.js'
import { refreshGivenOf } from './refresh-given.js'
import { claimsOf } from '../given/claims.js'

const service = await startService()
const client = await service.client()
const codes = codeGivenOf(service, client)
const given = refreshGivenOf(service, codes)
const key = await keyed({ scopes: ['read:sessions'] })

async function keyed(members: KeyRules = {}) {
  const { client_id, client_secret } = await service.apiKey(members)
  return { client_id, client_secret }
}

async function introspect(
  parameters: Record<string, string>,
  { path = '/oauth/introspect', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
) {
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(parameters),
  })
  const text = await answer.text()
  const body: Record<string, unknown> = JSON.parse(text)
  return { status: answer.status, headers: answer.headers, text, body }
}

/** The only answer about an inactive token (RFC 7662 section 2.2). */
const inactive = '{"active":false}'

describe('introspection (RFC 7662)', () => {
  test('200: tells what an access token says, and that it is good', async () => {
    const scene = await codes.scene()
    const { accessToken } = await given.tokens(scene, { scope: 'openid email' })
    const claims = claimsOf(accessToken)
    const { client_id } = scene.application

    const { status, headers, body } = await introspect({ token: accessToken, ...key })

    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      active: true,
      token_type: 'Bearer',
      scope: 'magic_link email',
      client_id,
      aud: client_id,
      sub: scene.user.id,
      iss: `${service.baseUrl}/t/${scene.org_domain}`,
      exp: claims['exp'],
      nbf: claims['nbf'],
      iat: claims['iat'],
      jti: claims['jti'],
      sid: claims['sid'],
      dbs: 'sandbox',
      org: scene.org_domain,
      acr: 'urn:portico:acr:1fa',
      auth_time: claims['auth_time'],
      amr: ['email'],
    })
  })

  test('200: tells the same of a token from before the claim scope', async () => {
    const { accessToken } = await given.tokens(undefined, { scope: 'openid email' })
    const earlier = await resigned(service, accessToken, { claims: { scope: undefined } })

    const [now, before] = [accessToken, earlier].map((token) => introspect({ token, ...key }))

    expect(claimsOf(accessToken)['scope']).toBe('magic_link email')
    expect((await before)?.body).toEqual((await now)?.body)
  })

  test('200: tells of a refresh token, and does not use it', async () => {
    const scene = await codes.scene()
    const first = await given.tokens(scene)
    const second = await given.refresh(scene, first.refreshToken)

    const hinted = { token: second.refreshToken, token_type_hint: 'access_token' }
    const { body } = await introspect({ ...hinted, ...key })
    const before = await introspect({ token: first.refreshToken, ...key })
    await service.clock.advance(31)
    const replaced = await introspect({ token: first.refreshToken, ...key })

    expect(body).toMatchObject({
      active: true,
      scope: 'openid magic_link offline_access',
      client_id: scene.application.client_id,
      sub: scene.user.id,
      sid: claimsOf(first.idToken)['sid'],
    })
    expect(Number(body['exp']) - Number(body['iat'])).toBeGreaterThan(29 * 24 * 60 * 60)
    expect(body).not.toHaveProperty('token_type')
    // The token is active as long as a repeated refresh returns the same answer.
    expect([before.body['active'], replaced.text]).toEqual([true, inactive])
    expect((await given.refresh(scene, second.refreshToken)).status).toBe(200)
  })

  test('200: by HTTP Basic, by an API token, and at the endpoint of the organization', async () => {
    const { scene, accessToken: token } = await given.tokens()
    const basic = Buffer.from(`${key.client_id}:${key.client_secret}`).toString('base64')
    const path = `/t/${scene.org_domain}/oauth/introspect`
    const answers = await Promise.all([
      introspect({ token }, { headers: { authorization: `Basic ${basic}` } }),
      introspect({ token }, { headers: { authorization: `Bearer ${await service.token()}` } }),
      introspect({ token, ...key }, { path }),
    ])

    for (const { status, body } of answers) expect([status, body['active']]).toEqual([200, true])
  })

  test('200: by a library of others, at the endpoint that discovery names', async () => {
    const { scene, accessToken } = await given.tokens()
    const metadata: { issuer: string; introspection_endpoint: string } = await (
      await fetch(`${service.baseUrl}/t/${scene.org_domain}/.well-known/openid-configuration`)
    ).json()
    const resource = { client_id: key.client_id }
    const authentication = ClientSecretBasic(key.client_secret)

    const answer = await introspectionRequest(metadata, resource, authentication, accessToken, {
      [allowInsecureRequests]: true,
    })

    expect(await processIntrospectionResponse(metadata, resource, answer)).toMatchObject({
      active: true,
      sub: scene.user.id,
    })
  })

  test('no page may ask', async () => {
    const answer = await fetch(`${service.baseUrl}/oauth/introspect`, { method: 'OPTIONS' })

    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('introspection is refused', () => {
  test('401: without a key, or with one that is none', async () => {
    const { scene, accessToken: token } = await given.tokens()
    const wrong: Record<string, string>[] = [
      {},
      { client_id: scene.application.client_id },
      { ...key, client_secret: 'x' },
      { ...key, client_secret: (await keyed()).client_secret },
    ]

    for (const credentials of wrong) {
      const { status, headers, body } = await introspect({ token, ...credentials })
      expect([status, body['error']]).toEqual([401, 'invalid_client'])
      expect(headers.get('www-authenticate')).toBe('Basic realm="portico"')
    }
  })

  test('401: with a bearer token that is no API token, above all the token itself', async () => {
    const { accessToken: token, idToken, refreshToken } = await given.tokens()

    for (const bearer of [token, idToken, refreshToken, 'nonsense']) {
      const { status, headers, body } = await introspect(
        { token },
        { headers: { authorization: `Bearer ${bearer}` } },
      )
      expect([status, body['error']]).toEqual([401, 'invalid_token'])
      expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    }
  })

  test('403: with a key that lacks read:sessions', async () => {
    const { accessToken: token } = await given.tokens()
    const lacking = await keyed({ scopes: ['read:users', 'write:sessions'] })
    const bearer = await service.token({ scopes: ['read:users'] })

    for (const attempt of [
      introspect({ token, ...lacking }),
      introspect({ token }, { headers: { authorization: `Bearer ${bearer}` } }),
    ]) {
      const { status, body } = await attempt
      expect([status, body['error']]).toEqual([403, 'insufficient_scope'])
    }
  })

  test('400: without a token', async () => {
    for (const parameters of [key, { ...key, token: '' }]) {
      const { status, body } = await introspect(parameters)
      expect([status, body['error']]).toEqual([400, 'invalid_request'])
    }
  })
})

describe('of a token that is worth nothing only that is said', () => {
  test('every other token', async () => {
    const { scene, idToken, refreshToken } = await given.tokens()
    const sample = await client.tokenCustomization.sample({
      org_domain: scene.org_domain,
      user_id: scene.user.id,
    })
    const [handle = ''] = refreshToken.split('.')
    const others = [
      idToken,
      sample.access_token_jwt,
      sample.id_token_jwt,
      await service.token(),
      await codes.code(scene),
      key.client_secret,
      'nonsense',
      `${handle}.${'s'.repeat(43)}`,
    ]

    for (const token of others) expect((await introspect({ token, ...key })).text).toBe(inactive)
    // Introspection did not use the token, so there is no reuse.
    expect((await given.refresh(scene, refreshToken)).status).toBe(200)
  })

  test('a token that was signed in another way', async () => {
    const { accessToken, idToken } = await given.tokens()
    const forgeries = Object.entries(await forgeriesOf(service, accessToken))
    const own = [
      await resigned(service, idToken, { header: { typ: 'at+jwt' } }),
      await resigned(service, accessToken, { header: { typ: 'JWT' } }),
      await resigned(service, accessToken, { claims: { dbs: 'production' } }),
      await resigned(service, accessToken, { claims: { iss: service.baseUrl } }),
    ]

    for (const [what, token] of forgeries)
      expect([what, (await introspect({ token, ...key })).text]).toEqual([what, inactive])
    for (const token of own) expect((await introspect({ token, ...key })).text).toBe(inactive)
  })

  test('of another account, of the other environment, of an organization that the key may not see', async () => {
    const [scene, other] = [await codes.scene(), await codes.scene()]
    const { accessToken, refreshToken } = await given.tokens(scene)
    const account = await service.createAccount()
    const { id } = await client.organizations.get({ org_domain: other.org_domain })
    const { id: own } = await client.organizations.get({ org_domain: scene.org_domain })
    const blind = [
      await keyed({ account }),
      await keyed({ environment: 'production' }),
      await keyed({ organizationIds: [id] }),
    ]
    const seeing = await keyed({ organizationIds: [own] })

    for (const token of [accessToken, refreshToken]) {
      for (const credentials of blind)
        expect((await introspect({ token, ...credentials })).text).toBe(inactive)
      const elsewhere = { path: `/t/${other.org_domain}/oauth/introspect` }
      expect((await introspect({ token, ...key }, elsewhere)).text).toBe(inactive)
      expect((await introspect({ token, ...seeing })).body['active']).toBe(true)
    }
  })

  const ends: [string, (scene: Scene) => Promise<unknown>][] = [
    [
      'whose session was ended',
      ({ user }) => service.query('update sessions set ended_at = now() where user_id = $1', [user.id]),
    ],
    [
      'whose user was deactivated',
      ({ user }) => service.query('update users set active = false where id = $1', [user.id]),
    ],
    [
      'whose user was deleted',
      ({ user }) => service.query('update users set deleted_at = inserted_at where id = $1', [user.id]),
    ],
    [
      'whose application was deleted',
      ({ application }) =>
        service.query('update applications set deleted_at = inserted_at where id = $1', [application.id]),
    ],
    [
      'whose application was given to another organization',
      async ({ application }) => {
        const { id } = await service.given.organization()
        await service.query('update applications set organization_id = $1 where id = $2', [
          id,
          application.id,
        ])
      },
    ],
    [
      'whose organization was deleted',
      ({ org_domain }) =>
        service.query('update organizations set deleted_at = inserted_at where domain = $1', [org_domain]),
    ],
  ]
  test.each(ends)('a token %s', async (_, arrange) => {
    const { scene, accessToken, refreshToken } = await given.tokens()
    const told = () => Promise.all([accessToken, refreshToken].map((token) => introspect({ token, ...key })))
    expect((await told()).map(({ body }) => body['active'])).toEqual([true, true])

    await arrange(scene)

    expect((await told()).map(({ text }) => text)).toEqual([inactive, inactive])
  })

  test('a token that has expired, and a refresh token that was given back', async () => {
    const own = await startService()
    const ownCodes = codeGivenOf(own, await own.client())
    const scene = await ownCodes.scene()
    const tokens = await refreshGivenOf(own, ownCodes).tokens(scene)
    const credentials = await own.apiKey()
    const told = async (token: string) => {
      const { client_id, client_secret } = credentials
      const body = new URLSearchParams({ token, client_id, client_secret })
      return (await fetch(`${own.baseUrl}/oauth/introspect`, { method: 'POST', body })).text()
    }
    expect(await told(tokens.accessToken)).toContain('"active":true')

    await own.clock.advance(3601)
    expect(await told(tokens.accessToken)).toBe(inactive)
    expect(await told(tokens.refreshToken)).toContain('"active":true')
    await (
      await own.client()
    ).oauth.revoke({ token: tokens.refreshToken, client_id: scene.application.client_id })

    expect(await told(tokens.refreshToken)).toBe(inactive)
  })
})
