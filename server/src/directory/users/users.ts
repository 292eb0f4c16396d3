import type { NewUser, UserChanges } from '@portico/contract/user-input'
import {
  userOrders,
  type DeletedUser,
  type PreloadQuery,
  type User,
  type UserQuery,
} from '@portico/contract/users'
import { sql, type Kysely } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { whyNotFound } from '../../platform/db/organization-id.js'
import { findPage, orderOf, pageFinder, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup, statement } from '../../platform/db/statement.js'
import { totalInOrganization } from '../../platform/db/totals.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { create, createIn, creation } from '../../delivery/events/create.js'
import { emit } from '../../delivery/events/emit.js'
import type { Tenant } from '../../platform/tenant.js'
import { admittedTo, asApiError, atDoor, insertAdmitted, lockSeatAndInvitation, revokeHeld } from './admit.js'
import { changeUser, removeUser } from './change-user.js'
import { withPreloads } from './preloads.js'
import { normalizeEmail } from '../../platform/email.js'
import { isFiltered, listFilteredUsers } from './filtered-users.js'
import { emissionOfNewUser, userInsertion, type UserInsertion } from './insert-user.js'
import { changedPhoneNumbers } from '../../platform/phone.js'
import { toDeletedUser, toUser, userColumns } from './record.js'
import { replaceMetadata } from './stored-metadata.js'
import {
  asEmailTaken,
  toChangedUser,
  everyUserOf,
  readUser,
  usersOf,
  wholeUser,
  wholeUsers,
  type TenantKey,
} from './whole-user.js'
import { ofEnvironment, ofOwner } from '../../platform/db/tenant-predicate.js'
import type { RoleOfUser } from '../../tokens/role-claims.js'
import { rolesOfUser } from './roles-of-user.js'

type UserKey = TenantKey & { readonly id: string }

type NewUserParameters = UserInsertion & { readonly names: readonly string[] }

function insertUserWithKeys(db: Kysely<DB>, user: NewUserParameters) {
  return insertAdmitted('api', db, user, hasRequiredKeys(user, user.names))
}

const insertWholeUser = creation((db, user: NewUserParameters) =>
  insertUserWithKeys(db, user).returning('users.organization_id'),
)

/**
 * Creates a user.
 *
 * @throws ApiError `organization_not_found`, `email_taken`, `meta_key_not_found`, `seats_exhausted`, and `metadata_required`
 *   when a required key of the organization is not among the metadata.
 */
export function createUser(deps: Deps, tenant: Tenant, input: NewUser): Promise<Changed<User>> {
  checkDomain(tenant, input.domain)
  const { metadata = [] } = input
  const phoneNumbers = changedPhoneNumbers([], input)
  const names = metadata.map((data) => data.key)
  const user = {
    ...userInsertion(deps, tenant, { id: newId(), input, emailVerified: false, phoneNumbers }),
    names,
  }
  if (metadata.length > 0) return createUserWith(metadata, deps, tenant, user)
  return createUserWithout(deps, tenant, user).catch(asEmailTaken)
}

/** A required key is missing, or else seats are limited or the address is invited: a statement that commits by itself locks neither. */
class LockNeeded extends Error {
  override readonly name = 'LockNeeded'
}

async function createUserWithout(
  deps: Deps,
  tenant: Tenant,
  user: NewUserParameters,
): Promise<Changed<User>> {
  const emission = emissionOfNewUser(user, tenant)
  const scope = atDoor('api', tenant)
  const record = { insert: insertWholeUser, parameters: user, emission }
  try {
    return await create(deps, scope, record, () => new LockNeeded())
  } catch (error) {
    if (!(error instanceof LockNeeded)) throw error
  }
  return change(deps, tenant.cause, async (trx) => {
    const held = await lockSeatAndInvitation(trx, tenant, user.emailNormalized, deps.now()).catch(asApiError)
    const parameters = { ...user, isHeld: true }
    const created = await createIn(deps, trx, scope, { ...record, parameters })
    if (created === undefined) throw new ApiError('metadata_required')
    await revokeHeld(deps, trx, tenant, held)
    return created
  })
}

const insertUserRow = statement((db, user: NewUserParameters) =>
  insertUserWithKeys(db, user).returning(userColumns),
)

