import { etagOf } from '@portico/sdk'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { faultsOf } from '../given/faults.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { givenLimitedClient, idsOf, restrictedTo } from './application-given.js'

const service = await startService()
const client = await service.client()

describe('registering an application', () => {
  test('201: for the whole account, unless it is restricted', async () => {
    const org_domain = await service.given.domain()
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
    const org_domain = await service.given.domain()
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
      org_domain: await service.given.domain(),
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
    const org_domain = await service.given.domain()
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
    const { own, limited } = await givenLimitedClient(service)
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
    const { other, limited } = await givenLimitedClient(service)
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
      org_domain: await service.given.domain(),
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
      org_domain: await service.given.domain(),
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
    const org_domain = await service.given.domain()
    const input = { org_domain, allowed_redirect_urls: ['http://localhost:3000/callback'] }
    await expect(service.given.application(input)).resolves.toMatchObject({ name: 'Storefront' })
    const production = await service.client({ environment: 'production' })
    expect(await faultsOf(service.given.application(input, production))).toEqual(['allowed_redirect_urls.0'])
  })

  test('422: a restriction names a live organization that the key may see', async () => {
    const { own, other, limited } = await givenLimitedClient(service)
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
      org_domain: await service.given.domain(),
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
    const { own, other, limited } = await givenLimitedClient(service)
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
    const org_domain = await service.given.domain()
    for (const name of ['B', 'A', 'C'])
      await service.given.application({ org_domain, name, organization_domain_scope: org_domain })
    const { data } = await client.applications.list({ org_domain, sort: '-name', per_page: 100 })
    const own = data.filter((application) => application.__domain__ === org_domain)
    expect(own.map(({ name }) => name)).toEqual(['C', 'B', 'A'])
  })

  test('404: under an organization that is not there, not even those of the account are listed', async () => {
    const { other, limited } = await givenLimitedClient(service)
    await service.given.application({ org_domain: other.domain })
    const missing = { status: 404, code: 'organization_not_found' }
    await expect(limited.applications.list({ org_domain: other.domain })).rejects.toMatchObject(missing)
    await expect(client.applications.list({ org_domain: 'nowhere' })).rejects.toMatchObject(missing)
  })
})

describe('getting an application', () => {
  test('200: by its client_id, also in a prefixed form', async () => {
    const org_domain = await service.given.domain()
    const application = await service.given.application({ org_domain })
    const { id } = application
    for (const client_id of [id, `client_${id}`, id.toUpperCase()])
      expect(await client.applications.get({ org_domain, client_id })).toEqual(application)
  })

  test('404: restricted to another organization, of the other environment or account, it is a missing one', async () => {
    const { own, other } = await givenLimitedClient(service)
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
