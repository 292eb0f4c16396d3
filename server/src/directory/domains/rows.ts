import type { Domain } from '@portico/contract/domains'
import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely, type Transaction } from 'kysely'
import { whyNotFound } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner, ofTenant } from '../../platform/db/tenant-predicate.js'
import { isOfVersion, whyUnchanged } from '../../platform/db/versions.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import type { Changed } from '../../delivery/events/change.js'
import { domainColumns, recordName, recordValue, toDomain, type DomainRow } from './record.js'

/** The tenant as parameters of a statement. */
export type TenantKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** Every read of the domains of an organization starts here, so that no query can forget its tenant. */
export function domainsOf(db: Kysely<DB>, tenant: TenantKey) {
  return db.selectFrom('domains').where(ofTenant(tenant, 'domains'))
}

/** The columns of a domain with the addresses that are exempt. */
export function wholeDomain() {
  return [
    ...domainColumns,
    sql<string[]>`array(
      select exemption.email from domain_exemptions as exemption
      where exemption.account_id = domains.account_id
        and exemption.environment = domains.environment
        and exemption.organization_id = domains.organization_id
        and exemption.domain_id = domains.id
      order by exemption.email_normalized
    )`.as('sso_exempt_emails'),
  ] as const
}

/** Where a domain is changed: its organization and environment. */
export interface DomainPlace {
  readonly accountId: string
  readonly environment: Environment
  readonly organizationId: string
  /** Of the organization. */
  readonly domain: string
}

/**
 * A domain of a tenant, locked until the transaction ends.
 *
 * @throws ApiError `organization_not_found`, `domain_not_found`, `precondition_failed`
 */
export async function lockDomain(
  trx: Transaction<DB>,
  tenant: TenantKey,
  id: string,
  versions?: readonly number[],
): Promise<DomainRow> {
  const row = await domainsOf(trx, tenant)
    .where('domains.id', '=', id)
    .where(isOfVersion(versions))
    .select(wholeDomain())
    .forUpdate('domains')
    .executeTakeFirst()
  if (row !== undefined) return row
  throw await whyUnchanged(domainsOf(trx, tenant).where('domains.id', '=', id).select('domains.id'), () =>
    whyNotFound(trx, tenant, 'domain_not_found'),
  )
}

/** A domain by its owner, as it is after a change. */
export function getRow(
  trx: Transaction<DB>,
  { accountId, environment, organizationId }: DomainPlace,
  id: string,
): Promise<DomainRow> {
  return trx
    .selectFrom('domains')
    .where(ofOwner({ accountId, environment, organizationId }, 'domains'))
    .where('domains.id', '=', id)
    .select(wholeDomain())
    .executeTakeFirstOrThrow()
}

export function toChanged(
  { config }: Pick<Deps, 'config'>,
  row: DomainRow,
  { domain, environment }: Pick<DomainPlace, 'domain' | 'environment'>,
): Changed<Domain> & { readonly organizationId: string } {
  const record = toDomain(row, { domain, environment, label: config.domainChallengeLabel })
  return { record, version: row.version, organizationId: row.organization_id }
}

/** The record that proves a domain, for those who know domains by their rows alone. */
export function recordOfDomain(
  { config }: Pick<Deps, 'config'>,
  row: Pick<DomainRow, 'domain' | 'token'>,
): { readonly name: string; readonly value: string } {
  return { name: recordName(row, config.domainChallengeLabel), value: recordValue(row) }
}
