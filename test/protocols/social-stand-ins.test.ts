import { generateKeyPairSync } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { socialGivenOf } from '../given/social-given.js'

const service = await startService()
const client = await service.client()
const given = socialGivenOf(service, client)

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const keys = { keys: [{ ...(await exportJWK(publicKey)), alg: 'RS256', kid: 'k', use: 'sig' }] }
const microsoft = 'https://login.microsoftonline.com'
const personal = '9188040d-6c67-4c5b-b112-36a304b66dad'
const company = '72f988bf-86f1-41af-91ab-2d7cd011db47'

/** The ID tokens that the stand-ins give for their codes. */
const tokens = new Map<string, string>()

/** Google and Microsoft as they document themselves, in place of the network. */
const standIns = {
  get: ({ url }: { url: string }) => {
    if (url === 'https://accounts.google.com/.well-known/openid-configuration')
      return json(200, {
        issuer: 'https://accounts.google.com',
        authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
        token_endpoint: 'https://oauth2.googleapis.com/token',
        jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256'],
        code_challenge_methods_supported: ['plain', 'S256'],
        token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      })
    const isKeys = url.includes('/certs') || (url.startsWith(microsoft) && url.endsWith('/keys'))
    return isKeys ? json(200, keys) : json(404, {})
  },
  post: ({ body }: { body: string }) => {
    const idToken = tokens.get(new URLSearchParams(body).get('code') ?? '')
    return idToken === undefined
      ? json(400, { error: 'invalid_grant' })
      : json(200, { access_token: 'a', token_type: 'Bearer', id_token: idToken })
  },
}

function json(status: number, body: object) {
  const headers = { contentType: 'application/json' }
  return Promise.resolve({ outcome: 'answered', status, headers, body: JSON.stringify(body), isWhole: true })
}

const registered = { client_id: 'client-1', client_secret: 'secret-1' }
await client.socialProviders.create({ name: 'google', ...registered })
const entra = await client.socialProviders.create({ name: 'microsoft', ...registered })

/** Comes back from a provider whose ID token has these claims. */
async function arrive(provider: 'google' | 'microsoft', claims: Readonly<Record<string, unknown>>) {
  Object.assign(service.deps.outbound, standIns)
  const of = await given.scene({ providers: [provider] })
  const { visitor, address } = await given.atProvider(of, provider)
  const sent = new URL(address)
  const seconds = Math.floor(service.clock.now().getTime() / 1000)
  const token = await new SignJWT({
    aud: 'client-1',
    iat: seconds,
    exp: seconds + 300,
    nonce: sent.searchParams.get('nonce') ?? '',
    sub: `subject-${anything()}`,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'k', typ: 'JWT' })
    .sign(privateKey)
  const code = anything()
  tokens.set(code, token)
  const back = new URL(sent.searchParams.get('redirect_uri') ?? '')
  back.search = new URLSearchParams({ code, state: sent.searchParams.get('state') ?? '' }).toString()
  return { of, sent, visitor, landed: await visitor.visit(back.href) }
}

const issuerOf = (tenant: string) => `${microsoft}/${tenant}/v2.0`
const isAsked = (html: string) => html.includes('6\u2011digit code')

describe('Google', () => {
  const iss = 'https://accounts.google.com'

  test.each([
    ['an address of gmail.com', { email: 'ada@gmail.com', email_verified: true }],
    ['an address of its Workspace', { email: 'ada@corp.dev', email_verified: true, hd: 'corp.dev' }],
  ])('gives out %s, which needs no mail', async (_, claims) => {
    const { landed, sent } = await arrive('google', { iss, ...claims })
    expect(sent.origin).toBe('https://accounts.google.com')
    expect(isIn(landed)).toBe(true)
  })

  test.each([
    ['an address of another domain', { email: 'ada@corp.dev', email_verified: true }],
    ['one of another Workspace', { email: 'ada@corp.dev', email_verified: true, hd: 'other.dev' }],
    ['one that is not verified', { email: 'ada@gmail.com', email_verified: false }],
  ])('does not give out %s: a mail proves it', async (_, claims) => {
    const { landed } = await arrive('google', { iss, ...claims })
    expect([isIn(landed), isAsked(landed.html)]).toEqual([false, true])
  })
})

