import { describe, expect, test } from 'vitest'
import { roundTrips } from '../given/counted.js'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'

const service = await startService()

/** An account with an application of its own, and one that is restricted to each of two organizations. */
async function givenAccount() {
  const account = await service.createAccount()
  const client = await service.client({ account })
  const given = givenOf(client)
  const [one, two] = [await given.organization(), await given.organization()]
  // The counts of users are beside those of the applications.
  await given.user({ org_domain: one.domain })
  const wide = await given.application({ org_domain: one.domain, name: 'Storefront' })
  const [ofOne, ofTwo] = [
    await given.application({
      ...{ org_domain: one.domain, organization_domain_scope: one.domain },
      name: 'Back office',
    }),
    await given.application({
      ...{ org_domain: two.domain, organization_domain_scope: two.domain },
      name: 'Office 100%',
    }),
  ]
  return { account, client, given, one, two, wide, ofOne, ofTwo }
}

describe('the applications of an account', () => {
  test('are those of the whole account and of its organizations, newest first, with their exact number', async () => {
    const { client, wide, ofOne, ofTwo } = await givenAccount()

    const all = await client.applications.listOfAccount({})
    expect(all.data).toEqual([ofTwo, ofOne, wide])
    expect(all.total).toBe(3)

    const first = await client.applications.listOfAccount({ per_page: 2 })
    const rest = await client.applications.listOfAccount({ after: first.next_cursor ?? '' })
    expect([...first.data, ...rest.data]).toEqual(all.data)
    expect(rest).toMatchObject({ total: 3, next_cursor: null })
  })

  test('are with a limited key those of the whole account and of its organizations', async () => {
    const { account, one, two, wide, ofOne } = await givenAccount()
    const limited = await service.client({ account, organizationIds: [one.id] })

    expect(await limited.applications.listOfAccount({})).toMatchObject({ data: [ofOne, wide], total: 2 })
    const ofTwo = { organization_domain_scope: two.domain }
    expect(await limited.applications.listOfAccount(ofTwo)).toMatchObject({ data: [], total: 0 })
    expect(await limited.applications.listOfAccount({ filter: 'office' })).toMatchObject({
      data: [ofOne],
      total: 1,
    })
  })

  test('are neither those of another account, nor of the other environment', async () => {
    const { account } = await givenAccount()
    const stranger = await service.client({ account: await service.createAccount() })
    const production = await service.client({ account, environment: 'production' })

    for (const client of [stranger, production])
      expect(await client.applications.listOfAccount({})).toMatchObject({ data: [], total: 0 })
  })

  test('are not those that were deleted, by themselves or with their organization', async () => {
    const { client, one, two, wide, ofOne, ofTwo } = await givenAccount()
    await client.applications.delete({ org_domain: two.domain, client_id: ofTwo.id })
    expect(await client.applications.listOfAccount({})).toMatchObject({ data: [ofOne, wide], total: 2 })

    await client.organizations.delete({ org_domain: one.domain })

    expect(await client.applications.listOfAccount({})).toMatchObject({ data: [wide], total: 1 })
    const ofDeleted = { organization_domain_scope: one.domain }
    expect(await client.applications.listOfAccount(ofDeleted)).toMatchObject({ data: [], total: 0 })
  })

  test('are filtered by a part of the name and by organization; a value that none can have gives none', async () => {
    const { client, two, wide, ofOne, ofTwo } = await givenAccount()
    const listed = async (query: object) => {
      const { data, total } = await client.applications.listOfAccount(query)
      expect(total).toBe(data.length)
      return data
    }

    expect(await listed({ filter: 'OFFICE' })).toEqual([ofTwo, ofOne])
    expect(await listed({ filter: '0%' })).toEqual([ofTwo])
    expect(await listed({ filter: '%' })).toEqual([ofTwo])
    expect(await listed({ filter: '' })).toEqual([ofTwo, ofOne, wide])
    expect(await listed({ organization_domain_scope: two.domain })).toEqual([ofTwo])
    expect(await listed({ organization_domain_scope: two.domain, filter: 'back' })).toEqual([])
    for (const impossible of [{ filter: '\0' }, { organization_domain_scope: '\0' }])
      expect(await listed(impossible)).toEqual([])
  })

  test('are all there where each has what the filter names', async () => {
    const account = await service.createAccount()
    const client = await service.client({ account })
    const given = givenOf(client)
    const { domain: org_domain } = await given.organization()
    const only = await given.application({ org_domain, organization_domain_scope: org_domain })

    for (const query of [{ filter: '' }, { organization_domain_scope: org_domain }])
      expect(await client.applications.listOfAccount(query)).toMatchObject({ data: [only], total: 1 })
  })

  test('cost as many round trips whatever their number', async () => {
    const { client, given, one } = await givenAccount()
    const cost = async () => {
      const before = await roundTrips(service)
      await client.applications.listOfAccount({})
      return (await roundTrips(service)) - before
    }
    await cost()
    const few = await cost()
    for (let count = 0; count < 5; count += 1)
      await given.application({ org_domain: one.domain, organization_domain_scope: one.domain })

    expect([few, await cost()]).toEqual([2, 2])
  })
})
