import type { PhoneNumber } from '@portico/contract/profile'
import type { NewUser, UserChanges } from '@portico/contract/user-input'
import type { User } from '@portico/contract/users'
import type { DeletedUser, UserQuery } from '@portico/contract/users'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../crypto/random.js'
import { isOrganizationThere, organizationIdOf } from '../db/organization-id.js'
import { orderOf, readPage, type Page } from '../db/page.js'
import type { DB } from '../db/schema.js'
import { statement } from '../db/statement.js'
import { totalInOrganization } from '../db/totals.js'
import { isUniqueViolation } from '../db/violations.js'
import type { Deps } from '../deps.js'
import { ApiError, invalid } from '../errors.js'
import { change, type Changed } from '../events/change.js'
import { emit } from '../events/emit.js'
import { forgetAnswers } from '../events/idempotency.js'
import { forgetPassword } from '../password/forget-password.js'
import { voidPasswordRequests } from '../password/open-request.js'
import { endSessionsOf } from '../sessions/end-sessions.js'
import type { Tenant } from '../tenant.js'
import { normalizeEmail } from './email.js'
import { leaveDirectory } from './directory.js'
import { groupsOfUser } from './groups.js'
import { forgetIdentities, identitiesOfUser } from './identities.js'
import { insertUserIf, userInsertion, type UserInsertion } from './insert-user.js'
import { metadataOfUser, replaceMetadata } from './stored-metadata.js'
import { changedPhoneNumbers } from './phone.js'
import { toDeletedUser, toUser, toUserRow, userColumns, type UserRow } from './record.js'

/** What a statement says of the tenant. */
type TenantKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>
type UserKey = TenantKey & { readonly id: string }

const insertUserWithKeys = statement((db, user: UserInsertion & { readonly names: readonly string[] }) =>
  insertUserIf(db, user, hasRequiredKeys(user, user.names)),
)

/**
 * Creates a user.
 *
 * @throws ApiError `organization_not_found`, `email_taken`, `meta_key_not_found`, and `metadata_required` when a
 *   required key of the organization is not among the metadata.
 */
export function createUser(deps: Deps, tenant: Tenant, input: NewUser): Promise<Changed<User>> {
  checkDomain(tenant, input.domain)
  const metadata = input.metadata ?? []
  const phoneNumbers = changedPhoneNumbers([], input)
  return change(deps, tenant.cause, async (trx) => {
    const id = newId()
    const names = metadata.map((data) => data.key)
    const user = userInsertion(deps, tenant, { id, input, emailVerified: false, phoneNumbers })
    const [inserted] = await insertUserWithKeys(trx, { ...user, names }).catch(asEmailTaken)
    if (inserted === undefined) throw new ApiError('metadata_required')
    if (metadata.length === 0)
      return emitUser(deps, trx, tenant, 'user.user.create.success', {
        ...inserted,
        metadata: [],
        identities: [],
        groups: [],
      })

    await replaceMetadata(trx, tenant, id, metadata)
    const row = await readUser(trx, tenant, id)
    return emitUser(deps, trx, tenant, 'user.user.create.success', row)
  })
}

/**
 * The users of the organization in the tenant's environment.
 *
 * @throws ApiError `organization_not_found`
 */
export async function listUsers(
  { readDb }: Pick<Deps, 'readDb'>,
  tenant: Tenant,
  query: UserQuery,
): Promise<Page<User>> {
  return readPage(
    {
      query,
      order: orderOf(query.sort, ['inserted_at', 'updated_at', 'email']),
      keys: usersOf(readDb, tenant),
      table: 'users',
      read: (ids) =>
        // Not usersOf(): its condition would let the planner read the whole list instead of these rows.
        everyUserOf(readDb, tenant)
          .where(sql<boolean>`users.id = any(${ids})`)
          .select(wholeUser())
          .execute(),
      total: () => totalInOrganization(readDb, 'users', tenant),
      environment: tenant.environment,
    },
    (row) => toUser(row, tenant),
  )
}

