import { describe, expect, test } from 'vitest'
import { startService } from '../../given/harness.js'
import { scimGivenOf } from '../../given/scim-given.js'
import { asMembers, groupScene } from './group-given.js'

const service = await startService()
const client = await service.client()
const given = scimGivenOf(client)
const scene = (userCount?: number) => groupScene(service, given, userCount)

type GroupEventCode = `dir_sync.group.${'provision' | 'update' | 'deprovision'}.success`

async function eventsOf(org_domain: string, code: GroupEventCode) {
  const { data } = await client.events.list({ code, limit: 100 })
  return data.filter((event) => event.__domain__ === org_domain)
}

describe('events', () => {
  test('tell what came and went, by ids', async () => {
    const { groups, users, org_domain, directory } = await scene(3)
    const [a = '', b = '', c = ''] = users
    const { id } = await groups.make({ displayName: 'One', members: asMembers([a, b]) })
    await groups.patch(
      id,
      { op: 'replace', path: 'displayName', value: 'Two' },
      { op: 'remove', path: `members[value eq "${a}"]` },
      { op: 'add', path: 'members', value: asMembers([c]) },
    )
    const [provision] = await eventsOf(org_domain, 'dir_sync.group.provision.success')
    const [update] = await eventsOf(org_domain, 'dir_sync.group.update.success')

    expect(provision).toMatchObject({
      actor: { type: 'directory', id: directory.id },
      data: {
        change: 'provision',
        directory_sync_id: directory.id,
        provider: 'custom_scim',
        resource: {
          id,
          type: 'Group',
          changes: {
            new_values: { id, display_name: 'One', members_added: [a, b], members_added_count: 2 },
            previous_values: {},
          },
        },
      },
    })
    expect(update?.data).toMatchObject({
      change: 'update',
      resource: {
        changes: {
          new_values: {
            display_name: 'Two',
            members_added: [c],
            members_added_count: 1,
            members_removed: [a],
            members_removed_count: 1,
          },
          previous_values: { display_name: 'One' },
        },
      },
    })
  })

  test('name a hundred members at most, and how many there are', async () => {
    const { scim, groups, users, org_domain } = await scene(101)
    const { id } = await groups.make({ displayName: 'All', members: asMembers(users) })
    await scim('DELETE', `/Groups/${id}`)

    const [provision] = await eventsOf(org_domain, 'dir_sync.group.provision.success')
    const [deprovision] = await eventsOf(org_domain, 'dir_sync.group.deprovision.success')

    expect(provision?.data).toMatchObject({
      resource: {
        changes: { new_values: { members_added: users.slice(0, 100), members_added_count: 101 } },
      },
    })
    expect(deprovision?.data).toMatchObject({
      resource: {
        changes: {
          new_values: {},
          previous_values: {
            display_name: 'All',
            members_removed: users.slice(0, 100),
            members_removed_count: 101,
          },
        },
      },
    })
  })

  test('are not of what is as it was', async () => {
    const { groups, users, org_domain } = await scene(1)
    const members = asMembers(users)
    const { id, displayName } = await groups.make({ members })

    await groups.replace(id, { displayName, members })
    await groups.patch(id, { op: 'add', path: 'members', value: members })

    expect(await eventsOf(org_domain, 'dir_sync.group.update.success')).toEqual([])
    expect((await groups.read(id)).meta.version).toBe('W/"1"')
  })
})