/** The same with metadata: the declared keys are locked and read before values of them are written. */
function createUserWith(
  metadata: NonNullable<NewUser['metadata']>,
  deps: Deps,
  tenant: Tenant,
  user: NewUserParameters,
): Promise<Changed<User>> {
  return change(deps, tenant.cause, async (trx) => {
    let [inserted] = await insertUserRow(trx, user).catch(asEmailTaken)
    if (inserted === undefined) {
      const held = await lockSeatAndInvitation(trx, tenant, user.emailNormalized, deps.now()).catch(
        asApiError,
      )
      ;[inserted] = await insertUserRow(trx, { ...user, isHeld: true }).catch(asEmailTaken)
      if (inserted !== undefined) await revokeHeld(deps, trx, tenant, held)
    }
    if (inserted === undefined) throw new ApiError('metadata_required')
    await replaceMetadata(trx, tenant, user.id, metadata)
    const row = await readUser(trx, tenant, user.id)
    return emit(deps, trx, atDoor('api', tenant), {
      code: 'user.user.create.success',
      ...toChangedUser(row, tenant),
    })
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
  const page = await (isFiltered(query) ? listFilteredUsers : listAllUsers)(readDb, tenant, query)
  return { ...page, data: await withPreloads(readDb, tenant, page.data, query) }
}

function listAllUsers(readDb: Kysely<DB>, tenant: Tenant, query: UserQuery): Promise<Page<User>> {
  return findPage(
    {
      query,
      order: orderOf(query.sort, userOrders),
      find: findUsers(readDb, tenant),
      totalOf: () => totalInOrganization(readDb, 'users', tenant),
      environment: tenant.environment,
    },
    (row) => toUser(row, tenant),
  )
}

function usersIn(db: Kysely<DB>, tenant: TenantKey) {
  return {
    keys: usersOf(db, tenant),
    table: 'users' as const,
    // Not usersOf(): its condition has indexes other than the key's, which must not serve to look up single rows.
    rows: everyUserOf(db, tenant).select(userColumns),
    direct: usersOf(db, tenant).select(userColumns),
  }
}

const findUsers = pageFinder(usersIn, wholeUsers)

const selectUser = lookup((db, user: UserKey) =>
  everyUserOf(db, user).where('users.id', '=', user.id).select(wholeUser()),
)

/**
 * A user, or the remaining record of a deleted one.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export async function getUser(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  id: string,
  query: PreloadQuery,
): Promise<Changed<User | DeletedUser>> {
  const [row] = await selectUser(db, { ...tenant, id })
  if (row === undefined) throw await whyNotFound(db, tenant, 'user_not_found')
  if (row.deleted_at !== null) return { record: toDeletedUser(row) }
  return preloaded(db, tenant, toChangedUser(row, tenant), query)
}

async function preloaded(
  db: Kysely<DB>,
  tenant: Tenant,
  changed: Changed<User>,
  query: PreloadQuery,
): Promise<Changed<User>> {
  const [record = changed.record] = await withPreloads(db, tenant, [changed.record], query)
  return { ...changed, record }
}

/**
 * A user of a presented token or code, whose every refusal is the same; undefined where the user or the organization is
 * missing or deleted.
 */
export async function findLiveUser(db: Kysely<DB>, tenant: Tenant, id: string): Promise<User | undefined> {
  const [row] = await selectUser(db, { ...tenant, id })
  return row === undefined || row.deleted_at !== null ? undefined : toUser(row, tenant)
}

/** The roles of a user of a presented token, and what of them its application is told. */
interface UserOfToken {
  readonly user: User
  readonly roles: readonly RoleOfUser[]
  readonly permissionPrefixes: readonly string[] | null
}

const selectUserOfToken = lookup((db, token: UserKey & { readonly applicationId: string }) =>
  everyUserOf(db, token)
    .where('users.id', '=', token.id)
    .select([
      ...wholeUser(),
      rolesOfUser().as('roles'),
      db
        .selectFrom('applications')
        .where(ofEnvironment({ accountId: token.accountId, environment: token.environment }, 'applications'))
        .where('applications.id', '=', token.applicationId)
        .select('applications.permission_prefixes')
        .as('permission_prefixes'),
    ]),
)

/** The same as findLiveUser(), with the roles. */
export async function findUserOfToken(
  db: Kysely<DB>,
  tenant: Tenant,
  token: { readonly userId: string; readonly clientId: string },
): Promise<UserOfToken | undefined> {
  const [row] = await selectUserOfToken(db, { ...tenant, id: token.userId, applicationId: token.clientId })
  if (row === undefined || row.deleted_at !== null) return undefined
  return { user: toUser(row, tenant), roles: row.roles, permissionPrefixes: row.permission_prefixes }
}

const selectUserByEmail = lookup((db, user: TenantKey & { readonly emailNormalized: string }) =>
  usersOf(db, user).where('users.email_normalized', '=', user.emailNormalized).select(wholeUser()),
)

/**
 * The user with an e-mail address, regardless of case.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export async function getUserByEmail(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  email: string,
  query: PreloadQuery,
): Promise<Changed<User>> {
  const [row] = await selectUserByEmail(db, { ...tenant, emailNormalized: normalizeEmail(email) })
  if (row === undefined) throw await whyNotFound(db, tenant, 'user_not_found')
  return preloaded(db, tenant, toChangedUser(row, tenant), query)
}

/**
 * Changes the given members of a user: absent stays, null clears, lists are replaced, profile and address merge. A new
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

/** A user whose row still exists, deleted or not, in an organization that is deleted or not. */
export async function getKeptUser(
  db: Kysely<DB>,
  key: Pick<Tenant, 'accountId' | 'environment' | 'domain'> & { readonly organizationId: string },
  id: string,
): Promise<{ readonly user: User; readonly deletedAt: Date | null }> {
  const row = await db
    .selectFrom('users')
    .where(ofOwner(key, 'users'))
    .where('users.id', '=', id)
    .select(wholeUser())
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('user_not_found')
  return { user: toUser(row, key), deletedAt: row.deleted_at }
}

/** Whether every key that the organization requires is among the given names; looked up by the index, as existsFor() says. */
function hasRequiredKeys(tenant: TenantKey, names: readonly string[]) {
  return sql<boolean>`not exists (
    select from meta_keys
    where account_id = ${tenant.accountId}
      and organization_id = ${admittedTo}
      and required
      and name <> all(${names}::text[])
    offset 0
  )`
}

/** Older callers repeat the organization's domain among the user's members. */
export function checkDomain(tenant: Tenant, domain: string | undefined): void {
  if (domain !== undefined && domain !== tenant.domain)
    throw invalid('domain', 'contradictory', `must be ${tenant.domain}, the domain of the organization`)
}
