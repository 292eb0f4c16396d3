import { scimLimits } from '@portico/contract/scim'
import { expect, test } from 'vitest'
import { longTest } from '../../sampled.js'
import { startService } from '../../given/harness.js'
import { scimGivenOf } from '../../given/scim-given.js'
import { asMembers, directoryUsers, groupsOf } from './group-given.js'

const service = await startService()
const client = await service.client()
const given = scimGivenOf(client)

/** A directory with two users and this many groups, all with the first user as a member. */
async function scene(groupCount: number) {
  const { org_domain, directory, scim } = await given.directory()
  const [first = '', second = ''] = await directoryUsers(service, directory, 2)
  await service.query(
    `with made as (
       insert into directory_groups (
         account_id, environment, organization_id, directory_id, id, display_name, display_name_normalized,
         inserted_at, updated_at
       )
       select account_id, environment, organization_id, id, gen_random_uuid(), 'group ' || number, 'group ' || number,
         $3, $3
       from directories, generate_series(1, $2::integer) number
       where id = $1
       returning account_id, environment, organization_id, id
     )
     insert into directory_group_members (account_id, environment, organization_id, group_id, user_id, inserted_at)
     select account_id, environment, organization_id, id, $4, $3 from made`,
    [directory.id, groupCount, service.clock.now(), first],
  )
  return { org_domain, scim, groups: groupsOf(scim), first, second }
}

longTest('a directory has as many groups as it may, and the next is refused until one is gone', async () => {
  const { scim, groups } = await scene(scimLimits.groups - 1)
  const last = await groups.make({ displayName: 'The last' })

  const refused = await scim('POST', '/Groups', { body: { displayName: 'Too many' } })
  expect(refused).toMatchObject({
    status: 403,
    body: { status: '403', detail: 'the directory has 10000 groups, which is all it may have' },
  })
  expect((await groups.list({ filter: 'displayName eq "Too many"' })).totalResults).toBe(0)

  await scim('DELETE', `/Groups/${last.id}`)
  expect((await scim('POST', '/Groups', { body: { displayName: 'In its place' } })).status).toBe(201)
})

test('a user is in as many groups as their record may have, and in no other', async () => {
  const { org_domain, groups, first, second } = await scene(scimLimits.groupsOfUser - 1)
  const thousandth = await groups.make({ displayName: 'The last', members: asMembers([first]) })
  const { id } = await groups.make({ displayName: 'Others', members: asMembers([second]) })

  const refused = await groups.patch(id, { op: 'add', path: 'members', value: asMembers([first]) })
  expect(refused).toMatchObject({
    status: 400,
    body: {
      scimType: 'invalidValue',
      detail: `members has ${first}, who is in 1000 groups, which is all a user may be in`,
    },
  })
  expect(await groups.memberIds(id)).toEqual([second])
  const user = await client.users.get({ org_domain, user_id: first })
  expect('groups' in user && user.groups.length).toBe(scimLimits.groupsOfUser)

  await groups.patch(thousandth.id, { op: 'remove', path: 'members' })
  const added = await groups.patch(id, { op: 'add', path: 'members', value: asMembers([first]) })
  expect([added.status, await groups.memberIds(id)]).toEqual([204, [first, second].toSorted()])
})
