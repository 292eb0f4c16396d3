import { etagOf, type Application, type Client } from '@portico/sdk'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { anything } from '../given.js'
import { startService, type Service } from '../harness.js'

let service: Service
let client: Client

beforeAll(async () => {
  service = await startService()
  client = await service.client()
})

async function givenDomain(): Promise<string> {
  const { domain } = await service.given.organization()
  return domain
}

/** Two organizations of the account, and a client whose key is limited to the first. */
async function givenLimitedClient() {
  const [own, other] = await Promise.all([service.given.organization(), service.given.organization()])
  return { own, other, limited: await service.client({ organizationIds: [own.id] }) }
}

/** The paths at fault in a 422. */
async function faultsOf(attempt: Promise<unknown>): Promise<string[]> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ status: 422, code: 'invalid_parameters' })
  return (error as { fields: { path: string }[] }).fields.map(({ path }) => path)
}

async function idsOf(list: Promise<{ data: readonly Application[] }>): Promise<string[]> {
  return (await list).data.map(({ id }) => id)
}

describe('registering an application', () => {
  test('201: for the whole account, unless it is restricted', async () => {
    const org_domain = await givenDomain()
    const application = await service.given.application({ org_domain })
    expect(application).toMatchObject({
      __type__: 'Application',
      __domain__: service.account.domain,
      __database__: 'sandbox',
      __environment__: 'sandbox',
      __managed_by__: service.account.domain,
      __access__: `all_organizations_of:${service.account.domain}`,
      client_id: application.id,
      organization_domain_scope: null,
      access_token_lifetime_in_seconds: 3600,
      token_signing_alg: 'ES256',
      code_exchange: 'open',
      description: null,
    })
  })

  test('201: restricted to an organization, it belongs to that one', async () => {
    const org_domain = await givenDomain()
    const application = await service.given.application({ org_domain, organization_domain_scope: org_domain })
    expect(application).toMatchObject({
      __domain__: org_domain,
      __managed_by__: service.account.domain,
      __access__: `limited_to:${org_domain}`,
      organization_domain_scope: org_domain,
    })
  })

  test('201: a default that is not given is the first of its list', async () => {
    const application = await service.given.application({
      org_domain: await givenDomain(),
      allowed_redirect_urls: ['https://store.example/1', 'https://store.example/2'],
      allowed_logout_urls: ['https://store.example/out', 'https://store.example/bye'],
      default_logout_url: 'https://store.example/bye',
    })
    expect(application).toMatchObject({
      default_redirect_uri_after_login: 'https://store.example/1',
      default_redirect_uri_after_logout: 'https://store.example/out',
      default_logout_url: 'https://store.example/bye',
      default_origin_cors: 'https://store.example',
      default_web_origin: null,
      allowed_web_origins: [],
    })
  })

  test('201: repeated under one Idempotency-Key, it is one application', async () => {
    const org_domain = await givenDomain()
    const input = {
      org_domain,
      name: 'Once',
      application_type: 'vue' as const,
      allowed_redirect_urls: ['https://once.example/'],
      allowed_origins_cors: [],
      allowed_logout_urls: [],
      organization_domain_scope: org_domain,
    }
    const idempotencyKey = anything()
    const first = await client.applications.create(input, { idempotencyKey })
    const second = await client.applications.create(input, { idempotencyKey })
    expect(second).toEqual(first)
    expect(etagOf(second)).toBe(etagOf(first))
    const listed = await idsOf(client.applications.list({ org_domain }))
    expect(listed.filter((id) => id === first.id)).toHaveLength(1)
  })

  test('403: a key limited to organizations registers for them alone', async () => {
    const { own, limited } = await givenLimitedClient()
    const org_domain = own.domain
    await expect(service.given.application({ org_domain }, limited)).rejects.toMatchObject({
      status: 403,
      code: 'key_limited_to_organizations',
    })
    const restricted = { org_domain, organization_domain_scope: org_domain }
    await expect(service.given.application(restricted, limited)).resolves.toMatchObject(
      restrictedTo(org_domain),
    )
  })

  test('404: an organization that the key may not see is a missing one', async () => {
    const { other, limited } = await givenLimitedClient()
    const stranger = await service.client({ account: await service.createAccount() })
    const missing = { status: 404, code: 'organization_not_found' }
    const organization_domain_scope = other.domain
    const input = { org_domain: other.domain, organization_domain_scope }
    await expect(service.given.application(input, limited)).rejects.toMatchObject(missing)
    await expect(service.given.application({ org_domain: other.domain }, limited)).rejects.toMatchObject(
      missing,
    )
    await expect(service.given.application(input, stranger)).rejects.toMatchObject(missing)
    await expect(service.given.application({ org_domain: 'nowhere' })).rejects.toMatchObject(missing)
  })

  test('422: every URL at fault is named by its list and place', async () => {
    const attempt = service.given.application({
      org_domain: await givenDomain(),
      allowed_redirect_urls: [
        'https://store.example/callback',
        'http://store.example/',
        'https://*.example/',
      ],
      allowed_origins_cors: ['https://store.example/path'],
      allowed_logout_urls: ['https://user@store.example/'],
      allowed_web_origins: ['https://Store.example'],
      default_web_origin: 'https://other.example',
    })
    expect(await faultsOf(attempt)).toEqual([
      'allowed_redirect_urls.1',
      'allowed_redirect_urls.2',
      'allowed_origins_cors.0',
      'allowed_logout_urls.0',
      'allowed_web_origins.0',
      'default_web_origin',
    ])
  })

  test('422: a redirect URL says nothing to a page’s policy, and nothing in place of the answer', async () => {
    const attempt = service.given.application({
      org_domain: await givenDomain(),
      application_type: 'ios',
      allowed_redirect_urls: [
        'https://a.example;script-src/cb',
        'https://store.example/cb?code=1',
        'javascript.example:/cb',
        'com.example.store:/cb',
      ],
    })
    expect(await faultsOf(attempt)).toEqual([
      'allowed_redirect_urls.0',
      'allowed_redirect_urls.1',
      'allowed_redirect_urls.2',
    ])
  })

  test('422: http on localhost is for the sandbox alone', async () => {
    const org_domain = await givenDomain()
    const input = { org_domain, allowed_redirect_urls: ['http://localhost:3000/callback'] }
    await expect(service.given.application(input)).resolves.toMatchObject({ name: 'Storefront' })
    const production = await service.client({ environment: 'production' })
    expect(await faultsOf(service.given.application(input, production))).toEqual(['allowed_redirect_urls.0'])
  })

  test('422: a restriction names a live organization that the key may see', async () => {
    const { own, other, limited } = await givenLimitedClient()
    const foreign = await service.client({ account: await service.createAccount() })
    const theirs = await foreign.organizations.create({ name: `Theirs ${anything()}` })
    const gone = await service.given.organization()
    await client.organizations.delete({ org_domain: gone.domain })
    const org_domain = own.domain
    for (const organization_domain_scope of ['nowhere', theirs.domain, gone.domain]) {
      const attempt = service.given.application({ org_domain, organization_domain_scope })
      expect(await faultsOf(attempt)).toEqual(['organization_domain_scope'])
    }
    const closed = service.given.application({ org_domain, organization_domain_scope: other.domain }, limited)
    expect(await faultsOf(closed)).toEqual(['organization_domain_scope'])
  })

  test('422: what is missing or not of its type is named', async () => {
    const attempt = client.applications.create({
      org_domain: await givenDomain(),
      name: '',
      application_type: 'fortran' as never,
      allowed_redirect_urls: [],
      allowed_origins_cors: [],
      allowed_logout_urls: [],
      access_token_lifetime_in_seconds: 299,
    })
    expect(await faultsOf(attempt)).toEqual(['name', 'application_type', 'access_token_lifetime_in_seconds'])
  })
})

