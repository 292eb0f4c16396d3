import * as openid from 'openid-client'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService } from '../given/harness.js'
import { untilWaiting } from '../given/waiting.js'
import { codeGivenOf, type Scene } from './code-given.js'
import { forgeriesOf, resigned } from './forged-tokens.js'
import { refreshGivenOf } from './refresh-given.js'

const service = await startService()
const client = await service.client()
const codes = codeGivenOf(service, client)
const given = refreshGivenOf(service, codes)

const allScopes = 'openid profile email phone address offline_access'

async function ask(
  org_domain: string,
  token: string | undefined,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) {
  const answer = await fetch(`${service.baseUrl}/t/${org_domain}/userinfo`, {
    method,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
  })
  const body: Record<string, unknown> = await answer.json()
  return { status: answer.status, headers: answer.headers, body }
}

async function known(scene: Scene) {
  const { org_domain, user } = scene
  await client.users.update({
    org_domain,
    user_id: user.id,
    phone_number: '+33612345678',
    profile: { given_name: 'Ada', family_name: 'Lovelace', locale: 'en-GB', birthdate: '1815-12-10' },
    address: { locality: 'Lyon', country: 'France' },
  })
  return scene
}

describe('UserInfo (OpenID Connect Core section 5.3)', () => {
  test('200: tells what the scopes of the token let know, and sub always, by GET and by POST', async () => {
    const scene = await known(await codes.scene())
    const { accessToken } = await given.tokens(scene, { scope: allScopes })
    const whole = {
      sub: scene.user.id,
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
      locale: 'en-GB',
      birthdate: '1815-12-10',
      updated_at: expect.any(Number),
      email: scene.user.email,
      email_verified: true,
      phone_number: '+33612345678',
      phone_number_verified: false,
      address: { locality: 'Lyon', country: 'France' },
    }

    for (const method of ['GET', 'POST']) {
      const answer = await ask(scene.org_domain, accessToken, { method })
      expect([answer.status, answer.body]).toEqual([200, whole])
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('content-type')).toContain('application/json')
    }
  })

  test.each([
    ['openid', ['sub']],
    ['email', ['sub', 'email', 'email_verified']],
    ['phone', ['sub', 'phone_number', 'phone_number_verified']],
    ['address', ['sub', 'address']],
    ['organization', ['sub', 'organization']],
  ])('200: with %s alone it tells no more than that', async (scope, names) => {
    const scene = await known(await codes.scene())
    const { accessToken } = await given.tokens(scene, { scope })

    const { body } = await ask(scene.org_domain, accessToken)

    expect(Object.keys(body).sort()).toEqual([...names].sort())
  })

  test('200: with organization it tells what the organization is called now', async () => {
    const scene = await codes.scene()
    const { org_domain } = scene
    const { accessToken } = await given.tokens(scene, { scope: 'openid organization' })
    const logos = ['https://awesome.example/icon.png', 'https://awesome.example/inline.png']
    const told = async (members: object) => {
      await client.organizations.update({ org_domain, ...members })
      return (await ask(org_domain, accessToken)).body['organization']
    }

    expect(await told({ name: 'New Name', icon_logo_url: null, inline_logo_url: null })).toEqual({
      domain: org_domain,
      name: 'New Name',
      logo_url: null,
    })
    expect(await told({ inline_logo_url: logos[1] })).toMatchObject({ logo_url: logos[1] })
    expect(await told({ icon_logo_url: logos[0] })).toMatchObject({ logo_url: logos[0] })
  })

  test('200: with a refresh that narrows the scope it tells less', async () => {
    const scene = await known(await codes.scene())
    const { refreshToken } = await given.tokens(scene, { scope: allScopes })
    const { accessToken } = await given.refresh(scene, refreshToken, { scope: 'openid email' })

    const { body } = await ask(scene.org_domain, accessToken)

    expect(Object.keys(body).sort()).toEqual(['email', 'email_verified', 'sub'])
  })

  test('200: by a library of others, which compares sub with the ID token', async () => {
    const scene = await codes.scene()
    const { accessToken } = await given.tokens(scene, { scope: 'openid email' })
    const configuration = await openid.discovery(
      new URL(`${service.baseUrl}/t/${scene.org_domain}`),
      scene.application.client_id,
      undefined,
      openid.None(),
      { execute: [openid.allowInsecureRequests] },
    )

    const claims = await openid.fetchUserInfo(configuration, accessToken, scene.user.id)

    expect(claims.email).toBe(scene.user.email)
  })

  test('pages may ask: any origin, with the header Authorization, and never with cookies', async () => {
    const scene = await codes.scene()
    const headers = {
      origin: 'https://store.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    const answer = await fetch(`${service.baseUrl}/t/${scene.org_domain}/userinfo`, {
      method: 'OPTIONS',
      headers,
    })

    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST')
    expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })
})