const selectUser = statement((db, user: UserKey) =>
  everyUserOf(db, user).where('users.id', '=', user.id).select(wholeUser()),
)

/**
 * A user, or what is left to tell of a deleted one.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export async function getUser(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  id: string,
): Promise<Changed<User | DeletedUser>> {
  const [row] = await selectUser(db, { ...tenant, id })
  if (row === undefined) throw await whyMissing(db, tenant)
  if (row.deleted_at !== null) return { record: toDeletedUser(row) }
  return { record: toUser(row, tenant), version: row.version }
}

const selectUserByEmail = statement((db, user: TenantKey & { readonly emailNormalized: string }) =>
  usersOf(db, user).where('users.email_normalized', '=', user.emailNormalized).select(wholeUser()),
)

/**
 * The user with an e-mail address, in any case.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export async function getUserByEmail(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  email: string,
): Promise<Changed<User>> {
  const [row] = await selectUserByEmail(db, { ...tenant, emailNormalized: normalizeEmail(email) })
  if (row === undefined) throw await whyMissing(db, tenant)
  return { record: toUser(row, tenant), version: row.version }
}

/**
 * Changes what is sent of a user: absent stays, null clears, lists are replaced, profile and address merge. A new
 * e-mail address or telephone number is not verified; deactivating ends the user's sessions.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `user_not_found`, `email_taken`, `meta_key_not_found`,
 *   `metadata_required`, `precondition_failed`
 */
export function updateUser(
  deps: Deps,
  tenant: Tenant,
  id: string,
  input: UserChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<User>> {
  checkDomain(tenant, input.domain)
  return change(deps, tenant.cause, (trx) => changeUser(deps, trx, tenant, id, { input, versions }))
}

/** A change of a user, and to which versions it may happen. */
export interface ChangeOfUser {
  readonly input: UserChanges
  readonly versions: readonly number[] | undefined
  /** A new e-mail address is verified, because somebody vouches for it. */
  readonly isEmailVouched?: boolean
}

/**
 * The same within a transaction.
 *
 * @throws ApiError As updateUser() does.
 */
export async function changeUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  id: string,
  { input, versions, isEmailVouched = false }: ChangeOfUser,
): Promise<Changed<User>> {
  // The lock holds from the reading of what is merged to the writing of the result.
  const current = await usersOf(trx, tenant)
    .where('users.id', '=', id)
    .select(userColumns)
    .forUpdate()
    .executeTakeFirst()
  if (current === undefined) throw await whyMissing(trx, tenant)
  if (input.metadata !== undefined) await replaceMetadata(trx, tenant, id, input.metadata)

  const columns = toChangedColumns(current, input, isEmailVouched)
  const row = await updateUserRow(trx, tenant, id, versions)
    .set({ ...columns, updated_at: deps.now() })
    .returning(wholeUser())
    .executeTakeFirst()
    .catch(asEmailTaken)
  if (row === undefined) throw new ApiError('precondition_failed')
  if (!row.active) {
    await endSessionsOf(deps, trx, tenant, id)
    await voidPasswordRequests(deps, trx, tenant, normalizeEmail(row.email))
  }
  return emitUser(deps, trx, tenant, 'user.user.update.success', row)
}

/**
 * Deletes a user; sessions end, and the e-mail address is free again at once.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`, `precondition_failed`
 */
export function deleteUser(
  deps: Deps,
  tenant: Tenant,
  id: string,
  versions: readonly number[] | undefined,
): Promise<Changed<User>> {
  return change(deps, tenant.cause, (trx) => removeUser(deps, trx, tenant, id, versions))
}

/**
 * The same within a transaction.
 *
 * @throws ApiError As deleteUser() does.
 */
