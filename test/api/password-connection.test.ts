import { etagOf } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'

const service = await startService()
const client = await service.client()

async function givenOrganization(): Promise<{ org_domain: string }> {
  const { domain } = await service.given.organization()
  return { org_domain: domain }
}

describe('creating the connection', () => {
  test('201: without parameters it is active, for 8 to 128 characters, with a pepper for a day', async () => {
    const at = await givenOrganization()

    const connection = await client.password.createConnection(at)

    expect(connection).toMatchObject({
      __domain__: at.org_domain,
      __environment__: 'sandbox',
      active: true,
      plain_text_min_length: 8,
      plain_text_max_length: 128,
      pepper_rotation_period: 86_400,
    })
    expect(await client.password.getConnection(at)).toEqual(connection)
  })

  test('201: it comes with the first pepper, whose key is sealed', async () => {
    const at = await givenOrganization()
    await client.password.createConnection(at)

    const peppers = await service.query<{ version: number; size: number }>(
      `select version, length(key_sealed) as size from password_peppers
       where organization_id = (select id from organizations where domain = $1)`,
      [at.org_domain],
    )

    expect(peppers).toEqual([{ version: 1, size: expect.toSatisfy((size) => size > 32) }])
  })

  test('201: the other environment has none of it', async () => {
    const at = await givenOrganization()
    await client.password.createConnection(at)
    const production = await service.client({ environment: 'production' })

    await expect(production.password.getConnection(at)).rejects.toMatchObject({
      status: 404,
      code: 'password_connection_not_found',
    })
  })

  test('409: a second one, also when both are asked for at once', async () => {
    const at = await givenOrganization()

    const attempts = await Promise.allSettled([1, 2, 3].map(() => client.password.createConnection(at)))

    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(client.password.createConnection(at)).rejects.toMatchObject({
      status: 409,
      code: 'password_connection_taken',
    })
  })

  test.each([
    [8, 8],
    [9, 8],
    [200, undefined],
  ])('422: a shortest password of %s where the longest is %s', async (plain_text_min_length, max) => {
    const at = await givenOrganization()

    const attempt = client.password.createConnection({
      ...at,
      plain_text_min_length,
      ...(max !== undefined && { plain_text_max_length: max }),
    })

    await expect(attempt).rejects.toMatchObject({ status: 422, fields: [{ path: 'plain_text_min_length' }] })
  })

  test('422: a pepper that would be replaced more often than every hour', async () => {
    const attempt = client.password.createConnection({
      ...(await givenOrganization()),
      pepper_rotation_period: 3599,
    })

    await expect(attempt).rejects.toMatchObject({ status: 422, fields: [{ path: 'pepper_rotation_period' }] })
  })
})

describe('reading the connection', () => {
  test('404: there is none before it is created, and none of an organization that is not there', async () => {
    await expect(client.password.getConnection(await givenOrganization())).rejects.toMatchObject({
      status: 404,
      code: 'password_connection_not_found',
    })
    const missing = client.password.getConnection({ org_domain: `missing-${anything()}` })
    await expect(missing).rejects.toMatchObject({ status: 404, code: 'organization_not_found' })
  })
})

describe('changing the connection', () => {
  test('200: a change is read back, and changes nothing else', async () => {
    const at = await givenOrganization()
    const created = await client.password.createConnection(at)

    const changed = await client.password.updateConnection({ ...at, active: false })

    expect(changed).toEqual({ ...created, active: false, updated_at: changed.updated_at })
    expect(await client.password.getConnection(at)).toEqual(changed)
  })

  test.each([{ plain_text_min_length: 40 }, { plain_text_max_length: 8 }])(
    '422: %o alone, where the other length does not allow it, and nothing is changed',
    async (change) => {
      const at = await givenOrganization()
      const created = await client.password.createConnection({
        ...at,
        plain_text_min_length: 8,
        plain_text_max_length: 40,
      })

      const attempt = client.password.updateConnection({ ...at, ...change })

      await expect(attempt).rejects.toMatchObject({
        status: 422,
        fields: [{ path: 'plain_text_min_length', message: expect.stringContaining('lower') }],
      })
      expect(await client.password.getConnection(at)).toEqual(created)
    },
  )

  test('412: a change that was based on an older version does not happen', async () => {
    const at = await givenOrganization()
    const read = await client.password.createConnection(at)
    await client.password.updateConnection({ ...at, plain_text_min_length: 12 })

    const late = client.password.updateConnection(
      { ...at, plain_text_min_length: 10 },
      { ifMatch: etagOf(read) ?? '' },
    )

    await expect(late).rejects.toMatchObject({ status: 412, code: 'precondition_failed' })
    expect(await client.password.getConnection(at)).toMatchObject({ plain_text_min_length: 12 })
  })

  test('404: before it is created', async () => {
    const attempt = client.password.updateConnection({ ...(await givenOrganization()), active: false })

    await expect(attempt).rejects.toMatchObject({ status: 404, code: 'password_connection_not_found' })
  })
})
