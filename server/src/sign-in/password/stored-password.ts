import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { unwrapHash, wrapHash, type PasswordOwner, type Pepper, type PepperOwner } from './pepper.js'
import { ofOwner, ownerColumns } from '../../platform/db/tenant-predicate.js'

/** The stored password of a user, unwrapped. */
export interface StoredPassword {
  readonly id: number
  readonly hash: string
  /** Changes only with a new password. */
  readonly setAt: Date
}

/**
 * The newest pepper of the organization, which wraps every hash written now; locked, so that it is not destroyed.
 *
 * @throws Error when the organization has no password connection.
 */
export async function lockNewestPepper(trx: Transaction<DB>, owner: PepperOwner): Promise<Pepper> {
  const find = () =>
    pepperOf(trx, owner)
      .select(['version', 'key_sealed'])
      .orderBy('version', 'desc')
      .limit(1)
      .forKeyShare()
      .executeTakeFirst()
  // The newest pepper may be destroyed while the lock is awaited; the second read finds its successor.
  const row = (await find()) ?? (await find())
  if (row === undefined)
    throw new Error('the organization has no password connection, which comes with a pepper')
  return { version: row.version, keySealed: row.key_sealed }
}

/** Every statement about peppers of one organization starts here. */
export function pepperOf(db: Kysely<DB>, { accountId, environment, organizationId }: PepperOwner) {
  return db.selectFrom('password_peppers').where(ofOwner({ accountId, environment, organizationId }))
}

/** Writes the hash of a user's password, in place of the one before. @returns The password's id. */
export async function writePassword(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  owner: PasswordOwner,
  hash: string,
): Promise<number> {
  const pepper = await lockNewestPepper(trx, owner)
  const at = now()
  const content = {
    pepper_version: pepper.version,
    hash_wrapped: wrapHash(keys.master, pepper, owner, hash),
    set_at: at,
  }
  const { id } = await trx
    .insertInto('passwords')
    .values({
      ...ownerColumns(owner),
      user_id: owner.userId,
      ...content,
      inserted_at: at,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'organization_id', 'environment', 'user_id']).doUpdateSet(content),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(id)
}

/**
 * Stores the hashes of new users' passwords.
 *
 * @throws Error when one of them has a password already.
 */
export async function insertPasswords(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  owner: PepperOwner,
  passwords: readonly { readonly userId: string; readonly hash: string }[],
): Promise<void> {
  const pepper = await lockNewestPepper(trx, owner)
  const wrapped = passwords.map(({ userId, hash }) =>
    wrapHash(keys.master, pepper, { ...owner, userId }, hash),
  )
  const at = now()
  await sql`
    insert into passwords (
      account_id, environment, organization_id, user_id, pepper_version, hash_wrapped, set_at, inserted_at
    )
    select ${owner.accountId}, ${owner.environment}, ${owner.organizationId}, user_id, ${pepper.version}, hash_wrapped,
      ${at}, ${at}
    from unnest(${passwords.map(({ userId }) => userId)}::uuid[], ${wrapped}::bytea[])
      as password (user_id, hash_wrapped)`.execute(trx)
}

/**
 * Writes another hash of the same password, unless a new password has been set since it was read.
 *
 * @returns Whether it was written.
 */
export async function upgradePassword(
  { keys }: Pick<Deps, 'keys'>,
  trx: Transaction<DB>,
  owner: PasswordOwner,
  { setAt }: Pick<StoredPassword, 'setAt'>,
  hash: string,
): Promise<boolean> {
  const pepper = await lockNewestPepper(trx, owner)
  const updated = await trx
    .updateTable('passwords')
    .set({
      pepper_version: pepper.version,
      hash_wrapped: wrapHash(keys.master, pepper, owner, hash),
    })
    .where(ofOwner(owner))
    .where('user_id', '=', owner.userId)
    .where('set_at', '=', setAt)
    .returning('id')
    .executeTakeFirst()
  return updated !== undefined
}

/** A wrapped password, with the key of its pepper. */
interface WrappedPassword {
  readonly id: string
  readonly hash_wrapped: Buffer
  readonly set_at: Date
  readonly version: number
  readonly key_sealed: Buffer
}

/** Unwraps the password of a row; undefined when it does not open. */
export function openPassword(
  deps: Pick<Deps, 'keys' | 'log'>,
  owner: PasswordOwner,
  row: WrappedPassword,
): StoredPassword | undefined {
  const pepper = { version: row.version, keySealed: row.key_sealed }
  const hash = openHash(deps, pepper, owner, row.hash_wrapped)
  return hash === undefined ? undefined : { id: Number(row.id), hash, setAt: row.set_at }
}

/**
 * Unwraps a hash; undefined when it was altered, or copied from another row. The answer is that of a wrong password,
 * and only the log has the cause: the user has no password until they set another.
 */
export function openHash(
  { keys, log }: Pick<Deps, 'keys' | 'log'>,
  pepper: Pepper,
  owner: PasswordOwner,
  wrapped: Buffer,
): string | undefined {
  try {
    return unwrapHash(keys.master, pepper, owner, wrapped)
  } catch (error) {
    const { organizationId: organization_id, userId: user_id } = owner
    log.error(
      { organization_id, user_id, pepper_version: pepper.version, err: error },
      'a stored password does not open: it was altered, copied from another row, or sealed with other master keys',
    )
    return undefined
  }
}
