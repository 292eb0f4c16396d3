import { environments } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { Algorithm } from '../../platform/crypto/jwt.js'
import { lookup } from '../../platform/db/statement.js'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { addMissingSigningKeys, issuingAccount } from './signing-keys.js'

type Preparing = Pick<Deps, 'db' | 'keys' | 'now'>

const algorithms: readonly Algorithm[] = ['ES256', 'RS256']

/** Accounts that one run of the job goes through, before it adds another job for those after them. */
const atOnce = 20

/**
 * Makes the function that gives an account what it lacks of its keys as an issuer: an active and a next one of both algorithms and
 * environments, so that whoever fetches the key set has them before they sign. Concurrent calls for an account share one attempt,
 * because strangers can ask for its key set, and RSA keys take long to make.
 */
export function accountKeyMaker(deps: Preparing) {
  const making = new Map<string, Promise<void>>()
  return async function makeAccountKeys(accountId: string): Promise<void> {
    const missing = await missingOf(deps, accountId)
    if (missing.length === 0) return
    const begun =
      making.get(accountId) ?? addAccountKeys(deps, accountId).finally(() => making.delete(accountId))
    making.set(accountId, begun)
    await begun
  }
}

/** Gives the accounts of before releases with issuers of accounts their keys, for the job that the migration adds. */
export async function prepareKeysOfAccounts(
  deps: Preparing,
  { after }: JobPayloads['prepare_account_keys'],
): Promise<void> {
  const accounts = await deps.db
    .selectFrom('accounts')
    .where('id', '>', after)
    .select('id')
    .orderBy('id')
    .limit(atOnce)
    .execute()
  for (const { id } of accounts) await addAccountKeys(deps, id)
  const last = accounts.at(-1)
  if (accounts.length < atOnce || last === undefined) return
  await deps.db
    .transaction()
    .execute((trx) =>
      enqueue(deps, trx, { name: 'prepare_account_keys', payload: { after: last.id }, key: last.id }),
    )
}

async function addAccountKeys(deps: Preparing, accountId: string): Promise<void> {
  for (const { environment, algorithm } of await missingOf(deps, accountId))
    await addMissingSigningKeys(deps, deps.db, issuingAccount(accountId, environment), algorithm)
}

/** The environments and algorithms of which an account has not both an active and a next key. */
async function missingOf({ db }: Pick<Deps, 'db'>, accountId: string) {
  const found = await selectKinds(db, { accountId })
  return environments
    .flatMap((environment) => algorithms.map((algorithm) => ({ environment, algorithm })))
    .filter(
      (wanted) =>
        found.filter(
          ({ environment, algorithm }) =>
            environment === wanted.environment && algorithm === wanted.algorithm,
        ).length < 2,
    )
}

/** Of each environment and algorithm there is one active and one next key at most. */
const selectKinds = lookup((db, { accountId }: { accountId: string }) =>
  db
    .selectFrom('signing_keys')
    .where(ofOrganization({ accountId, organizationId: accountId }))
    .where('environment', 'in', environments)
    .where(sql<boolean>`state in ('active', 'next')`)
    .select(['environment', 'algorithm']),
)
