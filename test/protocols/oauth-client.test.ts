import { createHash, randomBytes } from 'node:crypto'
import { rotateApiKey } from '@portico/server/api-keys'
import { describe, expect, test } from 'vitest'
import { startService, type KeyRules } from '../given/harness.js'
import { codeGivenOf, exchange, loggedReason, refusal } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = codeGivenOf(service, client)

describe('PKCE', () => {
  const verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')

  test('200: the verifier of the challenge', async () => {
    const code = await given.code(await given.scene(), { code_challenge, code_challenge_method: 'S256' })

    expect((await exchange(service, { code, code_verifier: verifier })).status).toBe(200)
  })

  test.each([
    ['another verifier', { code_verifier: 'v'.repeat(43) }],
    ['the challenge in its place', { code_verifier: code_challenge }],
    ['no verifier', {}],
  ])('400: %s, and the right one is too late then', async (_, wrong) => {
    const scene = await given.scene()
    const code = await given.code(scene, { code_challenge })

    const attempt = await exchange(service, { code, ...wrong })
    const late = await exchange(service, { code, code_verifier: verifier })

    expect([attempt.text, late.text]).toEqual([refusal, refusal])
  })

  test('400: a code without a challenge, once its application demands one', async () => {
    const scene = await given.scene()
    const code = await given.code(scene)
    await client.applications.update({
      org_domain: scene.org_domain,
      client_id: scene.application.client_id,
      code_exchange: 'pkce',
    })

    expect((await exchange(service, { code })).text).toBe(refusal)
    expect(await loggedReason(service, scene.org_domain)).toBeDefined()
  })
})

describe('an application whose codes need an API key', () => {
  async function givenKey(rules: KeyRules = {}) {
    return service.apiKey({
      name: 'exchange',
      ...rules,
    })
  }

  test('200: with one of its account and environment, in the body or by HTTP Basic', async () => {
    const scene = await given.scene({ code_exchange: 'api_key' })
    const key = await givenKey()
    const basic = Buffer.from(`${key.client_id}:${key.client_secret}`).toString('base64')

    const inBody = await exchange(service, { code: await given.code(scene), ...key })
    const inHeader = await exchange(
      service,
      { code: await given.code(scene) },
      { headers: { authorization: `Basic ${basic}` } },
    )

    expect([inBody.status, inHeader.status]).toEqual([200, 200])
  })

  test('200: with the secret before the last rotation until the overlap ends', async () => {
    const scene = await given.scene({ code_exchange: 'api_key' })
    const key = await givenKey()
    const cause = { requestId: 'test', actor: { type: 'operator', id: 'test' }, params: () => ({}) } as const
    await rotateApiKey(service.deps, key.client_id.toUpperCase(), { overlapMs: 3_600_000 }, cause)

    expect((await exchange(service, { code: await given.code(scene), ...key })).status).toBe(200)

    await rotateApiKey(service.deps, key.client_id, { overlapMs: 0 }, cause)

    const late = await exchange(service, { code: await given.code(scene), ...key })
    expect([late.status, late.body.error]).toEqual([401, 'invalid_client'])
  })

  test('400: with one that may read users and not make links; another application takes it', async () => {
    const demanding = await given.scene({ code_exchange: 'api_key' })
    const open = await given.scene()
    const key = await givenKey({ scopes: ['read:users'] })
    const wide = await givenKey({ scopes: ['write:magic_links'] })

    const attempt = await exchange(service, { code: await given.code(demanding), ...key })
    const reason = await loggedReason(service, demanding.org_domain)
    const allowed = await exchange(service, { code: await given.code(demanding), ...wide })
    const atOpen = await exchange(service, { code: await given.code(open), ...key })

    expect([attempt.status, attempt.text, reason]).toEqual([400, refusal, 'insufficient_scope'])
    expect([allowed.status, atOpen.status]).toEqual([200, 200])
  })

  test('400: without one, and with one of another environment, account or organization', async () => {
    const scene = await given.scene({ code_exchange: 'api_key' })
    const other = await service.createAccount()
    const elsewhere = await service.query<{ id: string }>('select id from organizations where domain = $1', [
      (await service.given.organization()).domain,
    ])
    const keys: Record<string, string>[] = [
      {},
      { client_id: scene.application.client_id },
      { ...(await givenKey({ environment: 'production' })) },
      { ...(await givenKey({ account: other })) },
      { ...(await givenKey({ organizationIds: elsewhere.map(({ id }) => id) })) },
    ]

    for (const key of keys) {
      expect((await exchange(service, { code: await given.code(scene), ...key })).text).toBe(refusal)
      expect(await loggedReason(service, scene.org_domain)).toMatch(/^(api_key_rejected|client_id_mismatch)$/)
    }
  })
})

describe('the client-credentials grant', () => {
  test('401: another secret, one that is none and an unknown key get one answer', async () => {
    const key = await service.apiKey()
    const other = await service.apiKey()
    const wrong = [
      { ...key, client_secret: other.client_secret },
      { ...key, client_secret: `${key.client_secret}0` },
      { ...key, client_secret: 'x' },
      { ...key, client_id: 'x' },
      { ...key, client_id: service.account.id },
    ]

    const answers = await Promise.all(
      wrong.map((credentials) =>
        exchange(service, {
          ...credentials,
          grant_type: 'client_credentials',
          domain: service.account.domain,
        }),
      ),
    )

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([
        `401 ${JSON.stringify({
          error: 'invalid_client',
          error_description: 'client_id, client_secret and domain do not name an API key.',
        })}`,
      ]),
    )
  })
})

describe('from a browser', () => {
  test('200: an origin of the application is let in, and may read the answer', async () => {
    const scene = await given.scene({ allowed_origins_cors: ['https://shop.example'] })

    const { status, headers } = await exchange(
      service,
      { code: await given.code(scene) },
      { headers: { origin: 'https://shop.example' } },
    )

    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  test.each([
    ['/oauth/token', 'POST'],
    ['/t/acme/oauth/token', 'POST'],
    ['/t/acme/.well-known/openid-configuration', 'GET'],
    ['/t/acme/.well-known/jwks.json', 'GET'],
  ])('the preflight of %s is answered', async (path, method) => {
    const answer = await fetch(`${service.baseUrl}${path}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': method },
    })

    expect(answer.status).toBe(204)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': method,
    })
  })

  test('the API itself and its token endpoint are not for browsers', async () => {
    for (const path of ['/api/v2/oauth/token', '/api/v2/organizations']) {
      const answer = await fetch(`${service.baseUrl}${path}`, {
        method: 'OPTIONS',
        headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
      })
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})
