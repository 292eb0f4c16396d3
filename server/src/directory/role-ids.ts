import type { FieldError } from '@portico/contract/errors'
import { sql, type Kysely, type Transaction } from 'kysely'
import { organizationIdOf } from '../platform/db/organization-id.js'
import type { DB } from '../platform/db/schema.js'
import { ofEnvironment } from '../platform/db/tenant-predicate.js'
import { ApiError } from '../platform/errors.js'
import type { Caller, Tenant } from '../platform/tenant.js'

type TenantKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** The ids, by name, of the named roles that users of the organization can have; they stay until the transaction ends. */
export async function findRoleIds(
  trx: Transaction<DB>,
  tenant: TenantKey,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map()
  const found = await rolesOfOrganization(trx, tenant)
    .where(sql<boolean>`name = any(${names}::text[])`)
    .select(['id', 'name'])
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Map(found.map(({ id, name }) => [name, id]))
}

/** The roles that users of the organization can have: those of the account, and its own. */
export function rolesOfOrganization(db: Kysely<DB>, tenant: TenantKey) {
  return db
    .selectFrom('roles')
    .where(ofEnvironment(tenant))
    .where(sql<boolean>`(organization_id is null or organization_id = ${organizationIdOf(tenant)})`)
}

/** What a name of a role is told that findRoleIds() does not know. */
export const unknownRole = {
  code: 'unknown_role',
  message: 'must be a role of the account or of the organization',
} as const

/**
 * @param member Of the body, which has the names.
 * @throws ApiError `invalid_parameters` for a role that is neither of the account nor of the organization.
 */
export async function getRoleIds(
  trx: Transaction<DB>,
  tenant: TenantKey,
  names: readonly string[],
  member = 'roles',
): Promise<readonly string[]> {
  const ids = await findRoleIds(trx, tenant, names)
  const fields = names.flatMap((name, index): FieldError[] =>
    ids.has(name) ? [] : [{ path: `${member}.${index}`, ...unknownRole }],
  )
  if (fields.length > 0) throw new ApiError('invalid_parameters', { fields })
  return [...ids.values()]
}

/**
 * Roles are given by those who may give them, also in an invitation or a policy: to give none takes no scope.
 *
 * @throws ApiError `insufficient_scope`
 */
export function checkMayGive(caller: Pick<Caller, 'scopes'>, roles: readonly string[] = []): void {
  if (roles.length > 0) checkMayChange(caller, roles)
}

/**
 * The same where the roles replace others.
 *
 * @param roles Undefined: nothing is replaced.
 * @throws ApiError `insufficient_scope`
 */
export function checkMayChange(
  { scopes }: Pick<Caller, 'scopes'>,
  roles: readonly string[] | undefined,
): void {
  if (roles !== undefined && !scopes.includes('write:roles'))
    throw new ApiError('insufficient_scope', {
      message: 'The API key lacks the scope write:roles, which giving roles requires.',
    })
}
