import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { rolesOfOrganization } from '../role-ids.js'
import type { TenantKey } from '../users/whole-user.js'

/** A role as administrators of the organization see it. */
export interface ShownRole {
  readonly name: string
  readonly displayName: string
  readonly description: string | null
  readonly isAssignable: boolean
}

/**
 * The roles that administrators of the organization may give, and those with the given names, by what they are called.
 *
 * @param names Of roles that rules name.
 */
export function listShownRoles(
  db: Kysely<DB>,
  tenant: TenantKey,
  names: readonly string[],
): Promise<ShownRole[]> {
  return rolesOfOrganization(db, tenant)
    .where(sql<boolean>`(assignable_by_admins or name = any(${names}::text[]))`)
    .select(['name', 'display_name as displayName', 'description', 'assignable_by_admins as isAssignable'])
    .orderBy('display_name')
    .orderBy('name')
    .execute()
}

/**
 * Whether administrators of the organization may give all of these roles, which those of another organization are not. They stay as they are until
 * the transaction ends.
 */
export async function areAssignable(
  trx: Transaction<DB>,
  tenant: TenantKey,
  names: readonly string[],
): Promise<boolean> {
  const assignable = await rolesOfOrganization(trx, tenant)
    .where('assignable_by_admins', '=', true)
    .where(sql<boolean>`name = any(${names}::text[])`)
    .select('name')
    .orderBy('id')
    .forShare()
    .execute()
  const known = new Set(assignable.map(({ name }) => name))
  return names.every((name) => known.has(name))
}
