import type { Transaction } from 'kysely'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { change } from '../events/change.js'
import type { ScimAnswer, ScimCaller } from './scim-caller.js'
import { unproven } from './scim-error.js'

/**
 * Runs one change that a provider asks for, while its directory stays: a deletion of the directory comes before it, or
 * waits for its end.
 *
 * @throws ScimError 401 where the directory was deleted since the provider proved itself
 */
export async function inChange(
  deps: Deps,
  caller: ScimCaller,
  work: (trx: Transaction<DB>) => Promise<ScimAnswer>,
): Promise<ScimAnswer> {
  const { record } = await change(deps, caller.tenant.cause, async (trx) => {
    await holdDirectory(trx, caller)
    return { record: await work(trx) }
  })
  return record
}

async function holdDirectory(
  trx: Transaction<DB>,
  { tenant, organizationId, directoryId }: ScimCaller,
): Promise<void> {
  const held = await trx
    .selectFrom('directories')
    .where('account_id', '=', tenant.accountId)
    .where('environment', '=', tenant.environment)
    .where('organization_id', '=', organizationId)
    .where('id', '=', directoryId)
    .select('id')
    .forKeyShare()
    .executeTakeFirst()
  if (held === undefined) throw unproven()
}
