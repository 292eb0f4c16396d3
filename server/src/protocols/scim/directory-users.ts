import type { User } from '@portico/contract/users'
import { sql, type Transaction } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import type { DB, Json } from '../../platform/db/schema.js'
import { companion, insertion } from '../../platform/db/statement.js'
import { isForeignKeyViolation, isUniqueViolation } from '../../platform/db/violations.js'
import type { Deps } from '../../delivery/deps.js'
import { normalizeEmail } from '../../platform/email.js'
import { createIn, creation } from '../../delivery/events/create.js'
import { identityOfDirectory } from '../../directory/users/identities.js'
import { atDoor, insertAdmitted } from '../../directory/users/admit.js'
import { emissionOfNewUser, type UserInsertion } from '../../directory/users/insert-user.js'
import type { MappedMetadata } from '../../directory/users/stored-metadata.js'
import { keyOf, type DirectoryKey, type ScimCaller } from './scim-caller.js'
import { unauthenticated } from './scim-error.js'
import { uniquenessError } from './user-email.js'
import { invalidValue, type ScimResource } from './values.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** A directory's data about one of its users, beyond the user's record. */
export interface DirectoryUser {
  readonly userName: string
  readonly externalId: string | null
  /** The attributes as they were sent, except those stored in separate columns. */
  readonly attributes: ScimResource
  /** What rules of roles are compared with: values at the attributes that they name. */
  readonly roleKeys: readonly string[]
}

/** Only written by toColumns(), from resources. */
export function toAttributes(attributes: Json): ScimResource {
  return attributes as unknown as ScimResource
}

/**
 * Creates a user that the directory manages, with the event, which has the metadata that follow.
 *
 * @returns The user with its version; undefined when another user has the address.
 * @throws ScimError 409 `uniqueness`, 400 `invalidValue`
 */
export async function insertUserOfDirectory(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  caller: ScimCaller,
  user: UserInsertion,
  { described, metadata }: { readonly described: DirectoryUser; readonly metadata: MappedMetadata['rows'] },
): Promise<{ readonly record: User; readonly version: number } | undefined> {
  await checkNames(trx, caller, user, described)
  const { tenant, directoryId, providerType } = caller
  const identity = identityOfDirectory({ id: directoryId, provider: providerType }, described)
  const emission = emissionOfNewUser(user, tenant, { identities: [identity], metadata })
  const parameters = { ...user, ...toRow(deps, caller, user.id, described) }
  const created = await createIn(deps, trx, atDoor('directory', tenant), {
    insert: insertBoth,
    parameters,
    emission,
  }).catch(asTaken)
  return created && emission
}

/** One statement for both rows, so that a constraint violation of the second also prevents the first. */
const insertBoth = creation(
  (db, user: UserInsertion & DirectoryUserRow) =>
    insertAdmitted('directory', db, user)
      .onConflict((conflict) => conflict.doNothing())
      .returning('users.organization_id'),
  (user) => sql`, described as (
    insert into directory_users (${sql.join(directoryUserColumns.map((column) => sql.ref(column)))})
    select ${sql.join(directoryUserColumns.map((column) => sql`${user[column]}`))} from created
  )`,
)

/**
 * Makes the directory the manager of an existing user.
 *
 * @throws ScimError 409 `uniqueness`, 400 `invalidValue`
 */
export async function insertDirectoryUser(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  caller: ScimCaller,
  user: UserOfDirectory,
  described: DirectoryUser,
): Promise<void> {
  await checkNames(trx, caller, user, described)
  await insertRow(trx, toRow(deps, caller, user.id, described)).catch(asTaken)
}

const directoryUserColumns = [
  'account_id',
  'environment',
  'organization_id',
  'directory_id',
  'user_id',
  'inserted_at',
  'user_name',
  'user_name_normalized',
  'external_id',
  'attributes',
  'role_keys',
] as const

const insertRow = insertion('directory_users')

type DirectoryUserRow = ReturnType<typeof toRow>

function toRow({ now }: Pick<Deps, 'now'>, caller: ScimCaller, userId: string, described: DirectoryUser) {
  return {
    account_id: caller.tenant.accountId,
    environment: caller.tenant.environment,
    organization_id: caller.organizationId,
    directory_id: caller.directoryId,
    user_id: userId,
    inserted_at: now(),
    ...toColumns(described),
  }
}

