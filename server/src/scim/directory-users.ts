import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB, Json } from '../db/schema.js'
import { isUniqueViolation } from '../db/violations.js'
import type { Deps } from '../deps.js'
import { normalizeEmail } from '../users/email.js'
import type { ScimCaller } from './scim-caller.js'
import { taken } from './user-email.js'
import { invalidValue, type ScimResource } from './values.js'

/** What a directory says of one of its users beyond the record of the user. */
export interface DirectoryUser {
  readonly userName: string
  readonly externalId: string | null
  /** The attributes as they were sent, without those that have a place of their own. */
  readonly attributes: ScimResource
}

/** The users of a directory among these, by their ids. */
export async function readDirectoryUsers(
  db: Kysely<DB>,
  caller: ScimCaller,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DirectoryUser>> {
  const rows = await db
    .selectFrom('directory_users')
    .where('account_id', '=', caller.tenant.accountId)
    .where('environment', '=', caller.tenant.environment)
    .where('organization_id', '=', caller.organizationId)
    .where('directory_id', '=', caller.directoryId)
    .where(sql<boolean>`user_id = any(${ids}::uuid[])`)
    .select(['user_id', 'user_name', 'external_id', 'attributes'])
    .execute()
  return new Map(
    rows.map((row) => [
      row.user_id,
      { userName: row.user_name, externalId: row.external_id, attributes: toAttributes(row.attributes) },
    ]),
  )
}

/** Written from resources alone, by toColumns(). */
function toAttributes(attributes: Json): ScimResource {
  return attributes as unknown as ScimResource
}

/**
 * Brings a user under the directory.
 *
 * @throws ScimError 409 `uniqueness`, 400 `invalidValue`
 */
export async function insertDirectoryUser(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  caller: ScimCaller,
  userId: string,
  user: DirectoryUser,
): Promise<void> {
  checkSizes(user)
  await checkUserName(trx, caller, userId, user.userName)
  await trx
    .insertInto('directory_users')
    .values({
      account_id: caller.tenant.accountId,
      environment: caller.tenant.environment,
      organization_id: caller.organizationId,
      directory_id: caller.directoryId,
      user_id: userId,
      inserted_at: now(),
      ...toColumns(user),
    })
    .execute()
    .catch(asTaken)
}

/**
 * Writes what the directory says of one of its users.
 *
 * @throws ScimError 409 `uniqueness`, 400 `invalidValue`
 */
export async function updateDirectoryUser(
  trx: Transaction<DB>,
  caller: ScimCaller,
  userId: string,
  user: DirectoryUser,
): Promise<void> {
  checkSizes(user)
  await checkUserName(trx, caller, userId, user.userName)
  await trx
    .updateTable('directory_users')
    .set(toColumns(user))
    .where('account_id', '=', caller.tenant.accountId)
    .where('environment', '=', caller.tenant.environment)
    .where('organization_id', '=', caller.organizationId)
    .where('directory_id', '=', caller.directoryId)
    .where('user_id', '=', userId)
    .execute()
    .catch(asTaken)
}

/** In bytes: an index of Postgres holds no entry of 3 kB. */
const maxNameBytes = 1000
/** In bytes of JSON: many times what products send, and a list of users is 200 of them. */
const maxAttributesBytes = 100_000

function checkSizes({ userName, externalId, attributes }: DirectoryUser): void {
  const names = { userName: normalizeEmail(userName), externalId: externalId ?? '' }
  for (const [name, text] of Object.entries(names))
    if (Buffer.byteLength(text) > maxNameBytes)
      throw invalidValue(name, `must be at most ${maxNameBytes} bytes long`)
  if (Buffer.byteLength(JSON.stringify(attributes)) > maxAttributesBytes)
    throw invalidValue('the user', `must be at most ${maxAttributesBytes} bytes of JSON`)
}

/** The userName of a user who is not of the directory is their address. */
async function checkUserName(
  trx: Transaction<DB>,
  caller: ScimCaller,
  userId: string,
  userName: string,
): Promise<void> {
  const other = await trx
    .selectFrom('users')
    .where('users.account_id', '=', caller.tenant.accountId)
    .where('users.environment', '=', caller.tenant.environment)
    .where('users.organization_id', '=', caller.organizationId)
    .where('users.email_normalized', '=', normalizeEmail(userName))
    .where('users.deleted_at', 'is', null)
    .where('users.id', '<>', userId)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('directory_users as known')
            .whereRef('known.account_id', '=', 'users.account_id')
            .whereRef('known.environment', '=', 'users.environment')
            .whereRef('known.organization_id', '=', 'users.organization_id')
            .whereRef('known.user_id', '=', 'users.id')
            .select(sql`1`.as('one')),
        ),
      ),
    )
    .select('users.id')
    .executeTakeFirst()
  if (other !== undefined) throw taken('userName')
}

function toColumns({ userName, externalId, attributes }: DirectoryUser) {
  return {
    user_name: userName,
    user_name_normalized: normalizeEmail(userName),
    external_id: externalId,
    attributes: JSON.stringify(attributes),
  }
}

function asTaken(error: unknown): never {
  if (isUniqueViolation(error, 'directory_users_user_name_key')) throw taken('userName')
  if (isUniqueViolation(error, 'directory_users_external_id_key')) throw taken('externalId')
  throw error
}
