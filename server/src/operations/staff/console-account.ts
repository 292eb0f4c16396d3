import type { StaffRole } from '@portico/contract/staff'
import type { Transaction } from 'kysely'
import { consoleAccountDomain } from '../../platform/console-account.js'
import type { DB } from '../../platform/db/schema.js'
import { operatorCaller, type Cause } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { createRole } from '../../directory/roles/roles.js'
import { insertAccount, type PreparedAccount } from '../accounts/accounts.js'

/** What the roles are called where they are listed. */
const roleNames: Readonly<Record<StaffRole, string>> = {
  owner: 'Owner',
  developer: 'Developer',
  support: 'Support',
  viewer: 'Viewer',
}

/**
 * The reserved account, made with the roles of staff where it is missing. Of several transactions that try at once, one makes
 * it and the others wait for that.
 *
 * @returns Its id.
 */
export async function ensureConsoleAccount(
  deps: Deps,
  trx: Transaction<DB>,
  prepared: PreparedAccount,
  cause: Cause,
): Promise<string> {
  const taken = await trx
    .insertInto('slugs')
    .values({ slug: consoleAccountDomain, inserted_at: deps.now() })
    .onConflict((conflict) => conflict.doNothing())
    .returning('slug')
    .executeTakeFirst()
  if (taken === undefined) return getConsoleAccount(trx)
  const account = await insertAccount(deps, trx, prepared, {
    domain: consoleAccountDomain,
    plan: 'unlimited',
  })
  const caller = operatorCaller(account, 'production', cause)
  for (const [name, display_name] of Object.entries(roleNames))
    await createRole({ ...deps, db: trx }, caller, { name, display_name })
  return account.id
}

async function getConsoleAccount(trx: Transaction<DB>): Promise<string> {
  const { id } = await trx
    .selectFrom('accounts')
    .where('domain', '=', consoleAccountDomain)
    .select('id')
    .executeTakeFirstOrThrow()
  return id
}
