import { revokeApiKey, rotateApiKey } from '@portico/server/api-keys'
import { decodeJwt, decodeProtectedHeader, SignJWT, type JWTPayload } from 'jose'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startService, type KeyRules } from '../given/harness.js'

const service = await startService()

const operator = {
  requestId: 'guards',
  actor: { type: 'operator', id: 'guards' },
  params: () => ({}),
} as const

type Credentials = Awaited<ReturnType<typeof givenKey>>

/** A new API key of the account, and the other parameters of a token request. */
async function givenKey(rules: KeyRules = {}) {
  const credentials = await service.apiKey(rules)
  return { ...credentials, domain: service.account.domain, grant_type: 'client_credentials' }
}

async function requestToken(credentials: Partial<Credentials> & { scope?: string }) {
  const response = await fetch(`${service.baseUrl}/api/v2/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  return (await response.json()) as { access_token?: string; error?: string }
}

async function givenToken(credentials: Partial<Credentials> & { scope?: string }): Promise<string> {
  const { access_token, error } = await requestToken(credentials)
  if (access_token === undefined) throw new Error(`no token: ${error}`)
  return access_token
}

async function statusWith(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const { status } = await fetch(`${service.baseUrl}/api/v2/organizations`, { headers })
  return status
}

describe('the token endpoint', () => {
  test('gives a token for the credentials of a key', async () => {
    expect(await requestToken(await givenKey())).toHaveProperty('access_token')
  })

  test('refuses another secret', async () => {
    const other = await givenKey()
    const credentials = { ...(await givenKey()), client_secret: other.client_secret }

    expect(await requestToken(credentials)).toMatchObject({ error: 'invalid_client' })
  })

  test('takes no secret from the query string', async () => {
    const { client_secret, ...credentials } = await givenKey()
    const response = await fetch(`${service.baseUrl}/api/v2/oauth/token?client_secret=${client_secret}`, {
      method: 'POST',
      body: new URLSearchParams(credentials),
    })

    expect(await response.json()).toMatchObject({ error: 'invalid_request' })
  })

  test('refuses the domain of another account', async () => {
    const { domain } = await service.createAccount()
    const credentials = { ...(await givenKey()), domain }

    expect(await requestToken(credentials)).toMatchObject({ error: 'invalid_client' })
  })

  test('takes the secret before the last rotation until the overlap ends', async () => {
    const key = await givenKey()
    await rotateApiKey(service.deps, key.client_id, { overlapMs: 60_000 }, operator)
    expect(await requestToken(key)).toHaveProperty('access_token')

    await service.clock.advance(60)

    expect(await requestToken(key)).toMatchObject({ error: 'invalid_client' })
  })

  test('refuses a revoked key', async () => {
    const key = await givenKey()
    await revokeApiKey(service.deps, key.client_id, operator)

    expect(await requestToken(key)).toMatchObject({ error: 'invalid_client' })
  })

  test('refuses a key that has expired', async () => {
    const key = await givenKey({ expiresAt: new Date(service.clock.now().getTime() + 60_000) })
    await service.clock.advance(60)

    expect(await requestToken(key)).toMatchObject({ error: 'invalid_client' })
  })

  test('grants no scope that the key lacks', async () => {
    const key = await givenKey({ scopes: ['read:users'] })

    expect(await requestToken({ ...key, scope: 'write:users' })).toMatchObject({ error: 'invalid_scope' })
  })

  test('logs no token as issued that it refuses', async () => {
    const soon = new Date(service.clock.now().getTime() + 60_000)
    const [own, other, lesser, revoked, expiring, rotated] = await Promise.all([
      // Of all scopes: nothing but the words of the request tells that it asks for one that there is not.
      givenKey({ scopes: null }),
      givenKey(),
      givenKey({ scopes: ['read:users'] }),
      givenKey(),
      givenKey({ expiresAt: soon }),
      givenKey(),
    ])
    const { domain } = await service.createAccount()
    await revokeApiKey(service.deps, revoked.client_id, operator)
    await rotateApiKey(service.deps, rotated.client_id, { overlapMs: 60_000 }, operator)
    await service.clock.advance(60)

    const answers = await Promise.all([
      requestToken({ ...own, client_secret: other.client_secret }),
      requestToken({ ...own, domain }),
      requestToken({ ...own, scope: 'read:nothing' }),
      requestToken({ ...lesser, scope: 'read:users write:users' }),
      ...[revoked, expiring, rotated].map((key) => requestToken(key)),
    ])

    expect(answers.map(({ access_token }) => access_token)).toEqual(answers.map(() => undefined))
    const keys = [own, lesser, revoked, expiring, rotated].map(({ client_id }) => client_id)
    const issued = `select client_id from log_events where event_code = 'API_KEY_TOKEN_ISSUED' and client_id = any($1)`
    expect(await service.query(issued, [keys])).toEqual([])
  })
})

describe('an API token', () => {
  test('ends with its hour', async () => {
    const token = await givenToken(await givenKey())
    expect(await statusWith(token)).toBe(200)

    await service.clock.advance(3600)

    expect(await statusWith(token)).toBe(401)
  })

  test('ends within five seconds of the revocation of its key', async () => {
    const key = await givenKey()
    const token = await givenToken(key)
    expect(await statusWith(token)).toBe(200)
    await revokeApiKey(service.deps, key.client_id, operator)

    await service.clock.advance(5)

    expect(await statusWith(token)).toBe(401)
  })

  test('ends when its key expires', async () => {
    const key = await givenKey({ expiresAt: new Date(service.clock.now().getTime() + 60_000) })
    const token = await givenToken(key)
    expect(await statusWith(token)).toBe(200)

    await service.clock.advance(60)

    expect(await statusWith(token)).toBe(401)
  })

  test('has no scope beside those that were asked for', async () => {
    const token = await givenToken({ ...(await givenKey()), scope: 'read:users' })

    expect(await statusWith(token)).toBe(403)
  })

  test('has no scope that its key lacks', async () => {
    const token = await givenToken(await givenKey({ scopes: ['read:users'] }))

    expect(await statusWith(token)).toBe(403)
  })
})

describe('a token signed with the account’s own key', () => {
  /** A function that signs tokens like those of the service, with changes. */
  async function givenSigner() {
    const token = await givenToken(await givenKey())
    const header = decodeProtectedHeader(token)
    const key = service.deps.keys.privateKeys.get(header.kid ?? '')
    if (key === undefined) throw new Error('the service has not opened its key')
    const sign = (claims: JWTPayload, typ?: string) =>
      new SignJWT({ ...decodeJwt(token), ...claims })
        .setProtectedHeader({ ...header, alg: 'ES256', ...(typ !== undefined && { typ }) })
        .sign(key)
    return { kid: header.kid, sign }
  }

  async function resigned(claims: JWTPayload = {}, typ?: string): Promise<string> {
    const { sign } = await givenSigner()
    return sign(claims, typ)
  }

  test('is accepted as it was', async () => {
    expect(await statusWith(await resigned())).toBe(200)
  })

  test.each([
    ['iss', 'https://else.example'],
    ['aud', 'https://else.example/api/v2'],
    ['jtt', 'access_token'],
    ['dbs', 'production'],
    ['account_id', randomUUID()],
    ['scope', ['read:organizations']],
    ['exp', 1_000_000_000],
    ['nbf', 4_000_000_000],
  ])('is refused with another %s', async (claim, value) => {
    expect(await statusWith(await resigned({ [claim]: value }))).toBe(401)
  })

  test('is refused when it lasts longer than the service makes any', async () => {
    const inTwoHours = Math.floor(service.clock.now().getTime() / 1000) + 7200

    expect(await statusWith(await resigned({ exp: inTwoHours }))).toBe(401)
  })

  test('is refused as another type of token', async () => {
    expect(await statusWith(await resigned({}, 'JWT'))).toBe(401)
  })

  test('is refused when that key has retired, and all that it signed until then has ended', async () => {
    const { kid, sign } = await givenSigner()
    // Rotation is only a command, which a copy of the sources does not have in compiled form.
    const retire = "update signing_keys set state = 'retired', retired_at = $1 where kid = $2"
    await service.query(retire, [service.clock.now(), kid])
    const statusOfNew = async () => {
      const iat = Math.floor(service.clock.now().getTime() / 1000)
      return statusWith(await sign({ iat, exp: iat + 3600 }))
    }
    await service.clock.advance(3600)
    expect(await statusOfNew()).toBe(200)

    await service.clock.advance(60)

    expect(await statusOfNew()).toBe(401)
  })
})
