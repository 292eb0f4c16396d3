import type { Application } from '@portico/sdk'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService } from '../given/harness.js'
import { pkcePair } from '../given/visitor.js'
import { codeGivenOf, exchange, loggedReason, refusal, type Scene } from './code-given.js'
import { basicOf, confidentialGivenOf, longNonce, type SecretScene } from './confidential-given.js'
import { refreshGivenOf, refusedRefresh } from './refresh-given.js'

const service = await startService()
const client = await service.client()
const given = confidentialGivenOf(service, client)
const codes = codeGivenOf(service, client)
const refreshes = refreshGivenOf(service, codes)

const refusedClient = { error: 'invalid_client', error_description: expect.any(String) }

type How = Parameters<typeof exchange>[2]

/** Ways to authenticate that are not those of the application of a scene. */
async function otherWays(
  of: SecretScene,
): Promise<[string, { parameters?: Record<string, string>; how?: How }][]> {
  const { client_id, client_secret } = of.credentials
  const at = { org_domain: of.org_domain, client_id }
  const other = await given.withSecret()
  const deleted = await client.applicationSecrets.create(at)
  await client.applicationSecrets.delete({ ...at, secret_id: deleted.id })
  const soon = new Date(service.clock.now().getTime() + 1000).toISOString()
  const expired = await client.applicationSecrets.create({ ...at, expires_at: soon })
  await service.clock.advance(1)
  const production = await service.client({ environment: 'production' })
  const foreign = await service.createAccount()
  const posted = (secret: string) => ({ parameters: { client_id, client_secret: secret } })
  return [
    ['none, with client_id', { parameters: { client_id } }],
    ['an API key of the account', { parameters: { ...(await service.apiKey()) } }],
    ['the secret of another application', posted(other.credentials.client_secret)],
    ['the same by Basic', { how: { headers: basicOf(client_id, other.credentials.client_secret) } }],
    ['a secret of the other environment', posted(await secretOf(production, of.org_domain))],
    ['a secret of another account', posted(await secretOf(await service.client({ account: foreign })))],
    ['a deleted secret', posted(deleted.value ?? '')],
    ['an expired secret', posted(expired.value ?? '')],
    ['a secret with one character changed', posted(`${client_secret.slice(0, -1)}-`)],
  ]
}

async function secretOf(as: typeof client, org_domain?: string): Promise<string> {
  const place = org_domain ?? (await as.organizations.create({ name: `Other ${Math.random()}` })).domain
  const { client_id } = await service.given.application({ org_domain: place, application_type: 'node' }, as)
  return (await as.applicationSecrets.create({ org_domain: place, client_id })).value ?? ''
}

