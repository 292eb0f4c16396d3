import type { PhoneNumber } from '@portico/contract/profile'
import type { UserChanges } from '@portico/contract/user-input'
import type { User } from '@portico/contract/users'
import { sql, type Transaction, type UpdateObject } from 'kysely'
import { whyNotFound } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import { whyUnchanged } from '../../platform/db/versions.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import type { Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { eraseStoredAnswers } from '../../delivery/events/idempotency.js'
import { forgetPasskeys } from '../forget-passkeys.js'
import { forgetPassword, voidPasswordRequests } from '../forget-password.js'
import { endSessionsOf, endSignInsOf } from '../end-sessions.js'
import type { Tenant } from '../../platform/tenant.js'
import { leaveDirectory } from './directory.js'
import { normalizeEmail } from '../../platform/email.js'
import { forgetRoles } from './roles-of-user.js'
import { forgetIdentities } from './identities.js'
import { changedPhoneNumbers } from '../../platform/phone.js'
import { toUserRow, userColumns, writtenPartOf, type UserRow } from './record.js'
import { replaceMetadata } from './stored-metadata.js'
import {
  asEmailTaken,
  toChangedUser,
  updateUserRow,
  usersOf,
  wholeUser,
  type ChangedUser,
  type TenantKey,
} from './whole-user.js'

type UserKey = TenantKey & { readonly id: string }

/** A change of a user, and the versions that it may happen to. */
interface ChangeOfUser {
  readonly input: UserChanges
  readonly versions: readonly number[] | undefined
  /** A new e-mail address is verified, because an issuer or a directory asserts it. */
  readonly isEmailVouched?: boolean
}

/**
 * Changes a user within a transaction.
 *
 * @throws ApiError As updateUser() does.
 */
export async function changeUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  id: string,
  change: ChangeOfUser,
): Promise<Changed<User>> {
  const current = await lockUser(trx, tenant, id)
  return changeLockedUser(deps, trx, tenant, current, change)
}

/** The row of a user, locked until the transaction ends. */
export type LockedUser = Omit<UserRow, 'metadata' | 'identities' | 'groups'>

/**
 * Locks a user between reading what a change merges with and writing the result.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export async function lockUser(trx: Transaction<DB>, tenant: Tenant, id: string): Promise<LockedUser> {
  const [held] = await selectHeld(trx, { ...tenant, id })
  if (held === undefined) throw await whyNotFound(trx, tenant, 'user_not_found')
  return held
}

const selectHeld = statement((db, user: UserKey) =>
  usersOf(db, user).where('users.id', '=', user.id).select(userColumns).forUpdate(),
)

/** The same after the row of the organization's directory, so that it stays; undefined where either is missing. */
export async function lockUserWithDirectory(
  trx: Transaction<DB>,
  tenant: Tenant,
  directoryId: string,
  id: string,
): Promise<LockedUser | undefined> {
  const [held] = await selectHeldWithDirectory(trx, { ...tenant, directoryId, id })
  return held
}

const selectHeldWithDirectory = statement((db, user: UserKey & { readonly directoryId: string }) =>
  usersOf(db, user)
    .innerJoin('directories', (join) => join.on(sameTenant('directories', 'users')))
    .where('directories.id', '=', user.directoryId)
    .where('users.id', '=', user.id)
    .select(userColumns)
    .forKeyShare('directories')
    .forUpdate('users'),
)

/**
 * The same for a user whom the transaction has locked.
 *
 * @throws ApiError As updateUser() does.
 */
