import { AuditQuery } from '@portico/contract/audit'
import { NewKey } from '@portico/contract/api-key-routes'
import { createAccountKey } from '@portico/server/account-keys'
import { writeAudit } from '@portico/server/audit'
import { eraseUser } from '@portico/server/erase-user'
import { listAudit } from '@portico/server/list-audit'
import type { AuditedAction, Caller } from '@portico/server/tenant'
import { ensureStaffOrganization, staffTenant } from '@portico/server/staff-organization'
import { createUser, deleteUser } from '@portico/server/users'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { longTest } from '../sampled.js'
import { auditedCause, staffOf, tenantOf } from './staff-given.js'

const service = await startService()
const { deps } = service
const newKey = NewKey.parse({ name: 'Backend', scopes: null })

/** Staff of an account of their own, so that its audit has what the test did and nothing else. */
async function givenStaff() {
  const account = await service.createAccount()
  const client = await service.client({ account })
  const { domain } = await client.organizations.create({ name: `Customer ${randomUUID()}` })
  const caller = staffOf(account)
  return { account, client, domain, caller, tenant: tenantOf(caller, domain) }
}

function acting<Who extends Pick<Caller, 'accountId' | 'environment'>>(
  who: Who,
  action: Partial<AuditedAction>,
) {
  return { ...who, cause: auditedCause(who, action) }
}

async function entriesOf(caller: Caller, query: object = {}) {
  const { data, total } = await listAudit(deps, caller, AuditQuery.parse(query))
  expect(total).toBe(data.length)
  return data
}