async function checkNames(
  trx: Transaction<DB>,
  caller: ScimCaller,
  { id, email }: UserOfDirectory,
  described: DirectoryUser,
): Promise<void> {
  checkSizes(described)
  if (!isAddress(described.userName, email)) await checkUserName(trx, caller, id, described.userName)
}

/** A user managed by a directory. */
interface UserOfDirectory {
  readonly id: string
  /** The current address. */
  readonly email: string
}

/**
 * Updates a directory's data about one of its users. A name that another user has is reported by the transaction's next
 * statement, whose errors asTaken() translates.
 *
 * @throws ScimError 409 `uniqueness`, 400 `invalidValue`
 */
export async function updateDirectoryUser(
  trx: Transaction<DB>,
  caller: ScimCaller,
  { id, email }: UserOfDirectory,
  { before, after }: { readonly before: DirectoryUser; readonly after: DirectoryUser },
): Promise<void> {
  if (isDeepStrictEqual(before, after)) return
  checkSizes(after)
  const isSameName = normalizeEmail(before.userName) === normalizeEmail(after.userName)
  if (!isSameName && !isAddress(after.userName, email)) await checkUserName(trx, caller, id, after.userName)
  await updateRow(trx, { ...keyOf(caller), id, ...toColumns(after) })
}

type ChangedRow = DirectoryKey & { readonly id: string } & ReturnType<typeof toColumns>

const updateRow = companion((db, row: ChangedRow) =>
  db
    .updateTable('directory_users')
    .set({
      user_name: row.user_name,
      user_name_normalized: row.user_name_normalized,
      external_id: row.external_id,
      attributes: row.attributes,
      role_keys: row.role_keys,
    })
    .where(ofOwner(row))
    .where('directory_id', '=', row.directoryId)
    .where('user_id', '=', row.id),
)

/** In bytes: Postgres refuses index entries above about 2,700 bytes. */
const maxNameBytes = 1000
/** In bytes of JSON: many times what products send; a list answers up to 200 users. */
const maxAttributesBytes = 100_000

function checkSizes({ userName, externalId, attributes }: DirectoryUser): void {
  const names = { userName: normalizeEmail(userName), externalId: externalId ?? '' }
  for (const [name, text] of Object.entries(names))
    if (Buffer.byteLength(text) > maxNameBytes)
      throw invalidValue(name, `must be at most ${maxNameBytes} bytes long`)
  if (Buffer.byteLength(JSON.stringify(attributes)) > maxAttributesBytes)
    throw invalidValue('the user', `must be at most ${maxAttributesBytes} bytes of JSON`)
}

/** A userName equal to the user's own address is unique, as addresses are. */
function isAddress(userName: string, email: string): boolean {
  return normalizeEmail(userName) === normalizeEmail(email)
}

/** The address of a user outside the directory counts as their userName. */
async function checkUserName(
  trx: Transaction<DB>,
  caller: ScimCaller,
  userId: string,
  userName: string,
): Promise<void> {
  const other = await trx
    .selectFrom('users')
    .where(
      ofOwner(
        {
          accountId: caller.tenant.accountId,
          environment: caller.tenant.environment,
          organizationId: caller.organizationId,
        },
        'users',
      ),
    )
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
  if (other !== undefined) throw uniquenessError('userName')
}

function toColumns({ userName, externalId, attributes, roleKeys }: DirectoryUser) {
  return {
    user_name: userName,
    user_name_normalized: normalizeEmail(userName),
    external_id: externalId,
    attributes: JSON.stringify(attributes),
    role_keys: [...roleKeys],
  }
}

/** @throws ScimError 409 `uniqueness`, 401 when the directory was deleted after the provider authenticated */
export function asTaken(error: unknown): never {
  if (isForeignKeyViolation(error, 'directory_users_directory_fkey')) throw unauthenticated({ cause: error })
  if (isUniqueViolation(error, 'directory_users_user_name_key')) throw uniquenessError('userName')
  if (isUniqueViolation(error, 'directory_users_external_id_key')) throw uniquenessError('externalId')
  throw error
}
