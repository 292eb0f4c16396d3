import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { lookColumns, toAccountLook, type AccountLook } from './account-look.js'

/** An account as its public addresses need it: the owner of published keys, and the look of its pages. */
export interface PublicAccount {
  readonly accountId: string
  readonly accountDomain: string
  readonly look: AccountLook
}

/** The account named in an address of the pages or the protocols; undefined when there is no such account. */
export async function findAccountByDomain(
  { db }: Pick<Deps, 'db'>,
  domain: string,
): Promise<PublicAccount | undefined> {
  const [row] = await selectByDomain(db, { domain })
  return row && { accountId: row.id, accountDomain: row.domain, look: toAccountLook(row) }
}

const selectByDomain = lookup((db, account: { readonly domain: string }) =>
  db
    .selectFrom('accounts')
    .where('domain', '=', account.domain)
    .select(['id', ...lookColumns]),
)
