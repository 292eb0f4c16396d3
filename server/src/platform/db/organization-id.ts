import type { ErrorCode } from '@portico/contract/errors'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { ApiError } from '../errors.js'
import type { Tenant } from '../tenant.js'
import type { DB } from './schema.js'

/** What names an organization, and what of it the caller may see. */
type OrganizationName = Pick<Tenant, 'accountId' | 'domain' | 'organizationIds'>

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

/** Whether the tenant's organization is there, for a statement that has found nothing: which of its two answers is it? */
export async function isOrganizationThere(db: Kysely<DB>, tenant: OrganizationName): Promise<boolean> {
  const { rows } = await sql<{ id: string | null }>`select ${organizationIdOf(tenant)} as id`.execute(db)
  return rows[0]?.id != null
}

/** Why a statement of an organization found nothing: the organization is not there, or else what the code says. */
export async function whyNotFound(
  db: Kysely<DB>,
  tenant: OrganizationName,
  code: ErrorCode,
): Promise<ApiError> {
  return new ApiError((await isOrganizationThere(db, tenant)) ? code : 'organization_not_found')
}