export async function changeLockedUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  current: LockedUser,
  { input, versions, isEmailVouched = false }: ChangeOfUser,
): Promise<ChangedUser> {
  const { id } = current
  if (input.metadata !== undefined) await replaceMetadata(trx, tenant, id, input.metadata)
  const columns = toChangedColumns(current, input, isEmailVouched)
  const written = { ...tenant, ...columns, id, versions: versions ?? null, updated_at: deps.now() }
  const [row] = await updateHeld(trx, written).catch(asEmailTaken)
  if (row === undefined) throw new ApiError('precondition_failed')
  if (!row.active) {
    await endSessionsOf(deps, trx, tenant, id)
    await voidPasswordRequests(deps, trx, tenant, normalizeEmail(row.email))
  }
  const changed = toChangedUser(row, tenant)
  await emit(deps, trx, tenant, { code: 'user.user.update.success', ...changed })
  return changed
}

type WrittenColumns = ReturnType<typeof toChangedColumns> & { readonly updated_at: Date }

/** What the statement sets. The compiler refuses a column that is computed and not written. */
type SetColumns = Record<keyof WrittenColumns | 'email_proved_at', unknown>

const updateHeld = statement(
  (db, user: UserKey & WrittenColumns & { readonly versions: readonly number[] | null }) =>
    updateUserRow(db, user, user.id, user.versions)
      .set({
        ...writtenPartOf(user),
        email_normalized: user.email_normalized,
        email_verified: user.email_verified,
        // The proof is of the mailbox that the row has had.
        email_proved_at: sql<Date | null>`case when users.email_normalized = ${user.email_normalized} then users.email_proved_at end`,
        phone_number_verified: user.phone_number_verified,
        updated_at: user.updated_at,
      } satisfies SetColumns)
      .returning(wholeUser()),
)

/**
 * Deletes a user within a transaction.
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
  const row = await changeRow(trx, tenant, { id, versions }, { deleted_at: deps.now() })
  await endSessionsOf(deps, trx, tenant, id)
  await forgetRoles(trx, { ...tenant, id })
  await forgetIdentities(trx, tenant, id)
  await forgetPasskeys(trx, tenant, id)
  await leaveDirectory(trx, tenant, id)
  await eraseStoredAnswers(trx, tenant, { subjectId: id })
  return emit(deps, trx, tenant, { code: 'user.user.delete.success', ...toChangedUser(row, tenant) })
}

/**
 * Records a change of a user's metadata as a change of the user.
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
  return changeRow(trx, tenant, { id, versions }, { updated_at: deps.now() })
}

/**
 * Marks the address of a user, whom the transaction has locked, as verified by a mail that they have read. Anybody who
 * signed in before by another method may only have claimed the address: sessions, identities, password and passkeys of the
 * user are removed. Otherwise a stranger who has somebody's address in a profile would share the user with its owner.
 */
export async function markEmailVerified(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  id: string,
): Promise<void> {
  await forgetIdentities(trx, tenant, id)
  await forgetPassword(deps, trx, tenant, id)
  await forgetPasskeys(trx, tenant, id)
  await endSignInsOf(deps, trx, tenant, id)
  const row = await updateUserRow(trx, tenant, id, undefined)
    .set({ email_verified: true, updated_at: deps.now() })
    .returning(wholeUser())
    .executeTakeFirstOrThrow()
  await emit(deps, trx, tenant, { code: 'user.user.update.success', ...toChangedUser(row, tenant) })
}

/** @throws ApiError `organization_not_found`, `user_not_found`, `precondition_failed` */
async function changeRow(
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, versions }: Pick<ChangeOfUser, 'versions'> & { readonly id: string },
  columns: UpdateObject<DB, 'users'>,
): Promise<UserRow> {
  const row = await updateUserRow(trx, tenant, id, versions)
    .set(columns)
    .returning(wholeUser())
    .executeTakeFirst()
  if (row !== undefined) return row
  const inAnyVersion = usersOf(trx, tenant).where('users.id', '=', id).select('users.id')
  throw await whyUnchanged(inAnyVersion, () => whyNotFound(trx, tenant, 'user_not_found'))
}

function toChangedColumns(current: LockedUser, input: UserChanges, isEmailVouched: boolean) {
  // Written only from validated input, here and by createUser().
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
