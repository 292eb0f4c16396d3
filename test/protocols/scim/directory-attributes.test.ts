import { describe, expect, test } from 'vitest'
import { startService } from '../../given/harness.js'
import { enterpriseUser, replacing, scimUsersGivenOf } from './user-given.js'

const service = await startService()
const client = await service.client()
const given = scimUsersGivenOf(client)

const preload_associations = ['directory_attributes' as const]

/** What the directory says of a user whom it keeps. */
async function said(org_domain: string, user_id: string) {
  const user = await client.users.get({ org_domain, user_id, preload_associations })
  return 'deleted' in user ? undefined : user.directory_attributes
}

const described = {
  displayName: 'Ada, Countess of Lovelace',
  title: 'Countess',
  userType: 'Employee',
  preferredLanguage: 'en-GB',
  name: { givenName: 'Ada', familyName: 'Lovelace', honorificPrefix: 'Lady' },
  roles: [{ value: 'lead', display: 'Team lead', primary: true }],
  entitlements: [{ value: 'engine', type: 'licence' }],
  [enterpriseUser]: {
    employeeNumber: 1815,
    costCenter: 'CC-42',
    organization: 'Analytical',
    division: 'Research',
    department: 'Engines',
    manager: { value: '7', displayName: 'Charles' },
  },
}

const asRead = {
  display_name: 'Ada, Countess of Lovelace',
  title: 'Countess',
  user_type: 'Employee',
  employee_number: '1815',
  cost_center: 'CC-42',
  organization: 'Analytical',
  division: 'Research',
  department: 'Engines',
  manager: { id: '7', display_name: 'Charles', user_id: null },
  roles: [{ value: 'lead', display: 'Team lead', type: null, primary: true }],
  entitlements: [{ value: 'engine', display: null, type: 'licence', primary: false }],
  preferred_language: 'en-GB',
  honorific_prefix: 'Lady',
  honorific_suffix: null,
  custom: {},
}

describe('what a directory says of a user', () => {
  test('is in the record where a read asks for it, and nowhere else', async () => {
    const { scim, org_domain } = await given.directory()
    const { id: user_id, userName: user_email } = await given.user(scim, described)

    expect(await said(org_domain, user_id)).toEqual(asRead)
    const byEmail = await client.users.getByEmail({ org_domain, user_email, preload_associations })
    expect(byEmail.directory_attributes).toEqual(asRead)
    const listed = await client.users.list({ org_domain, preload_associations })
    expect(listed.data.map(({ directory_attributes }) => directory_attributes)).toEqual([asRead])
    expect(await client.users.get({ org_domain, user_id })).not.toHaveProperty('directory_attributes')
    const [plain] = (await client.users.list({ org_domain })).data
    expect(plain).not.toHaveProperty('directory_attributes')
  })

  test('is null of a user whom no directory keeps, and of all when the directory is deleted', async () => {
    const { scim, org_domain } = await given.directory()
    const { id } = await given.user(scim, described)
    const alone = await service.given.user({ org_domain })

    expect(await said(org_domain, alone.id)).toBeNull()
    await client.directorySync.delete({ org_domain })
    expect(await said(org_domain, id)).toBeNull()
  })

  test('names the manager as a user where the directory keeps one of this id', async () => {
    const { scim, org_domain } = await given.directory()
    const other = await given.directory()
    const manager = await given.user(scim)
    const stranger = await given.user(other.scim)
    const outside = await service.given.user({ org_domain })
    const managed = async (value: string) => {
      const { id } = await given.user(scim, { [enterpriseUser]: { manager: { value } } })
      return (await said(org_domain, id))?.manager
    }

    expect(await managed(manager.id)).toEqual({ id: manager.id, display_name: null, user_id: manager.id })
    for (const id of [stranger.id, outside.id, 'x', ''])
      expect(await managed(id)).toEqual({ id, display_name: null, user_id: null })
  })

  test('is in the events and in the request log with what changed', async () => {
    const { scim, org_domain } = await given.directory()
    const { id } = await given.user(scim, described)
    const Operations = [
      { op: 'replace', path: 'title', value: 'Author' },
      { op: 'remove', path: `${enterpriseUser}:department` },
      { op: 'add', path: 'roles', value: [{ value: 'writer' }] },
    ]
    await scim('PATCH', `/Users/${id}`, { body: { ...replacing('title', ''), Operations } })
    await scim('PATCH', `/Users/${id}`, { body: replacing('nickName', 'Ada') })
    await scim('DELETE', `/Users/${id}`)

    const events = await given.events(org_domain)
    const changes = events.flatMap(({ data }) =>
      '__type__' in data && data.__type__ === 'DirectorySyncEvent' ? [data.resource.changes] : [],
    )
    expect(changes[0]?.new_values).toMatchObject({ directory_attributes: asRead })
    const roles = [...asRead.roles, { value: 'writer', display: null, type: null, primary: false }]
    expect(changes[1]).toEqual({
      new_values: {
        directory_attributes: { title: 'Author', department: null, roles },
        updated_at: expect.any(String) as string,
      },
      previous_values: {
        directory_attributes: { title: 'Countess', department: 'Engines', roles: asRead.roles },
        updated_at: expect.any(String) as string,
      },
    })
    expect(changes[2]?.new_values).not.toHaveProperty('directory_attributes')
    expect(changes[3]?.previous_values).toMatchObject({
      directory_attributes: { ...asRead, title: 'Author', department: null, roles },
    })
    const { data } = await client.directorySync.listRequests({ org_domain })
    expect(data.find(({ method }) => method === 'POST')?.changes[0]?.members).toContain(
      'directory_attributes',
    )
    expect(data.findLast(({ method }) => method === 'PATCH')?.changes[0]?.members).toEqual([
      'updated_at',
      'directory_attributes.title',
      'directory_attributes.department',
      'directory_attributes.roles',
    ])
  })

  test('costs an event nothing else where there is too much of it', async () => {
    const { scim, org_domain } = await given.directory()
    const roles = Array.from({ length: 100 }, (_, index) => ({ value: `${index} ${'r'.repeat(200)}` }))
    const { id, userName } = await given.user(scim, { roles })

    expect((await said(org_domain, id))?.roles).toHaveLength(100)
    expect((await given.events(org_domain)).at(-1)).toMatchObject({
      code: 'dir_sync.user.provision.success',
      data: {
        resource: { changes: { new_values: { email: userName, directory_attributes: { truncated: true } } } },
      },
    })
  })
})