function restrictedTo(domain: string) {
  return { organization_domain_scope: domain, __access__: `limited_to:${domain}` }
}

describe('listing applications', () => {
  test('200: those of the account and those of the organization, newest first, with their exact number', async () => {
    const account = await service.createAccount()
    const own = await service.client({ account })
    const [one, two] = await Promise.all(
      ['One', 'Two'].map((name) => own.organizations.create({ name: `${name} ${anything()}` })),
    )
    const [org_domain = '', elsewhere = ''] = [one?.domain, two?.domain]
    const wide = await service.given.application({ org_domain: elsewhere }, own)
    const scoped = await service.given.application({ org_domain, organization_domain_scope: org_domain }, own)
    await service.given.application({ org_domain: elsewhere, organization_domain_scope: elsewhere }, own)
    const deleted = await service.given.application({ org_domain }, own)
    await own.applications.delete({ org_domain, client_id: deleted.id })

    const list = await own.applications.list({ org_domain })
    expect(list.data.map(({ id }) => id)).toEqual([scoped.id, wide.id])
    expect(list.total).toBe(2)
    const first = await own.applications.list({ org_domain, per_page: 1 })
    expect(first).toMatchObject({ total: 2, pagination: { total_pages: 2, next_page: 2 } })
    const rest = await own.applications.list({ org_domain, per_page: 1, after: first.next_cursor ?? '' })
    expect(rest.data).toEqual([wide])

    const production = await service.client({ account, environment: 'production' })
    expect(await production.applications.list({ org_domain })).toMatchObject({ data: [], total: 0 })
  })

  test('200: a key limited to an organization sees those of the account and of its organization', async () => {
    const { own, other, limited } = await givenLimitedClient()
    const wide = await service.given.application({ org_domain: own.domain })
    const scoped = await service.given.application({
      org_domain: own.domain,
      organization_domain_scope: own.domain,
    })
    const foreign = await service.given.application({
      org_domain: other.domain,
      organization_domain_scope: other.domain,
    })
    const ids = await idsOf(limited.applications.list({ org_domain: own.domain, per_page: 100 }))
    expect(ids).toEqual(expect.arrayContaining([wide.id, scoped.id]))
    expect(ids).not.toContain(foreign.id)
  })

  test('200: in the order that is asked for', async () => {
    const org_domain = await givenDomain()
    for (const name of ['B', 'A', 'C'])
      await service.given.application({ org_domain, name, organization_domain_scope: org_domain })
    const { data } = await client.applications.list({ org_domain, sort: '-name', per_page: 100 })
    const own = data.filter((application) => application.__domain__ === org_domain)
    expect(own.map(({ name }) => name)).toEqual(['C', 'B', 'A'])
  })

  test('404: under an organization that is not there, not even those of the account are listed', async () => {
    const { other, limited } = await givenLimitedClient()
    await service.given.application({ org_domain: other.domain })
    const missing = { status: 404, code: 'organization_not_found' }
    await expect(limited.applications.list({ org_domain: other.domain })).rejects.toMatchObject(missing)
    await expect(client.applications.list({ org_domain: 'nowhere' })).rejects.toMatchObject(missing)
  })
})

