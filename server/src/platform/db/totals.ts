import { nilId } from '@portico/contract/fields'
import { sql, type Kysely, type RawBuilder, type SelectQueryBuilder } from 'kysely'
import { ApiError } from '../errors.js'
import type { Tenant } from '../tenant.js'
import { organizationIdOf, type OrganizationName } from './organization-id.js'
import type { DB } from './schema.js'
import { lookup } from './statement.js'
import { ofOwner } from './tenant-predicate.js'

interface TotalKey extends OrganizationName {
  readonly environment: string
  readonly kind: string
}

/**
 * How many records of a kind the tenant's organization has, exactly, without counting them.
 *
 * @throws ApiError `organization_not_found`
 */
export async function totalInOrganization(db: Kysely<DB>, kind: keyof DB, tenant: Tenant): Promise<number> {
  const [row] = await selectTotal(db, { ...tenant, kind })
  if (row === undefined || row.organization_id === null) throw new ApiError('organization_not_found')
  return Number(row.total)
}

const selectTotal = lookup((db, tenant: TotalKey) => ({
  compile: () =>
    sql<{ organization_id: string | null; total: string }>`
    select organization_id, ${totalOf(tenant.kind, tenant, sql`organization.organization_id`)} as total
    from (select ${organizationIdOf(tenant)} as organization_id) organization`.compile(db),
}))

/** How many records of a kind an organization has, as a part of a statement. */
export function totalOf(
  kind: string,
  { accountId, environment }: { readonly accountId: string; readonly environment: string },
  organizationId: RawBuilder<string>,
): RawBuilder<string> {
  return sql`(
    select coalesce(sum(delta), 0) from record_counts
    where kind = ${kind}
      and account_id = ${accountId}
      and environment = ${environment}
      and organization_id = ${organizationId}
  )`
}

/** How many records of a kind an account has that belong to no organization, or to no environment when it is empty. */
export async function totalInAccount(
  db: Kysely<DB>,
  kind: keyof DB,
  scope: { accountId: string; environment: string },
): Promise<number> {
  const { total } = await db
    .selectFrom('record_counts')
    .where('kind', '=', kind)
    .where(ofOwner({ accountId: scope.accountId, environment: scope.environment, organizationId: nilId }))
    .select(sql<string>`coalesce(sum(delta), 0)`.as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** How many rows a query finds, by counting them. */
export async function countRows<Table extends keyof DB>(
  query: SelectQueryBuilder<DB, Table, object>,
): Promise<number> {
  const { total } = await query
    .select(sql`count(*)`.as('total'))
    .$castTo<{ total: string }>()
    .executeTakeFirstOrThrow()
  return Number(total)
}