describe('a code of an application with a secret', () => {
  test('200: with it in the body, and by Basic, whose parts are form-encoded', async () => {
    const of = await given.withSecret()
    const { client_id, client_secret } = of.credentials

    const posted = await exchange(service, { code: await given.code(of), ...of.credentials })
    const headers = basicOf(client_id.replaceAll('-', '%2D'), client_secret)
    const basic = await exchange(service, { code: await given.code(of) }, { headers })
    const own = await exchange(
      service,
      { code: await given.code(of), ...of.credentials },
      { path: `/t/${of.org_domain}/oauth/token` },
    )

    expect([posted.status, basic.status, own.status]).toEqual([200, 200, 200])
  })

  test('200: with either of two secrets, until one is deleted', async () => {
    const of = await given.withSecret()
    const second = await given.secretOf(of)
    const at = { org_domain: of.org_domain, client_id: of.application.client_id }
    const client_secret = second

    expect(
      (await exchange(service, { code: await given.code(of), ...of.credentials, client_secret })).status,
    ).toBe(200)

    const [, first] = (await client.applicationSecrets.list(at)).data
    await client.applicationSecrets.delete({ ...at, secret_id: first?.id ?? '' })
    const code = await given.code(of)
    expect((await exchange(service, { code, ...of.credentials })).status).toBe(401)
    expect((await exchange(service, { code, ...of.credentials, client_secret })).status).toBe(200)
  })

  longTest('401: in every other way, and the code is not spent', async () => {
    const of = await given.withSecret()
    const code = await given.code(of)

    for (const [what, { parameters, how }] of await otherWays(of)) {
      const answer = await exchange(service, { code, ...parameters }, how)
      expect([what, answer.status, answer.body]).toEqual([what, 401, refusedClient])
    }
    expect((await exchange(service, { code })).body).toEqual(refusedClient)
    expect(await loggedReason(service, of.org_domain)).toBe('client_authentication_required')
    expect((await exchange(service, { code, ...of.credentials })).status).toBe(200)
  })

  test('401: a code that never was, and one that is spent, tell nothing without the secret', async () => {
    const of = await given.withSecret()
    const { client_id } = of.application
    const code = await given.code(of)
    const { body } = await exchange(service, { code, ...of.credentials })

    const unknown = await exchange(service, { code: 'unknown', client_id })
    const spent = await exchange(service, { code, client_id })
    const unnamed = await exchange(service, { code })

    expect([unknown.body, spent.body, unnamed.body]).toEqual([refusedClient, refusedClient, refusedClient])
    // Without the secret nobody ends what the code has become.
    const refresh_token = String(body['refresh_token'])
    const next = await exchange(service, { grant_type: 'refresh_token', refresh_token, ...of.credentials })
    expect(next.status).toBe(200)
  })

  test('400: of another application, with right credentials of one’s own', async () => {
    const [of, other] = [await given.withSecret(), await given.withSecret()]
    const open = await codes.scene()

    const code = await given.code(of)
    const stolen = await exchange(service, { code, ...other.credentials })
    const public_ = await exchange(service, { code: await codes.code(open), ...other.credentials })

    expect([stolen.text, public_.text]).toEqual([refusal, refusal])
    expect(await loggedReason(service, open.org_domain)).toBe('client_id_mismatch')
    expect(await loggedReason(service, of.org_domain)).toBe('client_id_mismatch')
    // Nor has it consumed the code.
    expect((await exchange(service, { code, ...of.credentials })).status).toBe(200)
  })

  test('401: a secret of an application that authenticates no more, or in another way', async () => {
    const of = await given.withSecret()
    const code = await given.code(of)
    const at = { org_domain: of.org_domain, client_id: of.application.client_id }
    await client.applications.update({ ...at, client_authentication: 'none' })

    const answer = await exchange(service, { code, ...of.credentials })

    expect(answer.body).toEqual(refusedClient)
    expect((await exchange(service, { code, client_id: at.client_id })).status).toBe(200)
    const { publicKey } = await generateKeyPair('ES256')
    const keys = [await exportJWK(publicKey)] as NonNullable<Application['jwks']>['keys']
    const other = await given.withSecret()
    const { client_id } = other.credentials
    const byKey = { client_authentication: 'private_key_jwt', jwks: { keys } } as const
    await client.applications.update({ org_domain: other.org_domain, client_id, ...byKey })
    expect((await exchange(service, { code: 'unknown', ...other.credentials })).body).toEqual(refusedClient)
  })

  test('400 invalid_request: both ways at once', async () => {
    const of = await given.withSecret()
    const { client_id, client_secret } = of.credentials
    const code = await given.code(of)
    const headers = basicOf(client_id, client_secret)

    const answer = await exchange(service, { code, ...of.credentials }, { headers })

    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
    expect((await exchange(service, { code, ...of.credentials })).status).toBe(200)
  })
})

test('400 invalid_request: a client_id in the body beside another one in the header; the same one is fine', async () => {
  const [of, other] = [await given.withSecret(), await given.withSecret()]
  const { client_id, client_secret } = of.credentials
  const headers = basicOf(client_id, client_secret)
  const code = await given.code(of)

  const refused = await exchange(service, { code, client_id: other.credentials.client_id }, { headers })
  const same = await exchange(service, { code, client_id: `app_${client_id.toUpperCase()}` }, { headers })

  expect([refused.status, refused.body.error, same.status]).toEqual([400, 'invalid_request', 200])
})

