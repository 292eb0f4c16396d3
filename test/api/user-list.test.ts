import type { User } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'

const service = await startService()
const client = await service.client()

/** An organization with users of these names, in the order of their creation. */
async function givenUsers(...names: string[]) {
  const { domain: org_domain } = await service.given.organization()
  const host = `${anything()}.example`
  const users: User[] = []
  for (const name of names)
    users.push(await service.given.user({ org_domain, email: `${name}@${host}` }, client))
  const list = (query: object) => client.users.list({ org_domain, ...query })
  const listed = async (query: object) => {
    const { data, total } = await list(query)
    expect(total).toBe(data.length)
    return data.map(({ email }) => email.slice(0, email.indexOf('@')))
  }
  return { org_domain, host, users, list, listed }
}

describe('users by the beginning of their address', () => {
  test('are found in any case, newest first', async () => {
    const { listed } = await givenUsers('ada', 'bob', 'Adam', 'cada')

    expect(await listed({ filter: 'ad' })).toEqual(['Adam', 'ada'])
    expect(await listed({ filter: 'ADA' })).toEqual(['Adam', 'ada'])
    expect(await listed({ filter: 'ada@' })).toEqual(['ada'])
    expect(await listed({ filter: 'da' })).toEqual([])
  })

  test('are found by letters alone: nothing stands for others', async () => {
    const { listed } = await givenUsers('a_b', 'a%b', 'axb', 'a.b', 'a-b')

    expect(await listed({ filter: 'a_' })).toEqual(['a_b'])
    expect(await listed({ filter: 'a%' })).toEqual(['a%b'])
    expect(await listed({ filter: 'a.' })).toEqual(['a.b'])
    expect(await listed({ filter: 'a-' })).toEqual(['a-b'])
    expect(await listed({ filter: 'a', sort: 'email' })).toEqual(['a%b', 'a-b', 'a.b', 'a_b', 'axb'])
  })

  test('an empty beginning is that of every address', async () => {
    const { listed } = await givenUsers('ada', 'bob')

    expect(await listed({ filter: '' })).toEqual(['bob', 'ada'])
    expect(await listed({ filter: '', active: true })).toEqual(['bob', 'ada'])
  })

  test('come page by page and behind a cursor, with their exact total', async () => {
    const { list } = await givenUsers('ada1', 'bob1', 'ada2', 'ada3', 'bob2', 'ada4')
    const all = await list({ filter: 'ada' })

    const first = await list({ filter: 'ada', per_page: 2 })
    const second = await list({ filter: 'ada', per_page: 2, page: 2 })
    const rest = await list({ filter: 'ada', after: first.next_cursor })

    expect([first.total, second.total, all.total]).toEqual([4, 4, 4])
    expect([...first.data, ...second.data]).toEqual(all.data)
    expect(rest.data).toEqual(second.data)
    expect(second.next_cursor).toBeNull()
  })

  test('are whole records, as without a filter', async () => {
    const { org_domain, users, list } = await givenUsers('ada', 'bob')
    const { name: key } = await service.given.metaKey({ org_domain })
    await client.users.addMetadata({ org_domain, user_id: users[0]?.id ?? '', key, value: 'value' })
    const preload_associations = ['roles'] as const

    const { data } = await list({ filter: 'ada', preload_associations })

    expect(data).toEqual((await list({ preload_associations })).data.slice(1))
    expect(data[0]?.metadata).toHaveLength(1)
  })

  test('are neither deleted, nor of another organization, environment or account', async () => {
    const { org_domain, host, users, listed } = await givenUsers('ada', 'adam')
    const neighbour = await service.given.organization()
    await service.given.user({ org_domain: neighbour.domain, email: `adele@${host}` }, client)
    const production = await service.client({ environment: 'production' })
    await production.users.create({ org_domain, email: `adolf@${host}` })
    await client.users.delete({ org_domain, user_id: users[0]?.id ?? '' })
    const stranger = await service.client({ account: await service.createAccount() })

    expect(await listed({ filter: 'ad' })).toEqual(['adam'])
    await expect(stranger.users.list({ org_domain, filter: 'ad' })).rejects.toMatchObject({
      status: 404,
      code: 'organization_not_found',
    })
  })
})

describe('users by whether they are active', () => {
  test('are all of the one kind, with their exact total', async () => {
    const { org_domain, users, listed } = await givenUsers('ada', 'bob', 'adam', 'eve')
    for (const { id: user_id } of users.slice(0, 2))
      await client.users.update({ org_domain, user_id, active: false })

    expect(await listed({ active: true })).toEqual(['eve', 'adam'])
    expect(await listed({ active: false })).toEqual(['bob', 'ada'])
    expect(await listed({ active: false, filter: 'ad' })).toEqual(['ada'])
    expect(await listed({ active: true, filter: 'ad', sort: '-email' })).toEqual(['adam'])
  })

  test('404: of an organization that is missing, with any filter', async () => {
    expect.hasAssertions()
    for (const filter of [{ active: true }, { active: false }, { filter: 'a' }, { filter: '\0' }])
      await expect(client.users.list({ org_domain: 'missing', ...filter })).rejects.toMatchObject({
        code: 'organization_not_found',
      })
  })
})

test('a filter that can match nobody gives nobody', async () => {
  const { org_domain } = await givenUsers('ada')
  const token = await service.token()
  for (const query of ['filter=a%00', 'filter[]=a', 'active=maybe', 'active=', 'filter=&active=2']) {
    const answer = await fetch(`${service.baseUrl}/api/v2/org/${org_domain}/users?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect([query, await answer.json()]).toMatchObject([query, { data: [], total: 0, next_cursor: null }])
  }
})
