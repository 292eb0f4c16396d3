import { expect, onTestFinished, test } from 'vitest'
import { createEngineAccess, writeInvoice } from '../../docs/examples/fine-grained/access.js'
import { openFga } from '../../docs/examples/fine-grained/engine.js'
import { feed } from '../../docs/examples/fine-grained/feed.js'
import { startService } from '../given/harness.js'
import { roleGivenOf } from '../given/role-given.js'
import { asMembers, groupsOf } from '../protocols/scim/group-given.js'
import { scimUsersGivenOf } from '../protocols/scim/user-given.js'
import { startRelationshipEngine } from './relationship-engine.js'

const service = await startService()

/** An account with one user, and an engine that is fed. */
async function scene() {
  const client = await service.client({ account: await service.createAccount() })
  const { domain: org_domain } = await client.organizations.create({ name: 'Awesome company' })
  const { id: user_id } = await client.users.create({ org_domain, email: 'ada@people.example' })
  const { store, tuplesOf } = await startRelationshipEngine()
  const engine = openFga(store)

  /** Feeds until the engine has what is expected, and ends as a crash would: anywhere. */
  async function fed(expected: () => readonly string[]) {
    const ended = new AbortController()
    const feeding = feed(client, engine, { signal: ended.signal, pauseMs: 5 }).catch(
      (error: unknown) => error,
    )
    onTestFinished(() => ended.abort())
    const relations = () =>
      tuplesOf()
        .filter((tuple) => !tuple.startsWith('cursor:'))
        .toSorted()
    await expect.poll(relations, { timeout: 5_000, interval: 5 }).toEqual(expected().toSorted())
    ended.abort()
    await feeding
  }
  return { client, org_domain, user_id, store, engine, fed, tuplesOf, roles: roleGivenOf(client) }
}

const memberOf = (user: string, object: string) => `user:${user} member ${object}`

test('the engine of the guide has users, groups and roles, and what changes while nobody feeds it', async () => {
  const { client, org_domain, user_id, fed, roles, tuplesOf } = await scene()
  const [clerk, lead] = [await roles.role(), await roles.role()]
  await roles.give({ org_domain, user_id }, clerk)
  const given = scimUsersGivenOf(client)
  const rules = [{ group: 'Leads', roles: [lead.name] }]
  const { scim } = await given.directory({ org_domain, role_mapping: { mode: 'add', rules } })
  const { id: kept } = await given.user(scim)
  const organization = `organization:${org_domain}`
  const before = [
    memberOf(user_id, organization),
    `user:${user_id} assignee role:${org_domain}/${clerk.name}`,
    memberOf(kept, organization),
  ]
  await fed(() => before)

  const { id: group } = await groupsOf(scim).make({ displayName: 'Leads', members: asMembers([kept]) })
  await fed(() => [
    ...before,
    memberOf(kept, `group:${group}`),
    `user:${kept} assignee role:${org_domain}/${lead.name}`,
  ])
  await scim('DELETE', `/Groups/${group}`)
  await client.users.delete({ org_domain, user_id })
  await fed(() => [memberOf(kept, organization)])
  expect(tuplesOf().filter((tuple) => tuple.startsWith('cursor:'))).toHaveLength(1)
  await client.organizations.delete({ org_domain })
  await fed(() => [])
})

test('the evaluator of the guide asks the engine about an invoice, by roles and groups that the service keeps', async () => {
  const { org_domain, user_id, engine, store, fed, roles } = await scene()
  const clerk = await roles.role()
  const role = `role:${org_domain}/${clerk.name}`
  const invoice = { user: `${role}#assignee`, relation: 'write', object: 'invoice:1' }
  await engine.write({ writes: [invoice], deletes: [] })
  const member = memberOf(user_id, `organization:${org_domain}`)
  const own = `${invoice.user} write invoice:1`
  const access = createEngineAccess(store)

  await fed(() => [member, own])
  await expect(writeInvoice(access, user_id, '1')).rejects.toMatchObject({ code: 'permission_missing' })
  await roles.give({ org_domain, user_id }, clerk)
  await fed(() => [member, own, `user:${user_id} assignee ${role}`])
  const later = createEngineAccess(store)
  await writeInvoice(later, user_id, '1')
  await expect(writeInvoice(later, user_id, '2')).rejects.toMatchObject({ code: 'permission_missing' })
})
