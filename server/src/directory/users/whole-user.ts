import type { User } from '@portico/contract/users'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { totalOf } from '../../platform/db/totals.js'
import { isOfVersion } from '../../platform/db/versions.js'
import { isUniqueViolation } from '../../platform/db/violations.js'
import { ApiError } from '../../platform/errors.js'
import type { Changed } from '../../delivery/events/change.js'
import type { Tenant } from '../../platform/tenant.js'
import { gatheredOfPage, gatheredOfUser, organizationOfPage } from './gathered.js'
import { groups } from './groups.js'
import { identities, identityOfManager } from './identities.js'
import { toUser, userColumns, type IdentityRow, type UserRow } from './record.js'
import { metadata } from './stored-metadata.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'

/** The tenant as parameters of a statement. */
export type TenantKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** Every read of users starts here, so that no query can forget its tenant. */
export function usersOf(db: Kysely<DB>, tenant: TenantKey) {
  return everyUserOf(db, tenant).where('users.deleted_at', 'is', null)
}

/** The same, deleted users included. */
export function everyUserOf(db: Kysely<DB>, tenant: TenantKey) {
  return db.selectFrom('users').where(ofTenant(tenant, 'users'))
}

/** The columns of a user's record. */
export function wholeUser() {
  return [
    ...userOfTokens(),
    sql<IdentityRow[]>`${gatheredOfUser(identities)} || ${gatheredOfUser(identityOfManager)}`.as(
      'identities',
    ),
  ] as const
}

/** What tokens tell of is not from where a user is known, and each part of a statement costs also where it finds nothing. */
export type TokenUser = Omit<User, 'identities'>
export type TokenUserRow = Omit<UserRow, 'identities'>

/** The columns of a user's record for tokens. */
export function userOfTokens() {
  return [
    ...userColumns,
    gatheredOfUser(metadata).as('metadata'),
    gatheredOfUser(groups).as('groups'),
  ] as const
}

/** The user of such a row. */
export function toTokenUser(row: TokenUserRow, tenant: Pick<Tenant, 'domain' | 'environment'>): TokenUser {
  return toUser({ ...row, identities: [] }, tenant)
}

/**
 * The same columns for a page of users, and the total of the organization's: what belongs to the users is gathered once for
 * all of them.
 *
 * @param page Selects `userColumns`.
 */
export function wholeUsers(
  page: RawBuilder<unknown>,
  tenant: Pick<Tenant, 'accountId' | 'environment'>,
): RawBuilder<UserRow & { total: string }> {
  return sql`
    with page as materialized (${page})
    select page.*,
      ${gatheredOfPage(metadata, tenant)} as metadata,
      ${gatheredOfPage(identities, tenant)} || ${gatheredOfPage(identityOfManager, tenant)} as identities,
      ${gatheredOfPage(groups, tenant)} as groups,
      ${totalOf('users', tenant, organizationOfPage)} as total
    from page`
}

/** The row of a user that the transaction has written. */
export async function readUser(db: Kysely<DB>, tenant: Tenant, id: string): Promise<UserRow> {
  return usersOf(db, tenant).where('users.id', '=', id).select(wholeUser()).executeTakeFirstOrThrow()
}

/** Every change of a user's row starts here, and counts as a version. */
export function updateUserRow(
  trx: Kysely<DB>,
  tenant: TenantKey,
  id: string,
  versions: readonly number[] | null | undefined,
) {
  return trx
    .updateTable('users')
    .set({ version: sql`version + 1` })
    .where(ofTenant(tenant))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where(isOfVersion(versions))
}

/** Translates a violation of the unique address into an error of the contract. */
export function asEmailTaken(error: unknown): never {
  if (isUniqueViolation(error, 'users_email_key')) throw new ApiError('email_taken', { cause: error })
  throw error
}

/** The answer and the event of a change of a user. */
export type ChangedUser = Changed<User> & { readonly version: number; readonly email: string }

/** The user of a row that a change returned. */
export function toChangedUser(row: UserRow, tenant: Pick<Tenant, 'domain' | 'environment'>): ChangedUser {
  const { organization_id: organizationId, id: subjectId, version, email } = row
  return { record: toUser(row, tenant), version, organizationId, subjectId, email }
}
