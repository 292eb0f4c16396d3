import { etagOf, type Application } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { faultsOf } from '../given/faults.js'
import { startService } from '../given/harness.js'
import { givenLimitedClient, idsOf, restrictedTo } from './application-given.js'

const service = await startService()
const client = await service.client()

describe('changing an application', () => {
  test('200: what is sent changes, null clears, and the rest stays', async () => {
    const org_domain = await service.given.domain()
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

  test('200: the address at which it begins sign-ins is set, kept and taken away', async () => {
    const org_domain = await service.given.domain()
    const initiate_login_uri = 'https://store.example/auth/sign-in'
    const { id: client_id, ...created } = await service.given.application({ org_domain, initiate_login_uri })
    expect(created).toMatchObject({ initiate_login_uri })

    const renamed = await client.applications.update({ org_domain, client_id, name: 'Shop' })
    expect(renamed).toMatchObject({ initiate_login_uri })
    const cleared = await client.applications.update({ org_domain, client_id, initiate_login_uri: null })
    expect(cleared).toMatchObject({ initiate_login_uri: null })
    expect(etagOf(cleared)).not.toBe(etagOf(renamed))
    await expect(
      client.applications.update({ org_domain, client_id, initiate_login_uri: 'http://store.example/' }),
    ).rejects.toMatchObject({ fields: [{ path: 'initiate_login_uri', code: 'scheme_not_allowed' }] })
  })

  test('200: the domain of its passkeys is of all its web origins, whichever of both is changed', async () => {
    const org_domain = await service.given.domain()
    const allowed_web_origins = ['https://store.example', 'https://eu.store.example:8443']
    const created = await service.given.application({
      ...{ org_domain, allowed_web_origins, passkey_rp_id: 'store.example' },
    })
    const { id: client_id } = created
    const isRefused = async (changes: Partial<Application>) =>
      expect(
        client.applications.update({ ...{ org_domain, client_id }, ...changes }),
        JSON.stringify(changes),
      ).rejects.toMatchObject({
        ...{ status: 422, fields: [{ path: 'passkey_rp_id', code: 'not_of_web_origins' }] },
      })
    for (const passkey_rp_id of [
      'eu.store.example',
      'example',
      'other.example',
      'STORE.example',
      're.example',
    ])
      await isRefused({ passkey_rp_id })
    for (const origin of [
      'https://store.example.evil.example',
      'https://restore.example',
      'https://192.0.2.1',
    ])
      await isRefused({ allowed_web_origins: [...allowed_web_origins, origin] })
    await isRefused({ allowed_web_origins: [] })
    await isRefused({ passkey_rp_id: '192.0.2.1', allowed_web_origins: ['https://192.0.2.1'] })
    expect(await client.applications.get({ org_domain, client_id })).toEqual(created)

    const [store = ''] = allowed_web_origins
    const moved = await client.applications.update({
      ...{ org_domain, client_id, allowed_web_origins: [store, 'https://store.example:9443'] },
    })
    expect(moved).toMatchObject({ passkey_rp_id: 'store.example' })
    const cleared = await client.applications.update({ org_domain, client_id, passkey_rp_id: null })
    expect(cleared).toMatchObject({ passkey_rp_id: null })
    expect(
      await client.applications.update({ org_domain, client_id, allowed_web_origins: [] }),
    ).toMatchObject({
      ...{ passkey_rp_id: null, allowed_web_origins: [] },
    })
  })

  test('200: a default follows its list, unless the list still has it', async () => {
    const org_domain = await service.given.domain()
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
    const { own, other } = await givenLimitedClient(service)
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
    const { own, limited } = await givenLimitedClient(service)
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
    const { own, other } = await givenLimitedClient(service)
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
    const org_domain = await service.given.domain()
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
    const org_domain = await service.given.domain()
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
    const org_domain = await service.given.domain()
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
    const org_domain = await service.given.domain()
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
    const { own, other } = await givenLimitedClient(service)
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
  const org_domain = await service.given.domain()
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
