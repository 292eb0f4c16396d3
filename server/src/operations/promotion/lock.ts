import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

/** Serializes changes of one environment: the second plans against the result of the first. */
export async function lockConfiguration(
  trx: Transaction<DB>,
  { accountId, environment }: Pick<Tenant, 'accountId' | 'environment'>,
): Promise<void> {
  const name = `config ${accountId} ${environment}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}