describe('the access token of a POST to UserInfo (RFC 6750 section 2)', () => {
  const form = 'application/x-www-form-urlencoded'
  const url = (scene: Scene, query = '') => `${service.baseUrl}/t/${scene.org_domain}/userinfo${query}`

  async function post(scene: Scene, init: RequestInit, query = '') {
    const answer = await fetch(url(scene, query), { method: 'POST', ...init })
    const body: Record<string, unknown> = await answer.json()
    return { status: answer.status, challenge: answer.headers.get('www-authenticate'), body }
  }

  test('200: in a form, whatever other members and parameters there are', async () => {
    const { scene, accessToken } = await given.tokens()
    const { 'content-type': type, ...header } = {
      'content-type': form,
      authorization: `Bearer ${accessToken}`,
    }
    const others = 'client_id=x&client_id=y&schema=openid&a[b]=c'
    const told = { sub: scene.user.id }

    for (const [init, query] of [
      [{ body: new URLSearchParams({ access_token: accessToken }) }],
      [
        {
          body: `${others}&access_token=${accessToken}`,
          headers: { 'content-type': `${type};charset=UTF-8` },
        },
      ],
      [{ body: `access_token=${accessToken}`, headers: { 'content-type': type } }, '?access_token=x&a=1&a=2'],
      [{ headers: header }],
      [{ body: '', headers: { ...header, 'content-type': type } }],
      [{ body: `${others}&access_token=`, headers: { ...header, 'content-type': type } }, '?schema=openid'],
    ] satisfies [RequestInit, string?][])
      expect(await post(scene, init, query)).toEqual({ status: 200, challenge: null, body: told })
  })

  test('401: without one there is no error to tell, and a token in the query is none', async () => {
    const { scene, accessToken } = await given.tokens()

    for (const [body, query] of [
      [null],
      [''],
      ['schema=openid'],
      ['access_token='],
      [null, `?access_token=${accessToken}`],
      ['schema=openid', `?access_token=${accessToken}`],
    ] satisfies [string | null, string?][]) {
      const answer = await post(scene, { body, headers: { 'content-type': form } }, query)
      expect([body, answer.status, answer.challenge]).toEqual([body, 401, 'Bearer'])
    }
  })

  test('401: a wrong one is told to be wrong, as in the header', async () => {
    const { scene, idToken } = await given.tokens()

    for (const access_token of [idToken, 'nonsense', '\0', '\ud800'])
      expect(await post(scene, { body: new URLSearchParams({ access_token }) })).toMatchObject({
        status: 401,
        challenge: 'Bearer error="invalid_token"',
      })
  })

  test('400: one in the header and one in the form, one that is there twice, and every body that is no form', async () => {
    const { scene, accessToken } = await given.tokens()
    const authorization = `Bearer ${accessToken}`
    const json = JSON.stringify({ access_token: accessToken })
    const bodies: [body: string, type: string][] = [
      [`access_token=${accessToken}`, form],
      [`access_token=${accessToken}&access_token=${accessToken}`, form],
      [`access_token[a]=${accessToken}`, form],
      [json, form],
      [json, 'application/json'],
      ['{}', 'application/json'],
      [`access_token=${accessToken}`, 'text/plain'],
      ['--b--', 'multipart/form-data; boundary=b'],
      ['x', 'nonsense'],
    ]

    for (const [index, [body, type]] of bodies.entries()) {
      const headers = { 'content-type': type, ...(index === 0 && { authorization }) }
      expect([body, type, await post(scene, { body, headers })]).toEqual([
        body,
        type,
        {
          status: 400,
          challenge: 'Bearer error="invalid_request"',
          body: { error: 'invalid_request', error_description: expect.any(String) },
        },
      ])
    }
  })

  test('413: a form of more than 100 kB; 415: one in a charset that nobody reads', async () => {
    const { scene } = await given.tokens()
    const large = new URLSearchParams({ a: 'x'.repeat(110_000) })
    const headers = { 'content-type': `${form}; charset=nonsense` }

    expect((await post(scene, { body: large })).status).toBe(413)
    expect((await post(scene, { body: 'a=1', headers })).status).toBe(415)
  })
})

