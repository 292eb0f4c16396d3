import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { scimGivenOf, scimProvider } from '../given/scim-given.js'

const service = await startService()
const client = await service.client()
const given = scimGivenOf(client)

const day = 24 * 60 * 60

/** The status of a provider's request with this secret. */
async function statusWith(scim_base_url: string, secret: string): Promise<number> {
  return (await scimProvider(scim_base_url, secret)('GET', '/ServiceProviderConfig')).status
}

describe('a directory', () => {
  test('of an organization can be made once, read, changed and deleted', async () => {
    const { domain: org_domain } = await service.given.organization()
    const made = await client.directorySync.create({ org_domain, provider_type: 'okta' })
    expect(made).toMatchObject({
      __type__: 'DirectorySync',
      __domain__: org_domain,
      __environment__: 'sandbox',
      provider_type: 'okta',
      active: true,
      takes_over_users: false,
      scim_base_url: `${service.baseUrl}/scim/v2/${made.id}`,
      previous_secret_expires_at: null,
    })
    await expect(
      client.directorySync.create({ org_domain, provider_type: 'entra_id' }),
    ).rejects.toMatchObject({ status: 409, code: 'directory_sync_taken' })

    const changes = { provider_type: 'entra_id', active: false, takes_over_users: true } as const
    const changed = await client.directorySync.update({ org_domain, ...changes })
    expect(changed).toMatchObject({ id: made.id, ...changes })
    expect(await client.directorySync.get({ org_domain })).toEqual(changed)

    const deletion = await client.directorySync.delete({ org_domain })
    expect(deletion).toEqual({ deleted: true, resource: changed, type: '__Deleted__' })
    await expect(client.directorySync.get({ org_domain })).rejects.toMatchObject({
      code: 'directory_sync_not_found',
    })
    expect((await client.directorySync.create({ org_domain, provider_type: 'okta' })).id).not.toBe(made.id)
  })

  test('is one of each environment', async () => {
    const { org_domain, directory } = await given.directory()
    const production = await service.client({ environment: 'production' })
    await expect(production.directorySync.get({ org_domain })).rejects.toMatchObject({
      code: 'directory_sync_not_found',
    })

    const other = await production.directorySync.create({ org_domain, provider_type: 'okta' })

    expect(other.id).not.toBe(directory.id)
    expect(other.auth_secret_token.value).toMatch(/^scimproduction_/)
    expect((await client.directorySync.get({ org_domain })).id).toBe(directory.id)
  })

  test('changes of a version that is not the present one are refused', async () => {
    const { org_domain } = await given.directory()
    await client.directorySync.update({ org_domain, active: false })
    const stale = { ifMatch: '"1"' }
    const refused = { status: 412, code: 'precondition_failed' }

    await expect(client.directorySync.update({ org_domain, active: true }, stale)).rejects.toMatchObject(
      refused,
    )
    await expect(client.directorySync.reset({ org_domain }, stale)).rejects.toMatchObject(refused)
    await expect(client.directorySync.delete({ org_domain }, stale)).rejects.toMatchObject(refused)
    expect(await client.directorySync.get({ org_domain })).toMatchObject({ active: false })
  })

  test('is told by events, without its secret', async () => {
    const account = await service.createAccount()
    const own = await service.client({ account })
    const { org_domain, secret } = await scimGivenOf(own).directory()
    const reset = await own.directorySync.reset({ org_domain })
    await own.directorySync.update({ org_domain, active: false })
    await own.directorySync.delete({ org_domain })

    const { data } = await own.events.list({ code: 'dir_sync.all' })

    expect(data.map(({ code, errors }) => [code, errors])).toEqual(
      ['create', 'reset', 'update', 'delete'].map((verb) => [`dir_sync.directory.${verb}.success`, null]),
    )
    for (const value of [secret, reset.auth_secret_token.value ?? ''])
      expect(JSON.stringify(data)).not.toContain(value)
  })

  test('the same creation under one Idempotency-Key makes one, and shows its secret again', async () => {
    const { domain: org_domain } = await service.given.organization()
    const options = { idempotencyKey: anything() }
    const create = () => client.directorySync.create({ org_domain, provider_type: 'okta' }, options)

    const first = await create()

    expect(first.auth_secret_token.value).not.toBeNull()
    expect(await create()).toEqual(first)
  })
})

