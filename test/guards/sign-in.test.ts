import { createApiKey, revokeApiKey, type NewApiKey } from '@portico/server/api-keys'
import { openMagicLink, type Client } from '@portico/sdk'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { anyEmail } from '../given.js'
import { startService, type Service } from '../harness.js'

let service: Service
let client: Client

beforeAll(async () => {
  service = await startService()
  client = await service.client()
})

type NewChallenge = Parameters<Client['magicLink']['createChallenge']>[0]
type NewApplication = Parameters<Client['applications']['create']>[0]

interface Place {
  readonly org_domain: string
  readonly user_id: string
  readonly user_email: string
  readonly application_id: string
}

/** An organization with a user and an application of its own. */
async function givenPlace(application: Partial<NewApplication> = {}): Promise<Place> {
  const { domain } = await service.given.organization()
  const user = await service.given.user({ org_domain: domain })
  const { id } = await service.given.application({
    org_domain: domain,
    organization_domain_scope: domain,
    ...application,
  })
  return { org_domain: domain, user_id: user.id, user_email: user.email, application_id: id }
}

async function givenLink(place: Place, members: Partial<NewChallenge> = {}): Promise<string> {
  const { magic_link } = await client.magicLink.createChallenge({
    org_domain: place.org_domain,
    user_email: place.user_email,
    application_id: place.application_id,
    send_email: false,
    ...members,
  })
  return magic_link ?? ''
}

async function givenCode(place: Place, members: Partial<NewChallenge> = {}): Promise<string> {
  const { code } = await openMagicLink(await givenLink(place, members))
  return code
}

interface Pressed {
  readonly status: number
  /** The code that the browser takes to the application, if it is sent there. */
  readonly code: string | null
}

/** The page of a link, its one button not pressed yet, in a new browser or in one that knows another page. */
async function givenPage(link: string, known?: { cookie: string }) {
  const page = await fetch(link, { headers: { accept: 'text/html', ...(known && { cookie: known.cookie }) } })
  const html = await page.text()
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''
  const [, action = ''] = /action="([^"]*)"/.exec(html) ?? []
  const cookie = page.headers.getSetCookie().join('; ').split(';', 1).join('')
  const form = { token: field('token'), csrf: field('csrf') }

  async function press(
    fields: Partial<typeof form> = {},
    headers: Record<string, string> = {},
  ): Promise<Pressed> {
    const answer = await fetch(new URL(action, link), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: service.baseUrl, ...headers },
      body: new URLSearchParams({ ...form, ...fields }),
    })
    const location = answer.headers.get('location')
    return { status: answer.status, code: location && new URL(location).searchParams.get('code') }
  }
  return { cookie, form, press }
}

const dead = { status: 404, code: null }

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