describe('UserInfo refuses', () => {
  async function expectRefused(org_domain: string, token: string, what: string) {
    const { status, headers, body } = await ask(org_domain, token)
    expect([what, status, headers.get('www-authenticate')]).toEqual([
      what,
      401,
      'Bearer error="invalid_token"',
    ])
    expect(body).toMatchObject({ error: { code: 'invalid_token' } })
  }

  test('401: a request without a token is told how to send one, and of no error (RFC 6750 section 3.1)', async () => {
    const { org_domain } = await codes.scene()

    const { status, headers } = await ask(org_domain, undefined)

    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  test('401: every other token, and every other form', async () => {
    const scene = await codes.scene()
    const tokens = await given.tokens(scene)
    const sample = await client.tokenCustomization.sample({
      org_domain: scene.org_domain,
      user_id: scene.user.id,
    })
    const others = {
      'an ID token': tokens.idToken,
      'a refresh token': tokens.refreshToken,
      'an API token': await service.token(),
      'a code': await codes.code(scene),
      'a sample': sample.access_token_jwt,
      'a sample of an ID token': sample.id_token_jwt,
      nonsense: 'nonsense',
      'one and a half': `${tokens.accessToken}.x`,
    }

    for (const [what, token] of Object.entries(others)) await expectRefused(scene.org_domain, token, what)
    const basic = await ask(scene.org_domain, undefined, {
      headers: { authorization: `Basic ${tokens.accessToken}` },
    })
    expect(basic.status).toBe(401)
  })

  test('401: a token that was signed in another way', async () => {
    const { scene, accessToken } = await given.tokens()

    for (const [what, token] of Object.entries(await forgeriesOf(service, accessToken)))
      await expectRefused(scene.org_domain, token, what)
  })

  test('401: what the service itself has signed, and is not an access token of this organization and environment', async () => {
    const { scene, accessToken, idToken } = await given.tokens()
    const { signed } = { signed: (token: string, parts: object) => resigned(service, token, parts) }
    const others = {
      'an ID token that calls itself an access token': await signed(idToken, { header: { typ: 'at+jwt' } }),
      'an access token that calls itself an ID token': await signed(accessToken, { header: { typ: 'JWT' } }),
      'of another use': await signed(accessToken, { claims: { jtt: 'id_token' } }),
      'of the other environment': await signed(accessToken, { claims: { dbs: 'production' } }),
      'of no environment': await signed(accessToken, { claims: { dbs: undefined } }),
      'of another issuer': await signed(accessToken, { claims: { iss: `${service.baseUrl}/t/another` } }),
      'without an end': await signed(accessToken, { claims: { exp: undefined } }),
      'of a session that there is not': await signed(accessToken, {
        claims: { sid: '0190c8c2-8b9c-7dae-9f10-2b3c4d5e6f70' },
      }),
      'of another user': await signed(accessToken, {
        claims: { sub: '0190c8c2-8b9c-7dae-9f10-2b3c4d5e6f70' },
      }),
    }

    for (const [what, token] of Object.entries(others)) await expectRefused(scene.org_domain, token, what)
    expect((await ask(scene.org_domain, await signed(accessToken, {}))).status).toBe(200)
  })

  test('401: a token of another organization, of another account, and of production’s key', async () => {
    const [ours, theirs] = [await codes.scene(), await codes.scene()]
    const { accessToken } = await given.tokens(theirs)
    const account = await service.createAccount()
    const foreign = await service.client({ account })
    const { domain: org_domain } = await foreign.organizations.create({ name: 'Foreign' })

    await expectRefused(ours.org_domain, accessToken, 'another organization')
    await expectRefused(org_domain, accessToken, 'another account')
  })

  longTest('401: once it has expired', async () => {
    const own = await startService()
    const ownCodes = codeGivenOf(own, await own.client())
    const scene = await ownCodes.scene()
    const { accessToken } = await refreshGivenOf(own, ownCodes).tokens(scene)
    const askOwn = () =>
      fetch(`${own.baseUrl}/t/${scene.org_domain}/userinfo`, {
        headers: { authorization: `Bearer ${accessToken}` },
      })

    await own.clock.advance(3590)
    expect((await askOwn()).status).toBe(200)
    await own.clock.advance(11)
    expect((await askOwn()).status).toBe(401)
  })

  const ends: [string, (scene: Scene) => Promise<unknown>][] = [
    [
      'its session was ended',
      ({ user }) => service.query('update sessions set ended_at = now() where user_id = $1', [user.id]),
    ],
    [
      'its user is inactive',
      ({ user }) => service.query('update users set active = false where id = $1', [user.id]),
    ],
    [
      'its user was deleted',
      ({ user }) => service.query('update users set deleted_at = inserted_at where id = $1', [user.id]),
    ],
    [
      'its application was deleted',
      ({ application }) =>
        service.query('update applications set deleted_at = inserted_at where id = $1', [application.id]),
    ],
  ]
  test.each(ends)('401: when %s', async (what, arrange) => {
    const { scene, accessToken } = await given.tokens()
    expect((await ask(scene.org_domain, accessToken)).status).toBe(200)
    await arrange(scene)

    await expectRefused(scene.org_domain, accessToken, what)
  })

  test('401: where the organization is deleted while its user is read', async () => {
    const scene = await codes.scene()
    const { accessToken } = await given.tokens(scene)
    const holder = new pg.Client({ connectionString: service.databaseUrl })
    await holder.connect()
    // Of what the request reads, only the user's record has the identities.
    await holder.query('begin; lock table user_identities in access exclusive mode')
    const refused = expectRefused(scene.org_domain, accessToken, 'a deleted organization')
    await untilWaiting(service, 1)
    await holder.query('update organizations set deleted_at = inserted_at where domain = $1', [
      scene.org_domain,
    ])
    await holder.query('commit')
    await holder.end()

    await refused
  })

  test('401: at an organization that is not there', async () => {
    const { scene, accessToken } = await given.tokens()
    await client.organizations.delete({ org_domain: scene.org_domain })

    for (const domain of [scene.org_domain, 'no-such-organization'])
      await expectRefused(domain, accessToken, domain)
  })
})
