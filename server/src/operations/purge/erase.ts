import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Table } from '../../platform/db/tables.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import type { Cause } from '../../platform/tenant.js'
import { carriesAddress, addressesOfPersons, type AddressOfPerson } from './addresses-of-persons.js'
import { isFailureNaming, isMailTo } from './mail-jobs.js'
import { namesUser, personalTablesIn, type Persons } from './traces.js'
import { isOrganizationOf, ofOwner } from '../../platform/db/tenant-predicate.js'

/** Rows that one statement deletes, and users that one transaction deletes. */
const rowBatch = 5_000
const userBatch = 100

/** Called with the number of erased rows. */
export type OnRows = (table: string, count: number) => void

/**
 * Erases users with all of their data: first rows with an address of theirs, while their addresses can still be found,
 * then rows with their id, and the users last, each in one transaction with its event. So after any interruption the
 * next run goes on, and an erasure is reported once.
 *
 * @param childrenFirst The tables, each before those it refers to.
 * @returns How many users were erased by this call; another process may have erased others.
 */
export async function erasePersons(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  cause: Cause,
  childrenFirst: readonly Table[],
  persons: Persons,
  onRows: OnRows,
): Promise<number> {
  const { db } = deps
  const traces = personalTablesIn(childrenFirst)
  const addresses = await addressesOfPersons(db, persons)
  await eraseJobs(db, persons, addresses)
  for (const trace of traces)
    await eraseTrace(db, trace.table, carriesAddress(trace, persons, addresses), onRows)
  for (const trace of traces) await eraseTrace(db, trace.table, namesUser(trace, persons), onRows)
  let erased = 0
  for (let first = 0; first < persons.ids.length; first += userBatch) {
    const ids = persons.ids.slice(first, first + userBatch)
    erased += await eraseUsers(deps, cause, { ...persons, ids })
  }
  if (erased > 0) onRows('users', erased)
  return erased
}

/** Log events and audit entries are the account's record of what happened; they stay, without the address and the reason. */
async function eraseTrace(
  db: Kysely<DB>,
  { name }: Table,
  condition: RawBuilder<boolean> | undefined,
  onRows: OnRows,
): Promise<void> {
  if (condition === undefined) return
  if (name === 'log_events')
    await sql`
      update log_events set email = null, email_normalized = null
      where ${condition} and email is not null`.execute(db)
  else if (name === 'audit_entries')
    await sql`
      update audit_entries set email = null, email_normalized = null, reason = null
      where ${condition} and (email is not null or reason is not null)`.execute(db)
  else await eraseRows(db, name, condition, onRows)
}

/** Deletes jobs that mail one of them; a failed one without its link stays, without the reason that has the address. */
async function eraseJobs(
  db: Kysely<DB>,
  persons: Persons,
  addresses: readonly AddressOfPerson[],
): Promise<void> {
  await sql`delete from jobs where ${isMailTo(persons, addresses)}`.execute(db)
  await sql`update jobs set last_error = null where ${isFailureNaming(persons, addresses)}`.execute(db)
}

/** Deletes the users themselves, with an event for each whose row existed. */
async function eraseUsers(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  cause: Cause,
  { ids, ...scope }: Persons,
): Promise<number> {
  const { account_id: accountId, environment, organization_id: organizationId } = scope
  const { record } = await change(deps, cause, async (trx) => {
    const erased = await trx
      .deleteFrom('users')
      .using('organizations')
      .where(isOrganizationOf('organizations', 'users'))
      .where(ofOwner({ accountId, environment, organizationId }, 'users'))
      .where(sql<boolean>`users.id = any(${ids}::uuid[])`)
      .returning(['users.id', 'users.environment', 'organizations.domain'])
      .execute()
    for (const { id, domain, ...user } of erased)
      // Without subject and organization: it stays when the organization is erased, too.
      await emit(
        deps,
        trx,
        { accountId, environment, domain, cause },
        {
          code: 'user.user.erase.success',
          record: {
            __type__: 'User',
            __domain__: domain,
            // A check of the table allows nothing else.
            __environment__: user.environment as Environment,
            id,
            deleted: true,
            erased: true,
          },
        },
      )
    return { record: erased.length }
  })
  return record
}

/** Deletes the rows that meet a condition, in batches. */
export async function eraseRows(
  db: Kysely<DB>,
  table: string,
  condition: RawBuilder<unknown>,
  onRows: OnRows,
): Promise<void> {
  for (;;) {
    // The condition is repeated because a ctid is unique only within a partition.
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ${condition} and ctid = any(array(
        select ctid from ${sql.table(table)} where ${condition} limit ${rowBatch}
      ))`.execute(db)
    if (numAffectedRows > 0n) onRows(table, Number(numAffectedRows))
    if (numAffectedRows < rowBatch) return
  }
}