describe('Microsoft', () => {
  const said = { email: 'ada@corp.dev' }

  // nOAuth: any administrator of a tenant types any address; xms_edov is true of personal accounts and guests as well.
  test.each([
    ['of a company', company, { email_verified: true }],
    ['of a company, whose owner has proved the domain', company, { xms_edov: true }],
    ['of a personal account', personal, { xms_edov: true }],
  ])('is not believed of an address %s: a mail proves it', async (_, tid, claims) => {
    const { landed } = await arrive('microsoft', { ...said, iss: issuerOf(tid), tid, ...claims })
    expect([isIn(landed), isAsked(landed.html)]).toEqual([false, true])
  })

  test.each([
    ['of another tenant than its own', { iss: issuerOf(company), tid: personal }],
    ['of no tenant', { iss: issuerOf(company) }],
    ['of the template itself', { iss: `${microsoft}/{tenantid}/v2.0`, tid: company }],
    ['of another host', { iss: `https://evil.example/${company}/v2.0`, tid: company }],
  ])('a token with an issuer %s is refused', async (_, claims) => {
    const { of, landed } = await arrive('microsoft', { ...said, xms_edov: true, ...claims })
    expect([landed.status, isIn(landed)]).toEqual([403, false])
    expect((await client.users.list({ org_domain: of.org_domain })).data).toEqual([])
  })

  test('is a way to sign in of a user of any of its tenants, whose issuer is not its own', async () => {
    const email = `ada-${anything()}@corp.dev`
    const { of, visitor, landed } = await arrive('microsoft', { email, iss: issuerOf(company), tid: company })
    expect(isIn(await visitor.press(landed, 'address_code', { code: await given.codeTo(email) }))).toBe(true)
    const { org_domain } = of
    const { id: user_id, identities } = await client.users.getByEmail({ org_domain, user_email: email })
    const [other] = await service.query<{ id: string }>(
      `insert into user_identities
         (account_id, environment, organization_id, id, user_id, kind, issuer, subject, provider, data, authenticated_at, inserted_at)
       select account_id, environment, organization_id, gen_random_uuid(), user_id, kind, 'https://accounts.google.com', 'other',
         'social.google', data, authenticated_at, inserted_at
       from user_identities where id = $1 returning id`,
      [identities[0]?.id],
    )
    await client.magicLink.updateConnection({ org_domain, active: false })

    await client.identities.unlink({ org_domain, user_id, identity_id: other?.id ?? '' })

    const last = client.identities.unlink({ org_domain, user_id, identity_id: identities[0]?.id ?? '' })
    await expect(last).rejects.toMatchObject({ code: 'last_sign_in_method' })
  })

  test('lets in the tenants of its setting alone', async () => {
    await client.socialProviders.update({ provider_id: entra.id, tenant: 'organizations' })
    const refused = await arrive('microsoft', {
      ...said,
      iss: issuerOf(personal),
      tid: personal,
      xms_edov: true,
    })
    expect([refused.landed.status, isIn(refused.landed)]).toEqual([403, false])
    await client.socialProviders.update({ provider_id: entra.id, tenant: company })
    const one = await arrive('microsoft', { ...said, iss: issuerOf(company), tid: company })
    expect([one.landed.status, isAsked(one.landed.html)]).toEqual([200, true])
    const other = await arrive('microsoft', {
      ...said,
      iss: issuerOf(personal),
      tid: personal,
      xms_edov: true,
    })
    expect([other.landed.status, isIn(other.landed)]).toEqual([403, false])
  })
})
