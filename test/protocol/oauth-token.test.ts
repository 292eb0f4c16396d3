import { createHash, randomBytes } from 'node:crypto'
import { createVerifier, openMagicLink, type Application, type Client, type User } from '@portico/sdk'
import { createApiKey, rotateApiKey } from '@portico/server/api-keys'
import { beforeAll, describe, expect, test } from 'vitest'
import { startService, type Service } from '../harness.js'

const callback = 'https://store.example/callback'

let service: Service
let client: Client

beforeAll(async () => {
  service = await startService()
  client = await service.client()
})

/** An organization with one application and one user, whom nothing keeps from signing in. */
interface Scene {
  readonly org_domain: string
  readonly application: Application
  readonly user: User
}

async function givenScene(
  members: Partial<Parameters<Service['given']['application']>[0]> = {},
): Promise<Scene> {
  const { domain: org_domain } = await service.given.organization()
  const application = await service.given.application({
    org_domain,
    organization_domain_scope: org_domain,
    allowed_redirect_urls: [callback],
    ...members,
  })
  const user = await service.given.user({ org_domain })
  return { org_domain, application, user }
}

type ChallengeInput = Partial<Parameters<Client['magicLink']['createChallenge']>[0]>

async function givenCode({ org_domain, user }: Scene, members: ChallengeInput = {}): Promise<string> {
  const { magic_link: link } = await client.magicLink.createChallenge({
    org_domain,
    user_email: user.email,
    send_email: false,
    ...members,
  })
  return (await openMagicLink(link ?? '')).code
}

interface Tokens {
  readonly access_token: string
  readonly id_token: string
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Record<string, unknown> & Partial<Tokens>
}

async function exchange(
  parameters: Record<string, string>,
  { path = '/oauth/token', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ grant_type: 'authorization_code', ...parameters }),
  })
  const text = await answer.text()
  const body: Answer['body'] = JSON.parse(text)
  return { status: answer.status, headers: answer.headers, text, body }
}

function claimsOf(token: string | undefined): Record<string, unknown> {
  const claims: Record<string, unknown> = JSON.parse(
    Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString(),
  )
  return claims
}

const refusal = JSON.stringify({
  error: 'invalid_grant',
  error_description: 'The code is not one that can be exchanged.',
})

async function loggedReason(org_domain: string): Promise<unknown> {
  const rows = await service.query<{ reason: string }>(
    `select reason from log_events where domain = $1 and event_code = 'TOKEN_EXCHANGE_FAILED' order by id desc`,
    [org_domain],
  )
  return rows[0]?.reason
}

async function isSessionLive(userId: string): Promise<boolean> {
  const rows = await service.query('select 1 from sessions where user_id = $1 and ended_at is null', [userId])
  return rows.length > 0
}