describe('getting an application', () => {
  test('200: by its client_id, also in a prefixed form', async () => {
    const org_domain = await givenDomain()
    const application = await service.given.application({ org_domain })
    const { id } = application
    for (const client_id of [id, `client_${id}`, id.toUpperCase()])
      expect(await client.applications.get({ org_domain, client_id })).toEqual(application)
  })

  test('404: restricted to another organization, of the other environment or account, it is a missing one', async () => {
    const { own, other } = await givenLimitedClient()
    const org_domain = own.domain
    const scoped = await service.given.application({
      org_domain: other.domain,
      organization_domain_scope: other.domain,
    })
    const wide = await service.given.application({ org_domain })
    const production = await service.client({ environment: 'production' })
    const stranger = await service.client({ account: await service.createAccount() })
    const theirs = await stranger.organizations.create({ name: `Theirs ${anything()}` })
    const missing = { status: 404, code: 'application_not_found' }
    for (const [key, input] of [
      [client, { org_domain, client_id: scoped.id }],
      [client, { org_domain, client_id: randomUUID() }],
      [client, { org_domain, client_id: 'nonsense' }],
      [production, { org_domain, client_id: wide.id }],
      [stranger, { org_domain: theirs.domain, client_id: wide.id }],
    ] as const)
      await expect(key.applications.get(input)).rejects.toMatchObject(missing)
    await expect(stranger.applications.get({ org_domain, client_id: wide.id })).rejects.toMatchObject({
      status: 404,
      code: 'organization_not_found',
    })
  })
})