export async function removeUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  id: string,
  versions: readonly number[] | undefined,
): Promise<Changed<User>> {
  const row = await updateUserRow(trx, tenant, id, versions)
    .set({ deleted_at: deps.now() })
    .returning(wholeUser())
    .executeTakeFirst()
  if (row === undefined) throw await whyUnchanged(trx, tenant, id)
  await endSessionsOf(deps, trx, tenant, id)
  await forgetIdentities(trx, tenant, id)
  await leaveDirectory(trx, tenant, id)
  await forgetAnswers(trx, tenant, { subjectId: id })
  return emitUser(deps, trx, tenant, 'user.user.delete.success', row)
}

/**
 * Counts a change of a user's metadata as a change of the user.
 *
 * @throws ApiError `user_not_found`, `precondition_failed`
 */
export async function touchUser(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  id: string,
  versions: readonly number[] | undefined,
): Promise<UserRow> {
  const row = await updateUserRow(trx, tenant, id, versions)
    .set({ updated_at: deps.now() })
    .returning(wholeUser())
    .executeTakeFirst()
  if (row === undefined) throw await whyUnchanged(trx, tenant, id)
  return row
}

/**
 * Notes that the address of a user, whom the transaction holds, is theirs: they have read a mail sent there. Whoever
 * came in before, by another way, may have only claimed the address: their sessions end, nobody vouches for the user any
 * more, and no password of theirs signs in. Else a stranger who has somebody's address in a profile would share the
 * user with its owner.
 */
export async function markEmailVerified(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  id: string,
): Promise<void> {
  await forgetIdentities(trx, tenant, id)
  await forgetPassword(deps, trx, tenant, id)
  await endSessionsOf(deps, trx, tenant, id)
  const row = await updateUserRow(trx, tenant, id, undefined)
    .set({ email_verified: true, updated_at: deps.now() })
    .returning(wholeUser())
    .executeTakeFirstOrThrow()
  await emitUser(deps, trx, tenant, 'user.user.update.success', row)
}

/** A user as long as there is a row, deleted or not, in an organization that is deleted or not. */
export async function getKeptUser(
  db: Kysely<DB>,
  key: Pick<Tenant, 'accountId' | 'environment' | 'domain'> & { readonly organizationId: string },
  id: string,
): Promise<{ readonly user: User; readonly deletedAt: Date | null }> {
  const row = await db
    .selectFrom('users')
    .where('users.account_id', '=', key.accountId)
    .where('users.environment', '=', key.environment)
    .where('users.organization_id', '=', key.organizationId)
    .where('users.id', '=', id)
    .select(wholeUser())
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('user_not_found')
  return { user: toUser(row, key), deletedAt: row.deleted_at }
}

/** Every read of users starts here, so that no query can forget its tenant. */
export function usersOf(db: Kysely<DB>, tenant: TenantKey) {
  return everyUserOf(db, tenant).where('users.deleted_at', 'is', null)
}

function everyUserOf(db: Kysely<DB>, tenant: TenantKey) {
  return db
    .selectFrom('users')
    .where('users.account_id', '=', tenant.accountId)
    .where('users.environment', '=', tenant.environment)
    .where('users.organization_id', '=', organizationIdOf(tenant))
}

function updateUserRow(
  trx: Transaction<DB>,
  tenant: Tenant,
  id: string,
  versions: readonly number[] | undefined,
) {
  return trx
    .updateTable('users')
    .set({ version: sql`version + 1` })
    .where('account_id', '=', tenant.accountId)
    .where('environment', '=', tenant.environment)
    .where('organization_id', '=', organizationIdOf(tenant))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$if(versions !== undefined, (update) =>
      update.where(sql<boolean>`version = any(${versions}::integer[])`),
    )
}

/** The row of a user that the transaction has written. */
export async function readUser(db: Kysely<DB>, tenant: Tenant, id: string): Promise<UserRow> {
  return usersOf(db, tenant).where('users.id', '=', id).select(wholeUser()).executeTakeFirstOrThrow()
}

