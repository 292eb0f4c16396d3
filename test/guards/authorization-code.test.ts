import { revokeApiKey } from '@portico/server/api-keys'
import { openMagicLink } from '@portico/sdk'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { signInGivenOf, type Place, type SignInGiven } from './sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = signInGivenOf(service, client)

async function givenCode(place: Place, members: Parameters<SignInGiven['link']>[1] = {}): Promise<string> {
  const { code } = await openMagicLink(await given.link(place, members))
  return code
}

interface Exchanged {
  readonly error?: string
  readonly access_token?: string
  readonly id_token?: string
}

interface ExchangeOptions {
  readonly path?: string
  readonly headers?: Record<string, string>
}

async function exchange(
  code: string,
  members: Record<string, string> = {},
  { path = '/oauth/token', headers = {} }: ExchangeOptions = {},
): Promise<Exchanged> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ grant_type: 'authorization_code', code, ...members }),
  })
  return (await response.json()) as Exchanged
}

const refused = { error: 'invalid_grant' }
const unauthenticated = { error: 'invalid_client' }

describe('an authorization code', () => {
  test('is exchanged for tokens of its user', async () => {
    const place = await given.place()

    const { access_token = '' } = await exchange(await givenCode(place))

    expect(decodeJwt(access_token)).toMatchObject({ sub: place.user_id, dbs: 'sandbox' })
  })

  test('is exchanged once', async () => {
    const code = await givenCode(await given.place())
    await exchange(code)

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('ends after a minute', async () => {
    const code = await givenCode(await given.place())

    await service.clock.advance(60)

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('of an ended session is dead, also when its user is active again', async () => {
    const place = await given.place()
    const code = await givenCode(place)
    const user = { org_domain: place.org_domain, user_id: place.user_id }
    await client.users.update({ ...user, active: false })
    await client.users.update({ ...user, active: true })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('of an inactive user is dead', async () => {
    const place = await given.place()
    const code = await givenCode(place)
    await client.users.update({ org_domain: place.org_domain, user_id: place.user_id, active: false })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('of a deleted organization is dead', async () => {
    const place = await given.place()
    const code = await givenCode(place)
    await client.organizations.delete({ org_domain: place.org_domain })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('of a deleted application is dead', async () => {
    const place = await given.place()
    const code = await givenCode(place)
    await client.applications.delete({ org_domain: place.org_domain, client_id: place.application_id })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('of an application that another organization keeps to itself by now is dead', async () => {
    const place = await given.place()
    const code = await givenCode(place)
    const other = await service.given.organization()
    await client.applications.update({
      org_domain: place.org_domain,
      client_id: place.application_id,
      organization_domain_scope: other.domain,
    })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('is dead where its address may not sign in any more', async () => {
    const place = await given.place()
    const code = await givenCode(place)
    const allowed_email_domains = ['else.example']
    await client.organizations.update({ org_domain: place.org_domain, allowed_email_domains })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('is refused at the token endpoint of another organization', async () => {
    const code = await givenCode(await given.place())
    const { domain } = await service.given.organization()

    expect(await exchange(code, {}, { path: `/t/${domain}/oauth/token` })).toMatchObject(refused)
  })

  test('is refused with another redirect_uri', async () => {
    const code = await givenCode(await given.place())

    expect(await exchange(code, { redirect_uri: 'https://store.example/else' })).toMatchObject(refused)
  })

  test('is refused to another application', async () => {
    const [mine, theirs] = [await given.place(), await given.place()]
    const code = await givenCode(mine)

    expect(await exchange(code, { client_id: theirs.application_id })).toMatchObject(refused)
  })

  test('is refused to a page of an origin that the application does not list', async () => {
    const code = await givenCode(await given.place())
    const headers = { origin: 'https://else.example' }

    expect(await exchange(code, {}, { headers })).toMatchObject(refused)
  })
})

describe('an authorization code with a challenge', () => {
  function proof() {
    const code_verifier = randomBytes(32).toString('base64url')
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
    return { code_verifier, code_challenge }
  }

  test('is exchanged with its verifier', async () => {
    const { code_challenge, code_verifier } = proof()
    const code = await givenCode(await given.place(), { code_challenge })

    expect(await exchange(code, { code_verifier })).toHaveProperty('access_token')
  })

  test('is refused without a verifier', async () => {
    const code = await givenCode(await given.place(), { code_challenge: proof().code_challenge })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('is refused with another verifier', async () => {
    const code = await givenCode(await given.place(), { code_challenge: proof().code_challenge })

    expect(await exchange(code, { code_verifier: proof().code_verifier })).toMatchObject(refused)
  })

  test('is what a verifier demands', async () => {
    const code = await givenCode(await given.place())

    expect(await exchange(code, { code_verifier: proof().code_verifier })).toMatchObject(refused)
  })

  test('is what an application demands that came to want it', async () => {
    const place = await given.place()
    const code = await givenCode(place)
    const { org_domain, application_id: client_id } = place
    await client.applications.update({ org_domain, client_id, code_exchange: 'pkce' })

    expect(await exchange(code)).toMatchObject(refused)
  })
})

describe('an authorization code of an application whose back end exchanges it', () => {
  const application = { code_exchange: 'api_key' } as const

  test('is exchanged with an API key of the account', async () => {
    const code = await givenCode(await given.place(application))

    expect(await exchange(code, { ...(await service.apiKey()) })).toHaveProperty('access_token')
  })

  test('is refused without a key', async () => {
    const code = await givenCode(await given.place(application))

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('is refused with another secret', async () => {
    const code = await givenCode(await given.place(application))
    const [{ client_id }, { client_secret }] = [await service.apiKey(), await service.apiKey()]

    expect(await exchange(code, { client_id, client_secret })).toMatchObject(unauthenticated)
  })

  test('is refused with a key of another account', async () => {
    const code = await givenCode(await given.place(application))
    const account = await service.createAccount()

    expect(await exchange(code, { ...(await service.apiKey({ account })) })).toMatchObject(refused)
  })

  test('is refused with a key of the other environment', async () => {
    const code = await givenCode(await given.place(application))
    const key = await service.apiKey({ environment: 'production' })

    expect(await exchange(code, { ...key })).toMatchObject(refused)
  })

  test('is refused with a key that is limited to another organization', async () => {
    const code = await givenCode(await given.place(application))
    const other = await service.given.organization()

    expect(
      await exchange(code, { ...(await service.apiKey({ organizationIds: [other.id] })) }),
    ).toMatchObject(refused)
  })

  test('is refused with a key that may make no links', async () => {
    const code = await givenCode(await given.place(application))

    expect(await exchange(code, { ...(await service.apiKey({ scopes: ['read:users'] })) })).toMatchObject(
      refused,
    )
  })

  test('is refused with a revoked key', async () => {
    const code = await givenCode(await given.place(application))
    const key = await service.apiKey()
    const actor = { type: 'operator', id: 'guards' } as const
    await revokeApiKey(service.deps, key.client_id, { requestId: 'guards', actor, params: () => ({}) })

    expect(await exchange(code, { ...key })).toMatchObject(unauthenticated)
  })

  test('is refused with a key that has expired', async () => {
    const key = await service.apiKey({ expiresAt: new Date(service.clock.now().getTime() + 1000) })
    const code = await givenCode(await given.place(application))
    await service.clock.advance(1)

    expect(await exchange(code, { ...key })).toMatchObject(unauthenticated)
  })
})

describe('a user’s token', () => {
  test('is none of the API, whatever it says', async () => {
    const place = await given.place()
    const { access_token = '' } = await exchange(await givenCode(place))
    const header = decodeProtectedHeader(access_token)
    const key = service.deps.keys.privateKeys.get(header.kid ?? '')
    if (key === undefined) throw new Error('the service has not opened the key of the organization')

    const claims = decodeJwt(await service.token())
    const forged = await new SignJWT(claims).setProtectedHeader({ ...header, alg: 'ES256' }).sign(key)

    const headers = { authorization: `Bearer ${forged}` }
    const { status } = await fetch(`${service.baseUrl}/api/v2/organizations`, { headers })
    expect(status).toBe(401)
  })
})
