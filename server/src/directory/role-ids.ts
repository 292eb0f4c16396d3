import type { FieldError } from '@portico/contract/errors'
import { sql, type Transaction } from 'kysely'
import { organizationIdOf } from '../platform/db/organization-id.js'
import type { DB } from '../platform/db/schema.js'
import { ofEnvironment } from '../platform/db/tenant-predicate.js'
import { ApiError } from '../platform/errors.js'
import type { Tenant } from '../platform/tenant.js'

/**
 * The ids of roles by name, which stay until the transaction ends.
 *
 * @throws ApiError `invalid_parameters` for a role that is neither of the account nor of the organization.
 */
export async function findRoleIds(
  trx: Transaction<DB>,
  tenant: Tenant,
  names: readonly string[],
): Promise<readonly string[]> {
  const found = await trx
    .selectFrom('roles')
    .where(ofEnvironment(tenant))
    .where(sql<boolean>`name = any(${names}::text[])`)
    .where(sql<boolean>`(organization_id is null or organization_id = ${organizationIdOf(tenant)})`)
    .select(['id', 'name'])
    .orderBy('id')
    .forKeyShare()
    .execute()
  const known = new Set(found.map(({ name }) => name))
  const fields = names.flatMap((name, index): FieldError[] =>
    known.has(name)
      ? []
      : [
          {
            path: `roles.${index}`,
            code: 'unknown_role',
            message: 'must be a role of the account or of the organization',
          },
        ],
  )
  if (fields.length > 0) throw new ApiError('invalid_parameters', { fields })
  return found.map(({ id }) => id)
}