describe('changing an application', () => {
  test('200: what is sent changes, null clears, and the rest stays', async () => {
    const org_domain = await givenDomain()
    const before = await service.given.application({ org_domain, description: 'Where customers order' })
    const client_id = before.id
    const after = await client.applications.update({
      org_domain,
      client_id,
      application_type: 'vue',
      description: null,
      default_logout_url: null,
    })
    expect(after).toEqual({
      ...before,
      application_type: 'vue',
      description: null,
      default_logout_url: null,
      updated_at: after.updated_at,
    })
    expect(await client.applications.get({ org_domain, client_id })).toEqual(after)
  })

  test('200: a default follows its list, unless the list still has it', async () => {
    const org_domain = await givenDomain()
    const { id: client_id } = await service.given.application({
      org_domain,
      allowed_redirect_urls: ['https://store.example/1', 'https://store.example/2'],
    })
    const update = (...allowed_redirect_urls: string[]) =>
      client.applications.update({ org_domain, client_id, allowed_redirect_urls })
    const kept = await update('https://store.example/2', 'https://store.example/1')
    expect(kept.default_redirect_uri_after_login).toBe('https://store.example/1')
    const followed = await update('https://store.example/3', 'https://store.example/2')
    expect(followed.default_redirect_uri_after_login).toBe('https://store.example/3')
    expect((await update()).default_redirect_uri_after_login).toBeNull()
  })

  test('200: moved to another organization, it is gone from the others', async () => {
    const { own, other } = await givenLimitedClient()
    const { id: client_id } = await service.given.application({ org_domain: own.domain })
    const moved = await client.applications.update({
      org_domain: own.domain,
      client_id,
      organization_domain_scope: other.domain,
    })
    expect(moved).toMatchObject({ __domain__: other.domain, ...restrictedTo(other.domain) })
    await expect(client.applications.get({ org_domain: own.domain, client_id })).rejects.toMatchObject({
      code: 'application_not_found',
    })
    const opened = await client.applications.update({
      org_domain: other.domain,
      client_id,
      organization_domain_scope: null,
    })
    expect(opened.__access__).toBe(`all_organizations_of:${service.account.domain}`)
    expect(await client.applications.get({ org_domain: own.domain, client_id })).toEqual(opened)
  })

  test('403: a key limited to organizations changes no application of the account, and makes none', async () => {
    const { own, limited } = await givenLimitedClient()
    const org_domain = own.domain
    const wide = await service.given.application({ org_domain })
    const scoped = await service.given.application({ org_domain, organization_domain_scope: org_domain })
    const refused = { status: 403, code: 'key_limited_to_organizations' }
    await expect(
      limited.applications.update({ org_domain, client_id: wide.id, name: 'Mine' }),
    ).rejects.toMatchObject(refused)
    await expect(limited.applications.delete({ org_domain, client_id: wide.id })).rejects.toMatchObject(
      refused,
    )
    await expect(
      limited.applications.update({ org_domain, client_id: scoped.id, organization_domain_scope: null }),
    ).rejects.toMatchObject(refused)
    await expect(
      limited.applications.update({ org_domain, client_id: scoped.id, name: 'Mine' }),
    ).resolves.toMatchObject({ name: 'Mine', ...restrictedTo(org_domain) })
  })

  test('404: restricted to another organization, it is a missing one', async () => {
    const { own, other } = await givenLimitedClient()
    const { id: client_id } = await service.given.application({
      org_domain: other.domain,
      organization_domain_scope: other.domain,
    })
    const missing = { status: 404, code: 'application_not_found' }
    const input = { org_domain: own.domain, client_id }
    await expect(client.applications.update({ ...input, name: 'Mine' })).rejects.toMatchObject(missing)
    await expect(client.applications.delete(input)).rejects.toMatchObject(missing)
  })

  test('412: a change for an earlier version is refused, and nothing happens', async () => {
    const org_domain = await givenDomain()
    const first = await service.given.application({ org_domain })
    const ifMatch = etagOf(first)
    const input = { org_domain, client_id: first.id }
    const second = await client.applications.update({ ...input, name: 'Second' }, { ifMatch })
    expect(etagOf(second)).not.toBe(ifMatch)
    const refused = { status: 412, code: 'precondition_failed' }
    await expect(client.applications.update({ ...input, name: 'Third' }, { ifMatch })).rejects.toMatchObject(
      refused,
    )
    await expect(client.applications.delete(input, { ifMatch })).rejects.toMatchObject(refused)
    expect(await client.applications.get(input)).toEqual(second)
  })

  test('412: of parallel changes of one version one happens', async () => {
    const org_domain = await givenDomain()
    const application = await service.given.application({ org_domain })
    const attempts = Array.from({ length: 5 }, (_, index) =>
      client.applications.update(
        { org_domain, client_id: application.id, name: `Name ${index}` },
        { ifMatch: etagOf(application) },
      ),
    )
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('422: what the application would be is checked as a whole', async () => {
    const org_domain = await givenDomain()
    const { id: client_id } = await service.given.application({
      org_domain,
      application_type: 'ios',
      allowed_redirect_urls: ['https://store.example/callback', 'com.example.store:/callback'],
    })
    const asWeb = client.applications.update({ org_domain, client_id, application_type: 'web' })
    expect(await faultsOf(asWeb)).toEqual(['allowed_redirect_urls.1'])
    const unlisted = client.applications.update({
      org_domain,
      client_id,
      default_redirect_uri_after_login: 'https://other.example/',
    })
    expect(await faultsOf(unlisted)).toEqual(['default_redirect_uri_after_login'])
    const nowhere = client.applications.update({
      org_domain,
      client_id,
      organization_domain_scope: 'nowhere',
    })
    expect(await faultsOf(nowhere)).toEqual(['organization_domain_scope'])
  })
})

describe('deleting an application', () => {
  test('200: the deletion envelope; afterwards it is in no list, and a read tells that it is deleted', async () => {
    const org_domain = await givenDomain()
    const application = await service.given.application({ org_domain })
    const input = { org_domain, client_id: application.id }
    expect(await client.applications.delete(input)).toEqual({
      deleted: true,
      resource: application,
      type: '__Deleted__',
    })
    expect(await client.applications.get(input)).toEqual({
      __type__: 'Application',
      id: application.id,
      name: application.name,
      deleted: true,
    })
    expect(await idsOf(client.applications.list({ org_domain, per_page: 100 }))).not.toContain(application.id)
    const missing = { status: 404, code: 'application_not_found' }
    await expect(client.applications.delete(input)).rejects.toMatchObject(missing)
    await expect(client.applications.update({ ...input, name: 'Back' })).rejects.toMatchObject(missing)
  })

  test('200: restricted to another organization, a deleted one is a missing one', async () => {
    const { own, other } = await givenLimitedClient()
    const { id: client_id } = await service.given.application({
      org_domain: own.domain,
      organization_domain_scope: own.domain,
    })
    await client.applications.delete({ org_domain: own.domain, client_id })
    await expect(client.applications.get({ org_domain: other.domain, client_id })).rejects.toMatchObject({
      status: 404,
      code: 'application_not_found',
    })
  })
})

test('every change of an application is an event of what owns it', async () => {
  const org_domain = await givenDomain()
  const { id: client_id } = await service.given.application({ org_domain })
  await client.applications.update({ org_domain, client_id, organization_domain_scope: org_domain })
  await client.applications.delete({ org_domain, client_id })
  const events = await service.query(
    `select code, domain, organization_id is null as is_of_account, data->>'__domain__' as owner
     from events where data->>'id' = $1 order by issued_at, id`,
    [client_id],
  )
  const { domain } = service.account
  expect(events).toEqual([
    { code: 'application.application.create.success', domain, is_of_account: true, owner: domain },
    ...['update', 'delete'].map((action) => ({
      code: `application.application.${action}.success`,
      domain: org_domain,
      is_of_account: false,
      owner: org_domain,
    })),
  ])
})
