import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

/** Two that change one environment wait for each other: the second one plans what the first has left. */
export async function lockConfiguration(
  trx: Transaction<DB>,
  { accountId, environment }: Pick<Tenant, 'accountId' | 'environment'>,
): Promise<void> {
  const name = `config ${accountId} ${environment}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}