describe('the button of a magic link', () => {
  async function givenLinkPage(place: Place) {
    return givenPage(await givenLink(place))
  }

  test('signs its user in', async () => {
    const { press } = await givenLinkPage(await givenPlace())

    expect(await press()).toEqual({ status: 303, code: expect.any(String) })
  })

  test('works once', async () => {
    const { press } = await givenLinkPage(await givenPlace())
    await press()

    expect(await press()).toEqual(dead)
  })

  test('works for a quarter of an hour', async () => {
    const { press } = await givenLinkPage(await givenPlace())

    service.clock.advance(15 * 60)

    expect(await press()).toEqual(dead)
  })

  test('is dead when three links were made after its own', async () => {
    const place = await givenPlace()
    const { press } = await givenLinkPage(place)
    for (let count = 0; count < 3; count++) await givenLink(place)

    expect(await press()).toEqual(dead)
  })

  test('is dead when another link of its user was used', async () => {
    const place = await givenPlace()
    const [first, second] = [await givenLinkPage(place), await givenLinkPage(place)]
    await second.press()

    expect(await first.press()).toEqual(dead)
  })

  test('takes no token of another organization', async () => {
    const mine = await givenLinkPage(await givenPlace())
    const theirs = await givenPage(await givenLink(await givenPlace()), mine)

    expect(await mine.press(theirs.form)).toEqual(dead)
  })

  test('is dead when its organization was deleted', async () => {
    const place = await givenPlace()
    const { press } = await givenLinkPage(place)
    await client.organizations.delete({ org_domain: place.org_domain })

    expect(await press()).toEqual(dead)
  })

  test('is dead while its connection is switched off', async () => {
    const place = await givenPlace()
    const { press } = await givenLinkPage(place)
    await client.magicLink.updateConnection({ org_domain: place.org_domain, active: false })

    expect(await press()).toEqual(dead)
  })

  test('is dead where its address may not sign in any more', async () => {
    const place = await givenPlace()
    const { press } = await givenLinkPage(place)
    const allowed_email_domains = ['else.example']
    await client.organizations.update({ org_domain: place.org_domain, allowed_email_domains })

    expect(await press()).toEqual(dead)
  })

  test('is dead for an inactive user', async () => {
    const place = await givenPlace()
    const { press } = await givenLinkPage(place)
    await client.users.update({ org_domain: place.org_domain, user_id: place.user_id, active: false })

    expect(await press()).toEqual(dead)
  })

  test('is dead when its application was deleted', async () => {
    const place = await givenPlace()
    const { press } = await givenLinkPage(place)
    await client.applications.delete({ org_domain: place.org_domain, client_id: place.application_id })

    expect(await press()).toEqual(dead)
  })

  test('is dead when its application does not allow the address any more', async () => {
    const place = await givenPlace()
    const { press } = await givenLinkPage(place)
    await client.applications.update({
      org_domain: place.org_domain,
      client_id: place.application_id,
      allowed_redirect_urls: ['https://store.example/elsewhere'],
    })

    expect(await press()).toEqual(dead)
  })

  test('is dead when another organization keeps its application to itself by now', async () => {
    const place = await givenPlace()
    const { press } = await givenLinkPage(place)
    const other = await service.given.organization()
    await client.applications.update({
      org_domain: place.org_domain,
      client_id: place.application_id,
      organization_domain_scope: other.domain,
    })

    expect(await press()).toEqual(dead)
  })

  test('makes no user once the connection does not want unknown addresses', async () => {
    const place = await givenPlace()
    const org_domain = place.org_domain
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
    const { press } = await givenLinkPage({ ...place, user_email: anyEmail() })
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: false })

    expect(await press()).toEqual(dead)
  })

  test('makes no user when unknown addresses were not wanted as the link was made', async () => {
    const place = await givenPlace()
    const org_domain = place.org_domain
    const { press } = await givenLinkPage(place)
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
    await client.users.delete({ org_domain, user_id: place.user_id })

    expect(await press()).toEqual(dead)
  })
})

describe('the form of a magic link', () => {
  const refusedForm = { status: 403, code: null }

  test('is refused from a browser that has not seen its page', async () => {
    const { press } = await givenPage(await givenLink(await givenPlace()))

    expect(await press({}, { cookie: '' })).toEqual(refusedForm)
  })

  test('is refused with the field of another link', async () => {
    const other = await givenPage(await givenLink(await givenPlace()))
    const { press } = await givenPage(await givenLink(await givenPlace()), other)

    expect(await press({ csrf: other.form.csrf }, { cookie: other.cookie })).toEqual(refusedForm)
  })

  test('is refused from another site', async () => {
    const { press } = await givenPage(await givenLink(await givenPlace()))

    expect(await press({}, { origin: 'https://else.example' })).toEqual(refusedForm)
  })

  test('is refused from a page without an origin, of another site', async () => {
    const { press } = await givenPage(await givenLink(await givenPlace()))

    expect(await press({}, { origin: 'null', 'sec-fetch-site': 'cross-site' })).toEqual(refusedForm)
  })
})

