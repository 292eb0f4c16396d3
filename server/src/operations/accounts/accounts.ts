import { nilId } from '@portico/contract/fields'
import type { Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { claimDomain } from '../../directory/organizations/domain.js'
import {
  insertSigningKeys,
  prepareSigningKeys,
  type PreparedSigningKey,
} from '../../tokens/signing-keys/signing-keys.js'

export type Plan = 'free' | 'unlimited'

export interface Account {
  readonly id: string
  readonly domain: string
  readonly plan: Plan
}

/** An account that is not stored yet: its id, and the keys that sign its API tokens and what it issues. */
export interface PreparedAccount {
  readonly id: string
  readonly signingKeys: readonly PreparedSigningKey[]
}

/** Creates an account with its domain and its signing keys. */
export async function createAccount(
  deps: Deps,
  { name, plan }: { name: string; plan: Plan },
): Promise<Account> {
  const prepared = await prepareAccount()
  return deps.db.transaction().execute(async (trx) => {
    const domain = await claimDomain(deps, trx, name)
    return insertAccount(deps, trx, prepared, { domain, plan })
  })
}

/** Prepares an account; before the transaction, because making keys takes time. */
export async function prepareAccount(): Promise<PreparedAccount> {
  const id = newId()
  const [ofApi, ofIssuer] = await Promise.all([prepareSigningKeys(id, nilId), prepareSigningKeys(id, id)])
  return { id, signingKeys: [...ofApi, ...ofIssuer] }
}

/** Stores an account whose domain was reserved in the same transaction. */
export async function insertAccount(
  deps: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  { id, signingKeys }: PreparedAccount,
  { domain, plan }: Pick<Account, 'domain' | 'plan'>,
): Promise<Account> {
  const account = { id, domain, plan }
  await trx
    .insertInto('accounts')
    .values({ ...account, inserted_at: deps.now() })
    .execute()
  await insertSigningKeys(deps, trx, signingKeys)
  return account
}