describe('the exchange of a code', () => {
  test('200: a form with the code and the grant type is all it takes', async () => {
    const scene = await givenScene()
    const code = await givenCode(scene, { nonce: 'n-1', state: 's-1' })

    const { status, headers, body } = await exchange({ code })

    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      access_token: expect.any(String),
      id_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid magic_link',
    })
    const verifier = createVerifier({
      baseUrl: service.baseUrl,
      domain: scene.org_domain,
      audience: scene.application.client_id,
      environment: 'sandbox',
    })
    expect(await verifier.verifyAccessToken(body.access_token ?? '')).toMatchObject({
      sub: scene.user.id,
      scp: ['magic_link'],
      email: scene.user.email,
    })
    const claims = await verifier.verifyIdToken(body.id_token ?? '', {
      nonce: 'n-1',
      code,
      accessToken: body.access_token,
    })
    expect(claims).toMatchObject({ sub: scene.user.id, amr: ['email'], email_verified: true })
    expect(claims).toHaveProperty('s_hash', halfHash('s-1'))
  })

  test('200: JSON does as well, and the token endpoint of the organization', async () => {
    const scene = await givenScene()
    const code = await givenCode(scene)

    const answer = await fetch(`${service.baseUrl}/t/${scene.org_domain}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'authorization_code', code }),
    })

    expect(answer.status).toBe(200)
  })

  test('200: offline_access is not granted, and the answer says so', async () => {
    const scene = await givenScene()

    const { body } = await exchange({ code: await givenCode(scene, { scope: 'openid offline_access' }) })

    expect(body).toMatchObject({ scope: 'openid magic_link' })
    expect(body).not.toHaveProperty('refresh_token')
  })

  test('200: the application decides the lifetime and the algorithm, whose first key is made when it is needed', async () => {
    const scene = await givenScene({ access_token_lifetime_in_seconds: 300, token_signing_alg: 'RS256' })

    const { body } = await exchange({ code: await givenCode(scene) })

    const { iat, exp } = claimsOf(body.access_token)
    expect([body.expires_in, Number(exp) - Number(iat)]).toEqual([300, 300])
    expect(JSON.parse(Buffer.from(body.id_token?.split('.')[0] ?? '', 'base64url').toString())).toMatchObject(
      {
        alg: 'RS256',
        typ: 'JWT',
      },
    )
  })

  test('200: redirect_uri and client_id, the prefixed form too, where they are the right ones', async () => {
    const scene = await givenScene()
    const { client_id } = scene.application

    const plain = await exchange({ code: await givenCode(scene), redirect_uri: callback, client_id })
    const prefixed = await exchange({ code: await givenCode(scene), client_id: `app_${client_id}` })

    expect([plain.status, prefixed.status]).toEqual([200, 200])
  })

  test('of a hundred at the same time one succeeds, and the session ends: somebody else has the code', async () => {
    const scene = await givenScene()
    const code = await givenCode(scene)

    const answers = await Promise.all(Array.from({ length: 100 }, () => exchange({ code })))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ text }) => text))).toEqual(
      new Set([refusal]),
    )
    expect(await isSessionLive(scene.user.id)).toBe(false)
    expect(await loggedReason(scene.org_domain)).toBe('code_used')
  })

  test('400: a code from a page is good for a minute', async () => {
    const own = await startService()
    const { domain: org_domain } = await own.given.organization()
    await own.given.application({ org_domain })
    const user = await own.given.user({ org_domain })
    const key = await own.client()
    const { magic_link: link } = await key.magicLink.createChallenge({
      org_domain,
      user_email: user.email,
      send_email: false,
    })
    const { code } = await openMagicLink(link ?? '')

    own.clock.advance(61)

    const attempt = key.oauth.token({ grant_type: 'authorization_code', code })
    await expect(attempt).rejects.toMatchObject({ status: 400, code: 'invalid_grant' })
  })

  test('400: a request without a code, or with a grant type that there is not', async () => {
    const noCode = await exchange({})
    const other = await exchange({ grant_type: 'password' })
    const atOrganization = await exchange(
      { grant_type: 'client_credentials' },
      { path: '/t/acme/oauth/token' },
    )

    expect([noCode.body.error, other.body.error, atOrganization.body.error]).toEqual([
      'invalid_request',
      'unsupported_grant_type',
      'unsupported_grant_type',
    ])
  })

  test('200: the same address takes the client-credentials grant', async () => {
    const account = service.account
    const key = await createApiKey(service.deps, service.deps.db, {
      accountId: account.id,
      environment: 'sandbox',
      name: 'test',
    })

    const { status, body } = await exchange({
      ...key,
      grant_type: 'client_credentials',
      domain: account.domain,
    })

    expect([status, claimsOf(body.access_token)['jtt']]).toEqual([200, 'api_key'])
  })
})

describe('an attempt that is not right gets one answer, spends the code, and its reason is logged', () => {
  const cases: [string, (scene: Scene) => Attempt | Promise<Attempt>][] = [
    ['redirect_uri_mismatch', () => ({ parameters: { redirect_uri: `${callback}/` } })],
    ['client_id_mismatch', () => ({ parameters: { client_id: 'another' } })],
    ['code_verifier_rejected', () => ({ parameters: { code_verifier: 'v'.repeat(43) } })],
    ['origin_not_allowed', () => ({ headers: { origin: 'https://evil.example' } })],
    ['origin_not_allowed', () => ({ headers: { origin: 'null' } })],
    [
      'wrong_organization',
      async () => ({ path: `/t/${(await service.given.organization()).domain}/oauth/token` }),
    ],
    ['wrong_organization', () => ({ path: '/t/no-such-organization/oauth/token' })],
    [
      'api_key_rejected',
      ({ application }) => ({ parameters: { client_id: application.id, client_secret: 'x' } }),
    ],
    [
      'user_inactive',
      async ({ org_domain, user }) => {
        // As it would be if the sign-in and the deactivation crossed: the session is still there.
        await service.query('update users set active = false where id = $1', [user.id])
        return { path: `/t/${org_domain}/oauth/token` }
      },
    ],
    [
      'session_ended',
      async ({ org_domain, user }) => {
        await client.users.update({ org_domain, user_id: user.id, active: false })
        return {}
      },
    ],
    [
      'session_ended',
      async ({ org_domain, user }) => {
        await client.users.delete({ org_domain, user_id: user.id })
        return {}
      },
    ],
    [
      'session_ended',
      async ({ org_domain, application }) => {
        await client.applications.delete({ org_domain, client_id: application.client_id })
        return {}
      },
    ],
    [
      'application_not_usable',
      async ({ application }) => {
        await service.query('update applications set deleted_at = inserted_at where id = $1', [
          application.id,
        ])
        return {}
      },
    ],
    [
      'email_domain_not_allowed',
      async ({ org_domain }) => {
        await client.organizations.update({ org_domain, allowed_email_domains: ['corp.example'] })
        return {}
      },
    ],
    [
      'organization_deleted',
      async ({ org_domain }) => {
        await client.organizations.delete({ org_domain })
        return {}
      },
    ],
  ]

  interface Attempt {
    readonly parameters?: Record<string, string>
    readonly headers?: Record<string, string>
    readonly path?: string
  }

  test.each(cases)('400: %s (%#)', async (reason, arrange) => {
    const scene = await givenScene()
    const code = await givenCode(scene)
    const { parameters, ...how } = await arrange(scene)

    const answer = await exchange({ code, ...parameters }, how)
    const again = await exchange({ code })

    expect([answer.status, answer.text]).toEqual([400, refusal])
    const reasons = await service.query<{ reason: string }>(
      `select reason from log_events where domain = $1 and event_code = 'TOKEN_EXCHANGE_FAILED' order by id`,
      [scene.org_domain],
    )
    expect(reasons[0]?.reason ?? null).toBe(reason)
    expect([again.status, again.text]).toEqual([400, refusal])
  })

  test('400: a code that never was, which leaves no trace', async () => {
    const before = await service.query('select 1 from log_events')

    const answer = await exchange({ code: randomBytes(32).toString('base64url') })

    expect([answer.status, answer.text]).toEqual([400, refusal])
    expect(await service.query('select 1 from log_events')).toHaveLength(before.length)
  })
})

describe('PKCE', () => {
  const verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')

  test('200: the verifier of the challenge', async () => {
    const code = await givenCode(await givenScene(), { code_challenge, code_challenge_method: 'S256' })

    expect((await exchange({ code, code_verifier: verifier })).status).toBe(200)
  })

  test.each([
    ['another verifier', { code_verifier: 'v'.repeat(43) }],
    ['the challenge in its place', { code_verifier: code_challenge }],
    ['no verifier', {}],
  ])('400: %s, and the right one is too late then', async (_, wrong) => {
    const scene = await givenScene()
    const code = await givenCode(scene, { code_challenge })

    const attempt = await exchange({ code, ...wrong })
    const late = await exchange({ code, code_verifier: verifier })

    expect([attempt.text, late.text]).toEqual([refusal, refusal])
  })

  test('400: a code without a challenge, once its application demands one', async () => {
    const scene = await givenScene()
    const code = await givenCode(scene)
    await client.applications.update({
      org_domain: scene.org_domain,
      client_id: scene.application.client_id,
      code_exchange: 'pkce',
    })

    expect((await exchange({ code })).text).toBe(refusal)
    expect(await loggedReason(scene.org_domain)).toBeDefined()
  })
})

describe('an application whose codes need an API key', () => {
  async function givenKey(rules: Partial<Parameters<typeof createApiKey>[2]> = {}) {
    return createApiKey(service.deps, service.deps.db, {
      accountId: service.account.id,
      environment: 'sandbox',
      name: 'exchange',
      ...rules,
    })
  }

  test('200: with one of its account and environment, in the body or by HTTP Basic', async () => {
    const scene = await givenScene({ code_exchange: 'api_key' })
    const key = await givenKey()
    const basic = Buffer.from(`${key.client_id}:${key.client_secret}`).toString('base64')

    const inBody = await exchange({ code: await givenCode(scene), ...key })
    const inHeader = await exchange(
      { code: await givenCode(scene) },
      { headers: { authorization: `Basic ${basic}` } },
    )

    expect([inBody.status, inHeader.status]).toEqual([200, 200])
  })

  test('200: with the secret before the last rotation until the overlap ends', async () => {
    const scene = await givenScene({ code_exchange: 'api_key' })
    const key = await givenKey()
    const cause = { requestId: 'test', actor: { type: 'operator', id: 'test' }, params: () => ({}) } as const
    await rotateApiKey(service.deps, key.client_id.toUpperCase(), { overlapMs: 3_600_000 }, cause)

    expect((await exchange({ code: await givenCode(scene), ...key })).status).toBe(200)

    await rotateApiKey(service.deps, key.client_id, { overlapMs: 0 }, cause)

    expect((await exchange({ code: await givenCode(scene), ...key })).text).toBe(refusal)
  })

  test('400: with one that may read users and not make links; another application takes it', async () => {
    const demanding = await givenScene({ code_exchange: 'api_key' })
    const open = await givenScene()
    const key = await givenKey({ scopes: ['read:users'] })
    const wide = await givenKey({ scopes: ['write:magic_links'] })

    const attempt = await exchange({ code: await givenCode(demanding), ...key })
    const reason = await loggedReason(demanding.org_domain)
    const allowed = await exchange({ code: await givenCode(demanding), ...wide })
    const atOpen = await exchange({ code: await givenCode(open), ...key })

    expect([attempt.status, attempt.text, reason]).toEqual([400, refusal, 'insufficient_scope'])
    expect([allowed.status, atOpen.status]).toEqual([200, 200])
  })

  test('400: without one, and with one of another environment, account or organization', async () => {
    const scene = await givenScene({ code_exchange: 'api_key' })
    const other = await service.createAccount()
    const elsewhere = await service.query<{ id: string }>('select id from organizations where domain = $1', [
      (await service.given.organization()).domain,
    ])
    const keys: Record<string, string>[] = [
      {},
      { client_id: scene.application.client_id },
      { ...(await givenKey({ environment: 'production' })) },
      { ...(await givenKey({ accountId: other.id })) },
      { ...(await givenKey({ organizationIds: elsewhere.map(({ id }) => id) })) },
      { ...(await givenKey()), client_secret: 'keysandbox_wrong' },
    ]

    for (const key of keys) {
      expect((await exchange({ code: await givenCode(scene), ...key })).text).toBe(refusal)
      expect(await loggedReason(scene.org_domain)).toMatch(/^(api_key_rejected|client_id_mismatch)$/)
    }
  })
})

describe('the client-credentials grant', () => {
  test('401: another secret, one that is none and an unknown key get one answer', async () => {
    const given = { accountId: service.account.id, environment: 'sandbox', name: 'test' } as const
    const key = await createApiKey(service.deps, service.deps.db, given)
    const other = await createApiKey(service.deps, service.deps.db, given)
    const wrong = [
      { ...key, client_secret: other.client_secret },
      { ...key, client_secret: `${key.client_secret}0` },
      { ...key, client_secret: 'x' },
      { ...key, client_id: 'x' },
      { ...key, client_id: service.account.id },
    ]

    const answers = await Promise.all(
      wrong.map((credentials) =>
        exchange({ ...credentials, grant_type: 'client_credentials', domain: service.account.domain }),
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
    const scene = await givenScene({ allowed_origins_cors: ['https://shop.example'] })

    const { status, headers } = await exchange(
      { code: await givenCode(scene) },
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

function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}