describe('a GET of a magic link', () => {
  async function statusOf(link: string, accept = 'application/json'): Promise<number> {
    const { status } = await fetch(link, { headers: { accept }, redirect: 'manual' })
    return status
  }

  test('signs in where a test asks for JSON', async () => {
    expect(await statusOf(await givenLink(await givenPlace()))).toBe(303)
  })

  test('signs nobody in for a browser', async () => {
    expect(await statusOf(await givenLink(await givenPlace()), 'text/html,*/*;q=0.8')).toBe(200)
  })

  test('signs nobody in to production', async () => {
    const production = await service.client({ environment: 'production' })
    const { domain } = await service.given.organization()
    const user = await service.given.user({ org_domain: domain }, production)
    const application = { org_domain: domain, organization_domain_scope: domain }
    await service.given.application(application, production)

    const { magic_link } = await production.magicLink.createChallenge({
      org_domain: domain,
      user_email: user.email,
      send_email: false,
    })

    expect(await statusOf(magic_link ?? '')).toBe(200)
  })

  test('signs nobody in with a link that was mailed', async () => {
    const place = await givenPlace()
    await client.magicLink.createChallenge({
      org_domain: place.org_domain,
      user_email: place.user_email,
      application_id: place.application_id,
    })
    await service.runJobs()
    const { data } = await client.outbox.list({ to: place.user_email })
    const [link = ''] = /http\S+token=[\w-]+/.exec(data[0]?.text ?? '') ?? []

    expect(await statusOf(link)).toBe(200)
  })
})