describe('the secret of a directory', () => {
  test('is shown when it is made, and never again', async () => {
    const { org_domain, directory, secret } = await given.directory()

    expect(secret).toMatch(/^scimsandbox_[0-9A-Za-z]{49}$/)
    expect(directory.auth_secret_token.hint).toBe(secret.slice(-4))
    const later = [
      await client.directorySync.get({ org_domain }),
      await client.directorySync.update({ org_domain, active: true }),
    ]
    for (const { auth_secret_token } of later)
      expect(auth_secret_token).toEqual({ hint: secret.slice(-4), value: null })
  })

  test('is good for 24 hours after a reset, beside the new one', async () => {
    const { org_domain, directory, secret } = await given.directory()
    const url = directory.scim_base_url

    const reset = await client.directorySync.reset({ org_domain })

    const fresh = reset.auth_secret_token.value ?? ''
    expect(fresh).toMatch(/^scimsandbox_/)
    expect(fresh).not.toBe(secret)
    const lifetimeMs = Date.parse(reset.previous_secret_expires_at ?? '') - Date.parse(reset.updated_at)
    expect(lifetimeMs).toBe(day * 1000)
    expect([await statusWith(url, secret), await statusWith(url, fresh)]).toEqual([200, 200])
    await service.clock.advance(day - 60)
    expect([await statusWith(url, secret), await statusWith(url, fresh)]).toEqual([200, 200])
    await service.clock.advance(60)
    expect([await statusWith(url, secret), await statusWith(url, fresh)]).toEqual([401, 200])
  })

  test('of before two resets is good no more', async () => {
    const { org_domain, directory, secret } = await given.directory()
    const url = directory.scim_base_url
    const secrets = [secret]
    for (const _ of [1, 2])
      secrets.push((await client.directorySync.reset({ org_domain })).auth_secret_token.value ?? '')

    const statuses = await Promise.all(secrets.map((each) => statusWith(url, each)))

    expect(statuses).toEqual([401, 200, 200])
  })

  test('is stored as a digest alone', async () => {
    const { directory, secret } = await given.directory()

    const rows = await service.query<{ text: string }>(
      `select d::text as text from directories d where id = $1`,
      [directory.id],
    )

    expect(rows).toHaveLength(1)
    expect(rows[0]?.text).not.toContain(secret)
    expect(rows[0]?.text).not.toContain(Buffer.from(secret).toString('hex'))
  })
})

describe('the log of a directory', () => {
  test('has each request with its answer, newest first', async () => {
    const { org_domain, directory, scim } = await given.directory()
    await scim('GET', '/ServiceProviderConfig?aadOptscim062020')
    const missing = await scim('GET', '/Schemas/nothing')

    const { data } = await client.directorySync.listRequests({ org_domain })

    expect(data).toMatchObject([
      {
        __type__: 'ScimRequest',
        __domain__: org_domain,
        __environment__: 'sandbox',
        directory_sync_id: directory.id,
        method: 'GET',
        path: '/Schemas/(not kept)',
        query: '',
        request: null,
        status: 404,
        answer: JSON.stringify(missing.body),
        changes: [],
        quirks: [],
        user_id: null,
        request_id: missing.headers.get('x-request-id'),
      },
      { path: '/ServiceProviderConfig', query: 'aadOptscim062020', status: 200, scim_type: null },
    ])
  })

  test('is filtered by answer', async () => {
    const { org_domain, scim } = await given.directory()
    await scim('GET', '/ServiceProviderConfig')
    await scim('GET', '/Schemas/nothing')

    const statusesOf = async (status: number) =>
      (await client.directorySync.listRequests({ org_domain, status })).data.map((each) => each.status)

    expect(await statusesOf(404)).toEqual([404])
    expect(await statusesOf(500)).toEqual([])
  })

  longTest('is kept for seven days', async () => {
    const { org_domain, scim } = await given.directory()
    await scim('GET', '/ServiceProviderConfig')
    const kept = async () => (await client.directorySync.listRequests({ org_domain })).total
    await service.clock.advance(7 * day - 60)
    await service.runJobs()
    expect(await kept()).toBe(1)

    await service.clock.advance(day)
    await service.runJobs()

    expect(await kept()).toBe(0)
  })

  test('begins anew with another directory', async () => {
    const { org_domain, scim } = await given.directory()
    await scim('GET', '/ServiceProviderConfig')
    await client.directorySync.delete({ org_domain })

    await given.directory({ org_domain })

    expect((await client.directorySync.listRequests({ org_domain })).data).toEqual([])
  })

  test('of another organization is not there', async () => {
    const { org_domain, scim } = await given.directory()
    await scim('GET', '/ServiceProviderConfig')
    const other = await given.directory()

    expect((await client.directorySync.listRequests({ org_domain: other.org_domain })).data).toEqual([])
    expect((await client.directorySync.listRequests({ org_domain })).total).toBe(1)
  })
})