describe('refresh tokens of an application with a secret', () => {
  async function tokens(of: SecretScene) {
    const { body } = await exchange(service, { code: await given.code(of), ...of.credentials })
    return String(body['refresh_token'])
  }

  test('200: a token is repeatable until its successor is used, however late, and then ends the family', async () => {
    const of = await given.withSecret()
    const first = await tokens(of)
    const second = await refreshes.refresh(of, first, of.credentials)
    await service.clock.advance(3 * 24 * 60 * 60)

    const again = await Promise.all([1, 2, 3].map(() => refreshes.refresh(of, first, of.credentials)))
    const told = await client.oauth.introspect({ token: first, ...(await service.apiKey()) })
    const third = await refreshes.refresh(of, second.refreshToken, of.credentials)
    const reused = await refreshes.refresh(of, first, of.credentials)
    const ended = await refreshes.refresh(of, third.refreshToken, of.credentials)

    for (const { status, refreshToken } of again)
      expect([status, refreshToken]).toEqual([200, second.refreshToken])
    expect([told.active, third.status]).toEqual([true, 200])
    expect([reused.body, ended.body]).toEqual([refusedRefresh, refusedRefresh])
    expect((await refreshes.logged(of.org_domain)).slice(0, 2)).toEqual([
      ['TOKEN_REFRESH_FAILED', 'family_ended'],
      ['REFRESH_TOKEN_REUSED', null],
    ])
  })

  test('400: once the application authenticates no more, a token is repeatable for half a minute, as any other', async () => {
    const of = await given.withSecret()
    const { org_domain } = of
    const { client_id } = of.credentials
    const first = await tokens(of)
    await refreshes.refresh(of, first, of.credentials)
    await client.applications.update({ org_domain, client_id, client_authentication: 'none' })
    await service.clock.advance(31)

    expect((await refreshes.refresh(of, first)).body).toEqual(refusedRefresh)
    expect((await refreshes.logged(org_domain))[0]).toEqual(['REFRESH_TOKEN_REUSED', null])
  })

  longTest('401: without it the token stays good, and reuse of an older one ends nothing', async () => {
    const of = await given.withSecret()
    const first = await tokens(of)
    const { refreshToken } = await refreshes.refresh(of, first, of.credentials)
    const second = await refreshes.refresh(of, refreshToken, of.credentials)
    await service.clock.advance(31)

    for (const token of [first, second.refreshToken, 'unknown', `${'h'.repeat(22)}.${'s'.repeat(43)}`]) {
      const answer = await refreshes.refresh(of, token)
      expect([answer.status, answer.body]).toEqual([401, refusedClient])
    }
    for (const [what, { parameters = {}, how }] of await otherWays(of)) {
      const answer = await refreshes.refresh(of, second.refreshToken, parameters, how)
      expect([what, answer.status, answer.body]).toEqual([what, 401, refusedClient])
    }
    expect((await refreshes.refresh(of, second.refreshToken, of.credentials)).status).toBe(200)
    expect((await refreshes.refresh(of, first, of.credentials)).body).toEqual(refusedRefresh)
  })

  test('400: of another application, with right credentials of one’s own, which ends nothing either', async () => {
    const [of, other] = [await given.withSecret(), await given.withSecret()]
    const token = await tokens(of)
    const { refreshToken } = await refreshes.refresh(of, token, of.credentials)
    const second = await refreshes.refresh(of, refreshToken, of.credentials)
    await service.clock.advance(31)

    expect((await refreshes.refresh(of, second.refreshToken, other.credentials)).body).toEqual(refusedRefresh)
    expect((await refreshes.refresh(of, token, other.credentials)).body).toEqual(refusedRefresh)
    expect((await refreshes.refresh(of, second.refreshToken, of.credentials)).status).toBe(200)
  })

  test('401: a revocation without the secret, and with it the family ends', async () => {
    const of = await given.withSecret()
    const token = await tokens(of)
    const revoke = (parameters: Record<string, string>) =>
      exchange(service, { token, ...parameters }, { path: '/oauth/revoke' })
    const { client_id } = of.credentials

    const without = await revoke({ client_id })
    const unknown = await revoke({ client_id, token: 'unknown' })
    const byKey = await revoke({ ...(await service.apiKey()) })
    const foreign = await revoke({ ...(await given.withSecret()).credentials })

    expect([without.status, unknown.status, byKey.status, foreign.status]).toEqual([401, 401, 200, 200])
    expect((await refreshes.refresh(of, token, of.credentials)).status).toBe(200)
    expect((await revoke(of.credentials)).status).toBe(200)
    expect((await refreshes.refresh(of, token, of.credentials)).body).toEqual(refusedRefresh)
  })
})

describe('what binds a code of an application that authenticates', () => {
  const { verifier, challenge: code_challenge } = pkcePair()

  async function exchanged(of: SecretScene, members: Parameters<typeof given.code>[1], more = {}) {
    const code = await codes.code(of, members)
    return exchange(service, { code, ...of.credentials, ...more })
  }

  test('or_nonce: a challenge with its verifier, or a nonce of 16 characters', async () => {
    const of = await given.withSecret()

    const statuses = [
      (await exchanged(of, { nonce: longNonce })).status,
      (await exchanged(of, { code_challenge }, { code_verifier: verifier })).status,
      (await exchanged(of, { code_challenge, nonce: longNonce })).status,
      // The challenge was stripped from the request.
      (await exchanged(of, { nonce: longNonce }, { code_verifier: verifier })).status,
    ]

    expect(statuses).toEqual([200, 200, 400, 400])
  })

  test.each([
    ['or_nonce', { nonce: 'n-0123456789abc' }],
    ['or_nonce', {}],
    ['required', { nonce: longNonce }],
  ] as const)('%s: a sign-in with %j is refused, before it and at the exchange', async (pkce, members) => {
    const of = await given.withSecret({ pkce: 'optional' })
    const at = { org_domain: of.org_domain, client_id: of.application.client_id }
    const code = await codes.code(of, members)
    await client.applications.update({ ...at, pkce })

    await expect(codes.code(of, members)).rejects.toMatchObject({
      status: 422,
      fields: [{ path: 'code_challenge', code: 'required' }],
    })
    expect((await exchange(service, { code, ...of.credentials })).text).toBe(refusal)
    expect(await loggedReason(service, of.org_domain)).toBe('code_challenge_required')
  })

  test('optional: neither, but a challenge still demands its verifier', async () => {
    const of = await given.withSecret({ pkce: 'optional' })

    expect((await exchanged(of, {})).status).toBe(200)
    expect((await exchanged(of, { code_challenge })).status).toBe(400)
  })
})

test('401: introspection is not for applications', async () => {
  const of: Scene & Pick<SecretScene, 'credentials'> = await given.withSecret()

  const answer = await exchange(service, { token: 'x', ...of.credentials }, { path: '/oauth/introspect' })

  expect(answer.body).toEqual(refusedClient)
})
