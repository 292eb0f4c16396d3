import { randomBytes } from 'node:crypto'
import { createVerifier } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService, type KeyRules } from '../given/harness.js'
import { codeGivenOf, exchange } from './code-given.js'
import { refreshGivenOf, refusedRefresh } from './refresh-given.js'
import { claimsOf } from '../given/claims.js'

const service = await startService()
const client = await service.client()
const codes = codeGivenOf(service, client)
const given = refreshGivenOf(service, codes)

describe('a refresh', () => {
  test('200: of a code with offline_access answers new tokens of the same sign-in, and another refresh token', async () => {
    const scene = await codes.scene()
    const first = await given.tokens(scene, { nonce: 'n-1', state: 's-1' })
    await service.clock.advance(120)

    const second = await given.refresh(scene, first.refreshToken)

    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body).toEqual({
      access_token: expect.any(String),
      id_token: expect.any(String),
      refresh_token: expect.stringMatching(/^[\w-]{22}\.[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid magic_link offline_access',
    })
    expect(second.refreshToken).not.toBe(first.refreshToken)
    const verifier = createVerifier({
      baseUrl: service.baseUrl,
      domain: scene.org_domain,
      audience: scene.application.client_id,
      environment: 'sandbox',
      now: () => service.clock.now().getTime(),
    })
    const claims = await verifier.verifyIdToken(second.idToken, { accessToken: second.accessToken })
    const before = claimsOf(first.idToken)
    const access = claimsOf(second.accessToken)
    // OpenID Connect Core section 12.2: claims of the same sign-in, and no nonce.
    for (const name of ['iss', 'sub', 'aud', 'auth_time', 'amr', 'acr', 'sid'])
      expect([name, claims[name as keyof typeof claims]]).toEqual([name, before[name]])
    for (const name of ['nonce', 'c_hash', 's_hash']) expect(claims).not.toHaveProperty(name)
    expect(Number(claims.iat) - Number(before['iat'])).toBeGreaterThanOrEqual(120)
    expect(access).toMatchObject({
      scp: ['magic_link', 'offline_access'],
      scope: 'magic_link offline_access',
      auth_time: before['auth_time'],
      acr: 'urn:portico:acr:1fa',
    })
    expect(await given.logged(scene.org_domain)).toContainEqual(['TOKEN_REFRESHED', null])
  })

  test('a code without offline_access has no refresh token', async () => {
    const scene = await codes.scene()

    const { body } = await given.tokens(scene, { scope: 'openid profile' })

    expect(body).toMatchObject({ scope: 'openid magic_link profile' })
    expect(body).not.toHaveProperty('refresh_token')
  })

  test('200: at the token endpoint of the organization, with a prefixed client_id, and in JSON', async () => {
    const { scene, refreshToken } = await given.tokens()
    const path = `/t/${scene.org_domain}/oauth/token`
    const client_id = `app_${scene.application.client_id}`

    const second = await given.refresh(scene, refreshToken, { client_id }, { path })
    const third = await fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'refresh_token', refresh_token: second.refreshToken, client_id }),
    })

    expect([second.status, third.status]).toEqual([200, 200])
  })

  test('200: tells what the user is now', async () => {
    const { scene, refreshToken } = await given.tokens()
    await client.users.update({
      org_domain: scene.org_domain,
      user_id: scene.user.id,
      email: 'new@awesome.example',
    })

    const { accessToken } = await given.refresh(scene, refreshToken)

    expect(claimsOf(accessToken)['email']).toBe('new@awesome.example')
  })

  longTest('200: goes on when the session is over, for thirty days, and tells until when', async () => {
    const own = await startService()
    const ownCodes = codeGivenOf(own, await own.client())
    const ownGiven = refreshGivenOf(own, ownCodes)
    const scene = await ownCodes.scene()
    const { refreshToken } = await ownGiven.tokens(scene)
    const [before] = await own.query<{ offline_until: Date; last_used_at: Date }>(
      'select offline_until, last_used_at from sessions',
    )
    const day = 24 * 60 * 60
    await own.clock.advance(29 * day)

    const late = await ownGiven.refresh(scene, refreshToken)
    const [after] = await own.query<{ offline_until: Date; last_used_at: Date }>(
      'select offline_until, last_used_at from sessions',
    )
    await own.clock.advance(day)
    const tooLate = await ownGiven.refresh(scene, late.refreshToken)

    expect([late.status, tooLate.status, tooLate.body]).toEqual([200, 400, refusedRefresh])
    expect(after?.offline_until).toEqual(before?.offline_until)
    expect(Number(after?.last_used_at) - Number(before?.last_used_at)).toBeGreaterThan(28 * day * 1000)
    expect((await ownGiven.logged(scene.org_domain))[0]).toEqual([
      'TOKEN_REFRESH_FAILED',
      'refresh_token_expired',
    ])
  })

  test('of fifty at the same time all get one successor, and it is good', async () => {
    const { scene, refreshToken } = await given.tokens()

    const answers = await Promise.all(Array.from({ length: 50 }, () => given.refresh(scene, refreshToken)))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const successors = new Set(answers.map((answer) => answer.refreshToken))
    expect(successors.size).toBe(1)
    const [next = ''] = successors
    expect((await given.refresh(scene, next)).status).toBe(200)
  })

  test('for half a minute the same token gets the same successor; after that it ends all of its family', async () => {
    const { scene, refreshToken } = await given.tokens()

    const second = await given.refresh(scene, refreshToken)
    await service.clock.advance(29)
    const again = await given.refresh(scene, refreshToken)
    await service.clock.advance(2)
    const late = await given.refresh(scene, refreshToken)
    const successor = await given.refresh(scene, second.refreshToken)

    expect([again.status, again.refreshToken]).toEqual([200, second.refreshToken])
    expect([late.status, late.body]).toEqual([400, refusedRefresh])
    expect([successor.status, successor.body]).toEqual([400, refusedRefresh])
    expect((await given.logged(scene.org_domain)).slice(0, 2)).toEqual([
      ['TOKEN_REFRESH_FAILED', 'family_ended'],
      ['REFRESH_TOKEN_REUSED', null],
    ])
  })

  test('a token whose successor was used ends the family also within the half minute', async () => {
    const { scene, refreshToken } = await given.tokens()
    const second = await given.refresh(scene, refreshToken)
    const third = await given.refresh(scene, second.refreshToken)

    const reused = await given.refresh(scene, refreshToken)
    const ended = await given.refresh(scene, third.refreshToken)

    expect([reused.body, ended.body]).toEqual([refusedRefresh, refusedRefresh])
  })

  test('a secret that somebody has made up for a family ends it', async () => {
    const { scene, refreshToken } = await given.tokens()
    const [handle = ''] = refreshToken.split('.')

    await given.refresh(scene, `${handle}.${randomBytes(32).toString('base64url')}`)

    expect((await given.refresh(scene, refreshToken)).body).toEqual(refusedRefresh)
  })

  test('the families of two sign-ins do not end each other', async () => {
    const scene = await codes.scene()
    const [one, other] = [await given.tokens(scene), await given.tokens(scene)]
    const { refreshToken } = await given.refresh(scene, one.refreshToken)
    await given.refresh(scene, refreshToken)

    await given.refresh(scene, one.refreshToken)

    expect((await given.refresh(scene, other.refreshToken)).status).toBe(200)
  })

  test('a code that comes again ends the refresh tokens that were made of it', async () => {
    const scene = await codes.scene()
    const code = await codes.code(scene, { scope: 'offline_access' })
    const first = await exchange(service, { code })
    await exchange(service, { code })

    const { body } = await given.refresh(scene, String(first.body['refresh_token']))

    expect(body).toEqual(refusedRefresh)
    expect((await given.logged(scene.org_domain))[0]).toEqual(['TOKEN_REFRESH_FAILED', 'session_ended'])
  })

  test('works at another process, also within the half minute', async () => {
    const other = await startService({
      databaseUrl: service.databaseUrl,
      variables: { BASE_URL: service.baseUrl },
    })
    const { scene, refreshToken } = await given.tokens()
    const there = async (token: string) => {
      const answer = await fetch(`http://localhost:${other.port}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: token,
          client_id: scene.application.client_id,
        }),
      })
      const body: Record<string, unknown> = await answer.json()
      return [answer.status, body['refresh_token']]
    }

    const [here, elsewhere] = await Promise.all([given.refresh(scene, refreshToken), there(refreshToken)])

    expect(elsewhere).toEqual([200, here.refreshToken])
    expect(await there(here.refreshToken)).toEqual([200, expect.any(String)])
  })

  test('survives a change of master keys; a repeated answer needs the one it was made under', async () => {
    const [earlier, later] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64'))
    const before = await startService({ variables: { MASTER_KEYS: `v1:${earlier}` } })
    const own = codeGivenOf(before, await before.client())
    const scene = await own.scene()
    const first = await refreshGivenOf(before, own).tokens(scene)
    const second = await refreshGivenOf(before, own).refresh(scene, first.refreshToken)
    const after = await startService({
      databaseUrl: before.databaseUrl,
      variables: { MASTER_KEYS: `v2:${later},v1:${earlier}` },
    })
    const then = refreshGivenOf(after, codeGivenOf(after, await after.client()))

    const repeated = await then.refresh(scene, first.refreshToken)
    const third = await then.refresh(scene, second.refreshToken)

    expect([repeated.status, repeated.refreshToken]).toEqual([200, second.refreshToken])
    expect(third.status).toBe(200)
  })
})

describe('scope of a refresh', () => {
  test('200: fewer scopes narrow the access token, and not what comes after it', async () => {
    const scene = await codes.scene()
    const { refreshToken } = await given.tokens(scene, { scope: 'openid profile email offline_access' })

    const narrow = await given.refresh(scene, refreshToken, { scope: 'profile' })
    const whole = await given.refresh(scene, narrow.refreshToken)

    expect([narrow.body['scope'], claimsOf(narrow.accessToken)['scp']]).toEqual([
      'openid profile',
      ['profile'],
    ])
    expect(whole.body['scope']).toBe('openid magic_link profile email offline_access')
  })

  test('400: more scopes than were granted, which leaves the token as it is', async () => {
    const { scene, refreshToken } = await given.tokens()

    const more = await given.refresh(scene, refreshToken, { scope: 'openid email' })

    expect([more.status, more.body['error']]).toEqual([400, 'invalid_scope'])
    expect((await given.refresh(scene, refreshToken)).status).toBe(200)
  })
})

describe('the refresh token of an application that demands an API key', () => {
  async function keyed(key: KeyRules = {}) {
    const { client_id, client_secret } = await service.apiKey({
      ...key,
    })
    return { client_id, client_secret }
  }

  async function backEnd() {
    const scene = await codes.scene({ code_exchange: 'api_key' })
    const key = await keyed()
    const code = await codes.code(scene, { scope: 'offline_access' })
    const { body } = await exchange(service, { code, ...key })
    return { scene, key, refreshToken: String(body['refresh_token']) }
  }

  test('200: with the key, in the form or by HTTP Basic', async () => {
    const { scene, key, refreshToken } = await backEnd()

    const second = await given.refresh(scene, refreshToken, key)
    const basic = Buffer.from(`${key.client_id}:${key.client_secret}`).toString('base64')
    const third = await exchange(
      service,
      { grant_type: 'refresh_token', refresh_token: second.refreshToken },
      { headers: { authorization: `Basic ${basic}` } },
    )

    expect([second.status, third.status]).toEqual([200, 200])
  })

  test('400: without the key, with another secret, and with a key that may not sign in', async () => {
    const { scene, key, refreshToken } = await backEnd()
    const account = await service.createAccount()
    const [organization] = [await service.given.organization()]
    const attempts: [string, Record<string, string>][] = [
      ['api_key_rejected', {}],
      ['insufficient_scope', await keyed({ scopes: ['read:users'] })],
      ['api_key_rejected', await keyed({ environment: 'production' })],
      ['api_key_rejected', await keyed({ account })],
      ['api_key_rejected', await keyed({ organizationIds: [organization.id] })],
    ]

    for (const [reason, parameters] of attempts) {
      expect((await given.refresh(scene, refreshToken, parameters)).body).toEqual(refusedRefresh)
      expect((await given.logged(scene.org_domain))[0]).toEqual(['TOKEN_REFRESH_FAILED', reason])
    }
    const another = { ...key, client_secret: (await keyed()).client_secret }
    expect((await given.refresh(scene, refreshToken, another)).status).toBe(401)
    expect((await given.refresh(scene, refreshToken, key)).status).toBe(200)
  })
})
