import { sql, type Transaction } from 'kysely'
import { nilId } from '@portico/contract/fields'
import type { Algorithm } from '../../platform/crypto/jwt.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { addMissingSigningKeys, initialAlgorithm, type KeyOwner } from './signing-keys.js'

type Preparing = Pick<Deps, 'db' | 'keys' | 'now'>

/** Owners that one run of a job goes through, before it adds another job for those after them. */
const owners = { ES256: 200, RS256: 10 } as const

/** Gives each organization of an account keys of an algorithm that an application of the whole account asks for. */
export async function prepareKeysOfAccount(
  deps: Preparing,
  payload: JobPayloads['prepare_signing_keys'],
): Promise<void> {
  const { accountId, environment, algorithm, after = nilId, only } = payload
  const rows = await deps.db
    .selectFrom('organizations')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('id', '>', after)
    .$if(only !== undefined, (query) => query.where('id', '=', only ?? nilId))
    .select('id')
    .orderBy('id')
    .limit(owners[algorithm])
    .execute()
  for (const { id } of rows)
    await addMissingSigningKeys(deps, deps.db, { accountId, environment, organizationId: id }, algorithm)
  const last = rows.at(-1)
  if (rows.length < owners[algorithm] || last === undefined) return
  await deps.db.transaction().execute((trx) =>
    enqueue(deps, trx, {
      name: 'prepare_signing_keys',
      payload: { ...payload, after: last.id },
      key: `${accountId}:${environment}:${algorithm}:${last.id}`,
      accountId,
    }),
  )
}

/** Publishes a next key for each key of before releases that published one ahead. */
export async function publishNextKeys(
  deps: Preparing,
  { afterKid }: JobPayloads['publish_next_keys'],
): Promise<void> {
  // eslint-disable-next-line portico/tenant -- a worker prepares the keys of every account
  const rows = await deps.db
    .selectFrom('signing_keys')
    .where('state', '=', 'active')
    .where('kid', '>', afterKid)
    .select([
      'account_id as accountId',
      'environment',
      'organization_id as organizationId',
      'kid',
      // The table's check constraint allows nothing else.
      sql<Algorithm>`algorithm`.as('algorithm'),
    ])
    .orderBy('kid')
    .limit(owners.ES256)
    .execute()
  for (const { kid: _, algorithm, ...owner } of rows)
    await addMissingSigningKeys(deps, deps.db, owner, algorithm)
  const last = rows.at(-1)
  if (rows.length < owners.ES256 || last === undefined) return
  await deps.db
    .transaction()
    .execute((trx) =>
      enqueue(deps, trx, { name: 'publish_next_keys', payload: { afterKid: last.kid }, key: last.kid }),
    )
}

/**
 * Adds a job that makes the keys of a new organization which applications of the whole account ask for. In the transaction of
 * the organization, because making them takes tenths of a second.
 */
export async function enqueueKeysOfOrganization(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  owner: KeyOwner,
): Promise<void> {
  const wanting = await trx
    .selectFrom('applications')
    .where(ofEnvironment(owner))
    .where('organization_id', 'is', null)
    .where('token_signing_alg', '<>', initialAlgorithm)
    .where('deleted_at', 'is', null)
    .select(sql<Algorithm>`token_signing_alg`.as('algorithm'))
    .distinct()
    .execute()
  const { accountId, environment, organizationId } = owner
  for (const { algorithm } of wanting)
    await enqueue(deps, trx, {
      name: 'prepare_signing_keys',
      payload: { accountId, environment, algorithm, only: organizationId },
      key: `${organizationId}:${environment}:${algorithm}`,
      accountId,
    })
}

/** The first payload of the job that goes through an account. */
export function everyOrganizationOf(
  { accountId, environment }: Pick<KeyOwner, 'accountId' | 'environment'>,
  algorithm: Algorithm,
) {
  return {
    name: 'prepare_signing_keys',
    payload: { accountId, environment, algorithm, after: nilId },
    key: `${accountId}:${environment}:${algorithm}`,
    accountId,
  } as const
}
