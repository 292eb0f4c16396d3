import type { ErrorCode } from '@portico/contract/errors'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { ApiError } from '../errors.js'
import type { Tenant } from '../tenant.js'
import type { DB } from './schema.js'

/** The name of an organization, and the organizations that the caller may see. */
export type OrganizationName = Pick<Tenant, 'accountId' | 'domain' | 'organizationIds'>

/**
 * The id of the tenant's organization, as a part of the statement that uses it: null when there is no such
 * organization, when it is deleted, belongs to another account, or is closed to the caller's key. A comparison with
 * it then finds nothing, and an insert of it fails, so that no statement can act on an organization it may not see.
 */
export function organizationIdOf(tenant: OrganizationName): RawBuilder<string> {
  return sql<string>`(
    select id from organizations
    where account_id = ${tenant.accountId}
      and domain = ${tenant.domain}
      and deleted_at is null
      and (${tenant.organizationIds}::uuid[] is null or id = any(${tenant.organizationIds}::uuid[]))
  )`
}

/** The same id, for what has no statement of its own. */
export async function findOrganizationId(db: Kysely<DB>, tenant: OrganizationName): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`select ${organizationIdOf(tenant)} as id`.execute(db)
  return rows[0]?.id ?? null
}

/** Whether the tenant's organization exists, to choose the error of a statement that found nothing. */
export async function organizationExists(db: Kysely<DB>, tenant: OrganizationName): Promise<boolean> {
  return (await findOrganizationId(db, tenant)) !== null
}

/** The error of a statement that found nothing: the organization is missing, or else the code's. */
export async function whyNotFound(
  db: Kysely<DB>,
  tenant: OrganizationName,
  code: ErrorCode,
): Promise<ApiError> {
  return new ApiError((await organizationExists(db, tenant)) ? code : 'organization_not_found')
}
