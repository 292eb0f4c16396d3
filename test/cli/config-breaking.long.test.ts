import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { givenAccount } from './config-given.js'
import { givenFolder } from './portico.js'
import { asMembers, groupsOf } from '../protocols/scim/group-given.js'
import { scimUsersGivenOf } from '../protocols/scim/user-given.js'

const service = await startService()

const before = `version: 1
permissions:
  invoices:read: {}
  invoices:write: {}
roles:
  clerk: { display_name: Clerk, permissions: [invoices:write, invoices:read] }
  viewer: { display_name: Viewer, permissions: [invoices:read], is_default: true }
`
/** invoices:write is renamed, and there are no viewers. */
const after = before.replaceAll('invoices:write', 'invoices:edit').replace(/ {2}viewer.*\n/, '')

/** An account whose production has the configuration of before, a clerk and two other users. */
async function givenBefore() {
  const account = await givenAccount(service)
  const { production, org_domain } = account
  account.write(before)
  await account.apply()
  const given = givenOf(production)
  const [clerk] = [
    await given.user({ org_domain }),
    await given.user({ org_domain }),
    await given.user({ org_domain }),
  ]
  await production.roles.setUserRoles({ org_domain, user_id: clerk.id, roles: ['clerk'] })
  account.write(after)
  return { ...account, user: { org_domain, user_id: clerk.id } }
}

test('a plan says which roles and users lose something, and an apply is refused until that is allowed', async () => {
  const { config, production, file, apply, user } = await givenBefore()

  const planned = await config('plan', 'production', file, '--prune')
  expect(planned.stdout).toContain(
    '- permissions."invoices:write"\n    Its id and its secrets do not come back.\n    breaking: 1 role, 1 user',
  )
  expect(planned.stdout).toMatch(/~ roles\.clerk\n.*\n {4}breaking: 1 role, 1 user/)
  expect(planned.stdout).toMatch(/- roles\.viewer\n.*\n {4}breaking: 1 role, 2 users/)
  const refused = await config('apply', 'production', file, '--prune', '--yes')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--allow-breaking')])
  expect((await production.permissions.list({})).total).toBe(2)

  await apply('--prune', '--allow-breaking')

  expect(await production.roles.getUserRoles(user)).toMatchObject({
    roles: ['clerk'],
    permissions: ['invoices:edit', 'invoices:read'],
  })
  expect((await config('plan', 'production', file, '--prune')).code).toBe(0)
})

test('a plan that is kept is of the roles that lose something, whoever has them', async () => {
  const { config, production, file, org_domain, user } = await givenBefore()
  const kept = join(givenFolder(), 'plan.json')
  const plan = async () => (await config('plan', 'production', file, '--prune', '--json')).stdout
  writeFileSync(kept, await plan())
  const digestOf = (text: string): unknown => Reflect.get(JSON.parse(text) as object, 'digest')
  const digest = digestOf(await plan())

  await production.roles.setUserRoles({ ...user, roles: [] })
  expect(digestOf(await plan())).toBe(digest)
  await production.roles.create({
    ...{ name: 'auditor', display_name: 'Auditor', permissions: ['invoices:write'] },
    organization_domain_scope: org_domain,
  })
  expect(digestOf(await plan())).not.toBe(digest)
  const applied = await config(
    'apply',
    'production',
    file,
    '--prune',
    '--plan',
    kept,
    '--allow-breaking',
    '--yes',
  )
  expect([applied.code, applied.stderr]).toEqual([1, expect.stringContaining('has changed since the plan')])
})

test('what adds roles and permissions breaks nothing, and its rollback does', async () => {
  const account = await givenAccount(service)
  account.write(before)
  expect((await account.config('plan', 'production', account.file)).stdout).not.toContain('breaking')
  await account.apply()

  const refused = await account.config('rollback', 'production', '--yes')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--allow-breaking')])
  await account.succeed('rollback', 'production', '--yes', '--allow-breaking')

  expect((await account.production.roles.list({})).total).toBe(0)
  expect((await account.production.permissions.list({})).total).toBe(0)
})

test('users who have a role by a group or a value of their directory are concerned as well', async () => {
  const { config, production, file, org_domain, apply, write } = await givenAccount(service)
  write(before)
  await apply()
  const given = scimUsersGivenOf(production)
  const rules = [
    { group: 'Clerks', roles: ['clerk'] },
    { attribute: 'roles', value: 'clerk', roles: ['clerk'] },
  ]
  const { scim } = await given.directory({ org_domain, role_mapping: { mode: 'add', rules } })
  const [one, two] = [await given.user(scim), await given.user(scim, { roles: [{ value: 'Clerk' }] })]
  await groupsOf(scim).make({ displayName: 'clerks', members: asMembers([one.id, two.id]) })
  await given.user(scim)

  write(before.replace(/ {2}clerk.*\n/, ''))
  const planned = await config('plan', 'production', file, '--prune')
  expect(planned.stdout).toMatch(/- roles\.clerk\n.*\n {4}breaking: 1 role, 2 users/)
  await apply('--prune', '--allow-breaking')
  expect((await production.directorySync.get({ org_domain })).role_mapping.rules).toEqual([])
})
