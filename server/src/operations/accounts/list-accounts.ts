import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { consoleAccountDomain } from '../../platform/console-account.js'
import type { Account, Plan } from './accounts.js'

interface ListedAccount extends Account {
  readonly organizations: number
  readonly inserted_at: string
}

/** Every account but the reserved one, with the number of its organizations, the oldest first. */
export async function listAccounts({ db }: Pick<Deps, 'db'>): Promise<ListedAccount[]> {
  const rows = await db
    .selectFrom('accounts')
    .where('domain', '<>', consoleAccountDomain)
    .select([
      'id',
      'domain',
      sql<Plan>`plan`.as('plan'),
      'inserted_at',
      sql<string>`(
        select coalesce(sum(delta), 0) from record_counts
        where kind = 'organizations' and record_counts.account_id = accounts.id
      )`.as('organizations'),
    ])
    .orderBy('inserted_at')
    .orderBy('id')
    .execute()
  return rows.map(({ organizations, inserted_at, ...account }) => ({
    ...account,
    organizations: Number(organizations),
    inserted_at: inserted_at.toISOString(),
  }))
}

/**
 * The account with a domain.
 *
 * @throws Error a sentence when there is none.
 */
export async function getAccount({ db }: Pick<Deps, 'db'>, domain: string): Promise<Account> {
  const row = await db
    .selectFrom('accounts')
    .where('domain', '=', domain)
    .select(['id', 'domain', sql<Plan>`plan`.as('plan')])
    .executeTakeFirst()
  if (row !== undefined) return row
  throw new Error(
    `There is no account ${domain}: portico account list shows those there are, portico account create makes one.`,
  )
}

/**
 * The ids of organizations of an account, by their domains.
 *
 * @throws Error a sentence naming the first domain that the account has no organization for.
 */
export async function findOrganizationIds(
  { db }: Pick<Deps, 'db'>,
  account: Account,
  domains: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('organizations')
    .where('account_id', '=', account.id)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`domain = any(${domains}::text[])`)
    .select(['id', 'domain'])
    .execute()
  const missing = domains.find((domain) => !rows.some((row) => row.domain === domain))
  if (missing !== undefined)
    throw new Error(`The account ${account.domain} has no organization ${missing}: check its domain.`)
  return rows.map((row) => row.id)
}