describe('an authorization code', () => {
  test('is exchanged for tokens of its user', async () => {
    const place = await givenPlace()

    const { access_token = '' } = await exchange(await givenCode(place))

    expect(decodeJwt(access_token)).toMatchObject({ sub: place.user_id, dbs: 'sandbox' })
  })

  test('is exchanged once', async () => {
    const code = await givenCode(await givenPlace())
    await exchange(code)

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('ends after a minute', async () => {
    const code = await givenCode(await givenPlace())

    service.clock.advance(60)

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('of an ended session is dead, also when its user is active again', async () => {
    const place = await givenPlace()
    const code = await givenCode(place)
    const user = { org_domain: place.org_domain, user_id: place.user_id }
    await client.users.update({ ...user, active: false })
    await client.users.update({ ...user, active: true })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('of an inactive user is dead', async () => {
    const place = await givenPlace()
    const code = await givenCode(place)
    await client.users.update({ org_domain: place.org_domain, user_id: place.user_id, active: false })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('of a deleted organization is dead', async () => {
    const place = await givenPlace()
    const code = await givenCode(place)
    await client.organizations.delete({ org_domain: place.org_domain })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('of a deleted application is dead', async () => {
    const place = await givenPlace()
    const code = await givenCode(place)
    await client.applications.delete({ org_domain: place.org_domain, client_id: place.application_id })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('of an application that another organization keeps to itself by now is dead', async () => {
    const place = await givenPlace()
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
    const place = await givenPlace()
    const code = await givenCode(place)
    const allowed_email_domains = ['else.example']
    await client.organizations.update({ org_domain: place.org_domain, allowed_email_domains })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('is refused at the token endpoint of another organization', async () => {
    const code = await givenCode(await givenPlace())
    const { domain } = await service.given.organization()

    expect(await exchange(code, {}, { path: `/t/${domain}/oauth/token` })).toMatchObject(refused)
  })

  test('is refused with another redirect_uri', async () => {
    const code = await givenCode(await givenPlace())

    expect(await exchange(code, { redirect_uri: 'https://store.example/else' })).toMatchObject(refused)
  })

  test('is refused to another application', async () => {
    const [mine, theirs] = [await givenPlace(), await givenPlace()]
    const code = await givenCode(mine)

    expect(await exchange(code, { client_id: theirs.application_id })).toMatchObject(refused)
  })

  test('is refused to a page of an origin that the application does not list', async () => {
    const code = await givenCode(await givenPlace())
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
    const code = await givenCode(await givenPlace(), { code_challenge })

    expect(await exchange(code, { code_verifier })).toHaveProperty('access_token')
  })

  test('is refused without a verifier', async () => {
    const code = await givenCode(await givenPlace(), { code_challenge: proof().code_challenge })

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('is refused with another verifier', async () => {
    const code = await givenCode(await givenPlace(), { code_challenge: proof().code_challenge })

    expect(await exchange(code, { code_verifier: proof().code_verifier })).toMatchObject(refused)
  })

  test('is what a verifier demands', async () => {
    const code = await givenCode(await givenPlace())

    expect(await exchange(code, { code_verifier: proof().code_verifier })).toMatchObject(refused)
  })

  test('is what an application demands that came to want it', async () => {
    const place = await givenPlace()
    const code = await givenCode(place)
    const { org_domain, application_id: client_id } = place
    await client.applications.update({ org_domain, client_id, code_exchange: 'pkce' })

    expect(await exchange(code)).toMatchObject(refused)
  })
})

describe('an authorization code of an application whose back end exchanges it', () => {
  const application = { code_exchange: 'api_key' } as const

  async function givenKey(rules: Partial<NewApiKey> = {}) {
    return createApiKey(service.deps, service.deps.db, {
      accountId: service.account.id,
      environment: 'sandbox',
      name: 'guards',
      ...rules,
    })
  }

  test('is exchanged with an API key of the account', async () => {
    const code = await givenCode(await givenPlace(application))

    expect(await exchange(code, { ...(await givenKey()) })).toHaveProperty('access_token')
  })

  test('is refused without a key', async () => {
    const code = await givenCode(await givenPlace(application))

    expect(await exchange(code)).toMatchObject(refused)
  })

  test('is refused with another secret', async () => {
    const code = await givenCode(await givenPlace(application))
    const [{ client_id }, { client_secret }] = [await givenKey(), await givenKey()]

    expect(await exchange(code, { client_id, client_secret })).toMatchObject(refused)
  })

  test('is refused with a key of another account', async () => {
    const code = await givenCode(await givenPlace(application))
    const { id } = await service.createAccount()

    expect(await exchange(code, { ...(await givenKey({ accountId: id })) })).toMatchObject(refused)
  })

  test('is refused with a key of the other environment', async () => {
    const code = await givenCode(await givenPlace(application))
    const key = await createApiKey(service.deps, service.deps.db, {
      accountId: service.account.id,
      environment: 'production',
      name: 'guards',
    })

    expect(await exchange(code, { ...key })).toMatchObject(refused)
  })

  test('is refused with a key that is limited to another organization', async () => {
    const code = await givenCode(await givenPlace(application))
    const other = await service.given.organization()

    expect(await exchange(code, { ...(await givenKey({ organizationIds: [other.id] })) })).toMatchObject(
      refused,
    )
  })

  test('is refused with a key that may make no links', async () => {
    const code = await givenCode(await givenPlace(application))

    expect(await exchange(code, { ...(await givenKey({ scopes: ['read:users'] })) })).toMatchObject(refused)
  })

  test('is refused with a revoked key', async () => {
    const code = await givenCode(await givenPlace(application))
    const key = await givenKey()
    const actor = { type: 'operator', id: 'guards' } as const
    await revokeApiKey(service.deps, key.client_id, { requestId: 'guards', actor, params: () => ({}) })

    expect(await exchange(code, { ...key })).toMatchObject(refused)
  })

  test('is refused with a key that has expired', async () => {
    const key = await givenKey({ expiresAt: new Date(service.clock.now().getTime() + 1000) })
    const code = await givenCode(await givenPlace(application))
    service.clock.advance(1)

    expect(await exchange(code, { ...key })).toMatchObject(refused)
  })
})

describe('a user’s token', () => {
  test('is none of the API, whatever it says', async () => {
    const place = await givenPlace()
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
