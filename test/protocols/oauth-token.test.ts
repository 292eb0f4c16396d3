import { createHash, randomBytes } from 'node:crypto'
import { AccessTokenClaims, IdTokenClaims } from '@portico/contract/token-claims'
import { createVerifier, openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { z } from 'zod/v4'
import { startService } from '../given/harness.js'
import { callback, codeGivenOf, exchange, loggedReason, refusal, type Scene } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = codeGivenOf(service, client)

function claimsOf(token: string | undefined): Record<string, unknown> {
  const claims: Record<string, unknown> = JSON.parse(
    Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString(),
  )
  return claims
}

async function isSessionLive(userId: string): Promise<boolean> {
  const rows = await service.query('select 1 from sessions where user_id = $1 and ended_at is null', [userId])
  return rows.length > 0
}

describe('the exchange of a code', () => {
  test('200: a form with the code and the grant type is all it takes', async () => {
    const scene = await given.scene()
    const code = await given.code(scene, { nonce: 'n-1', state: 's-1' })

    const { status, headers, body } = await exchange(service, { code })

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

  test.each([
    ['access_token', AccessTokenClaims],
    ['id_token', IdTokenClaims],
  ] as const)(
    '200: the %s has the claims that the contract declares, and no other',
    async (kind, { shape }) => {
      const { body } = await exchange(service, { code: await given.code(await given.scene()) })

      const claims = claimsOf(body[kind])
      expect(z.strictObject(shape).safeParse(claims)).toEqual({ success: true, data: claims })
    },
  )

  test('200: JSON does as well, and the token endpoint of the organization', async () => {
    const scene = await given.scene()
    const code = await given.code(scene)

    const answer = await fetch(`${service.baseUrl}/t/${scene.org_domain}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'authorization_code', code }),
    })

    expect(answer.status).toBe(200)
  })

  test('200: scopes that there are not are not granted, and the answer says so', async () => {
    const scene = await given.scene()

    const { body } = await exchange(service, {
      code: await given.code(scene, { scope: 'admin email magic_link relay' }),
    })

    expect(body).toMatchObject({ scope: 'openid magic_link email' })
    expect(body).not.toHaveProperty('refresh_token')
  })

  test('200: the application decides the lifetime and the algorithm, whose first key is made when it is needed', async () => {
    const scene = await given.scene({ access_token_lifetime_in_seconds: 300, token_signing_alg: 'RS256' })

    const { body } = await exchange(service, { code: await given.code(scene) })

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
    const scene = await given.scene()
    const { client_id } = scene.application

    const plain = await exchange(service, {
      code: await given.code(scene),
      redirect_uri: callback,
      client_id,
    })
    const prefixed = await exchange(service, { code: await given.code(scene), client_id: `app_${client_id}` })

    expect([plain.status, prefixed.status]).toEqual([200, 200])
  })

  test('of a hundred at the same time one succeeds, and the session ends: somebody else has the code', async () => {
    const scene = await given.scene()
    const code = await given.code(scene)

    const answers = await Promise.all(Array.from({ length: 100 }, () => exchange(service, { code })))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ text }) => text))).toEqual(
      new Set([refusal]),
    )
    expect(await isSessionLive(scene.user.id)).toBe(false)
    expect(await loggedReason(service, scene.org_domain)).toBe('code_used')
  })

  longTest('400: a code from a page is good for a minute', async () => {
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

    await own.clock.advance(61)

    const attempt = key.oauth.token({ grant_type: 'authorization_code', code })
    await expect(attempt).rejects.toMatchObject({ status: 400, code: 'invalid_grant' })
  })

  test('400: a request without a code, or with a grant type that there is not', async () => {
    const noCode = await exchange(service, {})
    const other = await exchange(service, { grant_type: 'password' })
    const atOrganization = await exchange(
      service,
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
    const key = await service.apiKey({})

    const { status, body } = await exchange(service, {
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
      'user_inactive',
      async ({ org_domain, user }) => {
        // Simulates a deactivation concurrent with the sign-in: the session still exists.
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
    const scene = await given.scene()
    const code = await given.code(scene)
    const { parameters, ...how } = await arrange(scene)

    const answer = await exchange(service, { code, ...parameters }, how)
    const again = await exchange(service, { code })

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

    const answer = await exchange(service, { code: randomBytes(32).toString('base64url') })

    expect([answer.status, answer.text]).toEqual([400, refusal])
    expect(await service.query('select 1 from log_events')).toHaveLength(before.length)
  })
})

function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}