describe('a change by a member of staff', () => {
  test('is in the audit of the account: by whom, what, why and on what', async () => {
    const { caller, tenant, domain } = await givenStaff()
    const action = { action: 'users.create', domain, reason: 'Asked for by the customer' }
    const creating = acting(tenant, action)
    const { record: user } = await createUser(deps, creating, { email: anyEmail() })

    expect(await entriesOf(caller)).toEqual([
      {
        __type__: 'AuditEntry',
        __domain__: caller.accountDomain,
        __environment__: 'sandbox',
        id: creating.cause.audit.id,
        staff: { id: creating.cause.audit.staffUserId, name: null, email: null },
        action: 'users.create',
        outcome: 'done',
        reason: 'Asked for by the customer',
        org_domain: domain,
        record_type: 'User',
        record_id: user.id,
        subject_id: user.id,
        email: null,
        request_id: creating.cause.requestId,
        inserted_at: expect.any(String),
      },
    ])
  })

  test('has no entry when it fails', async () => {
    const { caller, tenant } = await givenStaff()
    const email = anyEmail()
    await createUser(deps, tenant, { email })

    await expect(createUser(deps, acting(tenant, {}), { email })).rejects.toThrow()

    expect(await entriesOf(caller)).toEqual([])
  })

  test('has one entry, of the last change, where a request makes several', async () => {
    const { caller } = await givenStaff()
    const creating = acting(caller, { action: 'apiKeys.create' })
    await createAccountKey(deps, creating, newKey)
    const { record } = await createAccountKey(deps, creating, newKey)
    await writeAudit(deps, deps.db, creating.cause, { outcome: 'refused' })

    expect(await entriesOf(caller)).toMatchObject([
      { action: 'apiKeys.create', outcome: 'done', record_type: 'ApiKey', record_id: record.id },
    ])
  })

  test('of an organization that is not in the path names the organization of the record', async () => {
    const { caller, tenant, domain } = await givenStaff()
    await createUser(deps, acting(tenant, {}), { email: anyEmail() })

    expect(await entriesOf(caller)).toMatchObject([{ org_domain: domain }])
  })

  test('shows no secret', async () => {
    const { caller } = await givenStaff()
    const { record } = await createAccountKey(deps, acting(caller, {}), newKey)

    const rows = await service.query(
      'select audit_entries::text as row from audit_entries where account_id = $1',
      [caller.accountId],
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(record.client_secret)
  })
})

test('an entry names the member of staff, by the user of the staff organization', async () => {
  const { account, caller, tenant } = await givenStaff()
  const staff = staffTenant(await ensureStaffOrganization(deps, account.id), caller.cause)
  const email = anyEmail()
  const profile = { given_name: 'Grace', family_name: 'Hopper' }
  const { record: member } = await createUser(deps, staff, { email, profile })
  await createUser(deps, acting(tenant, { staffUserId: member.id }), { email: anyEmail() })
  const other = await givenStaff()
  await createUser(deps, acting(other.tenant, { staffUserId: member.id }), { email: anyEmail() })

  expect(await entriesOf(caller)).toMatchObject([{ staff: { id: member.id, email, name: 'Grace Hopper' } }])
  // No member of its own.
  expect(await entriesOf(other.caller)).toMatchObject([{ staff: { id: member.id, email: null, name: null } }])
})

test('what an API key does is not in the audit', async () => {
  const { caller, client, domain } = await givenStaff()
  await client.users.create({ org_domain: domain, email: anyEmail() })

  expect(await entriesOf(caller)).toEqual([])
})

test('look-ups, refusals and secrets that were shown are in the audit', async () => {
  const { caller } = await givenStaff()
  const email = anyEmail()
  await writeAudit(deps, deps.db, auditedCause(caller, { action: 'people.diagnose' }), {
    outcome: 'looked_up',
    email,
  })
  await service.clock.advance(1)
  await writeAudit(deps, deps.db, auditedCause(caller, { environment: null }), { outcome: 'refused' })
  await service.clock.advance(1)
  const shown = { outcome: 'secret_shown', record: { type: 'Webhook', id: null } } as const
  await writeAudit(deps, deps.db, auditedCause(caller, {}), shown)

  expect(await entriesOf(caller)).toMatchObject([
    { outcome: 'secret_shown', record_type: 'Webhook', record_id: null },
    { outcome: 'refused', __environment__: null },
    { outcome: 'looked_up', email, action: 'people.diagnose' },
  ])
})

test('filters keep what matches all of them, and nothing where one cannot match', async () => {
  const { caller, domain } = await givenStaff()
  const [one, other] = [randomUUID(), randomUUID()]
  const begun = deps.now().toISOString()
  const write = (action: Partial<AuditedAction>, outcome: 'done' | 'refused') =>
    writeAudit(deps, deps.db, auditedCause(caller, action), { outcome })
  await write({ action: 'users.delete', staffUserId: one, domain }, 'done')
  await service.clock.advance(60)
  const later = deps.now().toISOString()
  await write({ action: 'users.delete', staffUserId: other, environment: 'production' }, 'refused')
  // Entries of one millisecond are in no order.
  await service.clock.advance(1)
  await write({ action: 'webhooks.delete', staffUserId: one, environment: null }, 'done')

  const found = async (query: object) =>
    (await entriesOf(caller, query)).map(({ action, staff }) => `${action} ${staff.id === one ? 1 : 2}`)
  expect(await found({})).toEqual(['webhooks.delete 1', 'users.delete 2', 'users.delete 1'])
  expect(await found({ actor: one })).toEqual(['webhooks.delete 1', 'users.delete 1'])
  expect(await found({ actor: one, action: 'users.delete' })).toEqual(['users.delete 1'])
  expect(await found({ outcome: 'refused' })).toEqual(['users.delete 2'])
  // What both environments share is of each.
  expect(await found({ environment: 'production' })).toEqual(['webhooks.delete 1', 'users.delete 2'])
  expect(await found({ org_domain: domain })).toEqual(['users.delete 1'])
  expect(await found({ since: later })).toEqual(['webhooks.delete 1', 'users.delete 2'])
  expect(await found({ since: begun, until: later })).toEqual(['users.delete 1'])
  for (const nothing of [
    { actor: 'nobody' },
    { environment: 'staging' },
    { since: 'yesterday' },
    { org_domain: 'No Domain' },
    { actor: one, environment: 'production', action: 'users.delete' },
  ])
    expect(await found(nothing)).toEqual([])
})

test('pages go from the newest to the oldest', async () => {
  const { caller } = await givenStaff()
  for (const action of ['one', 'two', 'three']) {
    await writeAudit(deps, deps.db, auditedCause(caller, { action }), { outcome: 'done' })
    await service.clock.advance(1)
  }

  const first = await listAudit(deps, caller, AuditQuery.parse({ per_page: 2 }))
  const second = await listAudit(deps, caller, AuditQuery.parse({ per_page: 2, after: first.next_cursor }))

  expect([...first.data, ...second.data].map(({ action }) => action)).toEqual(['three', 'two', 'one'])
  expect([first.total, second.next_cursor]).toEqual([3, null])
})

test('the audit of an account has nothing of another one', async () => {
  const [one, other] = [await givenStaff(), await givenStaff()]
  await createUser(deps, acting(one.tenant, { domain: other.domain }), { email: anyEmail() })

  expect(await entriesOf(other.caller)).toEqual([])
  expect(await entriesOf(other.caller, { org_domain: other.domain })).toEqual([])
})

test('an entry outlives the user it is about, without the address and the reason', async () => {
  const { account, caller, tenant, domain } = await givenStaff()
  const email = anyEmail()
  const { record: user } = await createUser(deps, tenant, { email })
  const looking = auditedCause(caller, { action: 'people.diagnose', reason: `${email} called` })
  await writeAudit(deps, deps.db, looking, { outcome: 'looked_up', email })
  await service.clock.advance(1)
  const deleting = acting(tenant, { action: 'users.delete', reason: `${email} asked for it` })
  await deleteUser(deps, deleting, user.id, undefined)

  const person = {
    account: account.domain,
    environment: 'sandbox',
    organization: domain,
    id: user.id,
  } as const
  await eraseUser(deps, person, caller.cause)

  expect(await entriesOf(caller)).toMatchObject([
    { action: 'users.delete', record_id: user.id, reason: null },
    { action: 'people.diagnose', email: null, reason: null },
  ])
})

longTest('entries are kept as long as log events', async () => {
  const kept = await startService({ variables: { LOG_RETENTION_DAYS: '10' } })
  const caller = staffOf(kept.account)
  const write = (action: string) =>
    writeAudit(kept.deps, kept.deps.db, auditedCause(caller, { action }), { outcome: 'done' })
  await write('one')
  await kept.clock.advance(5 * 86_400)
  await write('two')
  await kept.clock.advance(6 * 86_400)
  await kept.runJobs()

  const { data } = await listAudit(kept.deps, caller, AuditQuery.parse({}))
  expect(data.map(({ action }) => action)).toEqual(['two'])
})