/** Users with their versions, by their ids; those that are deleted are not among them. */
export async function readUsers(
  db: Kysely<DB>,
  tenant: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly record: User; readonly version: number }>> {
  const rows = await usersOf(db, tenant)
    .where(sql<boolean>`users.id = any(${ids}::uuid[])`)
    .select(wholeUser())
    .execute()
  return new Map(rows.map((row) => [row.id, { record: toUser(row, tenant), version: row.version }]))
}

/** All that the record of a user is made of. */
function wholeUser() {
  return [
    ...userColumns,
    metadataOfUser().as('metadata'),
    identitiesOfUser().as('identities'),
    groupsOfUser().as('groups'),
  ] as const
}

/** Whether every key that the organization requires is among the given names. */
function hasRequiredKeys(tenant: TenantKey, names: readonly string[]) {
  return sql<boolean>`not exists (
    select from meta_keys
    where account_id = ${tenant.accountId}
      and organization_id = ${organizationIdOf(tenant)}
      and required
      and name <> all(${names}::text[])
  )`
}

function toChangedColumns(
  current: Omit<UserRow, 'metadata' | 'identities' | 'groups'>,
  input: UserChanges,
  isEmailVouched: boolean,
) {
  // Written from validated input alone, here and by createUser().
  const earlierNumbers = current.phone_numbers as unknown as PhoneNumber[]
  const phoneNumbers = changedPhoneNumbers(earlierNumbers, input)
  const row = toUserRow(current, input, phoneNumbers)
  const normalizedEmail = normalizeEmail(row.email)
  const isSameEmail = normalizedEmail === normalizeEmail(current.email)
  const isSamePhone = primaryOf(phoneNumbers) === primaryOf(earlierNumbers)
  return {
    ...row,
    email_normalized: normalizedEmail,
    email_verified: isSameEmail ? current.email_verified : isEmailVouched,
    phone_number_verified: isSamePhone && current.phone_number_verified,
  }
}

function primaryOf(numbers: readonly PhoneNumber[]): string | undefined {
  return numbers.find((number) => number.primary)?.value
}

/** Older callers repeat the organization's domain among the user's members. */
export function checkDomain(tenant: Tenant, domain: string | undefined): void {
  if (domain !== undefined && domain !== tenant.domain)
    throw invalid('domain', 'contradictory', `must be ${tenant.domain}, the domain of the organization`)
}

function asEmailTaken(error: unknown): never {
  if (isUniqueViolation(error, 'users_email_key')) throw new ApiError('email_taken', { cause: error })
  throw error
}

/** Why a user was not found: the organization is not there, or the user is not. */
export async function whyMissing(db: Kysely<DB>, tenant: Tenant): Promise<ApiError> {
  const isThere = await isOrganizationThere(db, tenant)
  return new ApiError(isThere ? 'user_not_found' : 'organization_not_found')
}

async function whyUnchanged(db: Kysely<DB>, tenant: Tenant, id: string): Promise<ApiError> {
  const row = await usersOf(db, tenant).where('users.id', '=', id).select('users.id').executeTakeFirst()
  return row === undefined ? whyMissing(db, tenant) : new ApiError('precondition_failed')
}

export type UserEventCode =
  | 'user.user.create.success'
  | 'user.user.update.success'
  | 'user.user.delete.success'
  | 'user.metadata.set.success'
  | 'user.metadata.remove.success'

/** Records what happened to a user, and answers with the record. */
export async function emitUser(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  code: UserEventCode,
  row: UserRow,
): Promise<Changed<User>> {
  const record = toUser(row, tenant)
  await emit(deps, trx, tenant, {
    code,
    record,
    organizationId: row.organization_id,
    subjectId: row.id,
    email: row.email,
  })
  return { record, version: row.version, organizationId: row.organization_id, subjectId: row.id }
}
