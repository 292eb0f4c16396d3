import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Tenant } from '../tenant.js'
import { organizationIdOf } from './organization-id.js'

// The predicates and columns that keep a statement within its tenant. Tables and aliases are those of the statement; where only one of
// its tables has the columns, none is needed.

/** A value, or a part of SQL that yields it. */
type Value = string | RawBuilder<string>

interface OfAccount {
  readonly accountId: Value
}

interface OfEnvironment extends OfAccount {
  readonly environment: Value
}

interface OfOrganization extends OfAccount {
  readonly organizationId: Value
}

/** The rows of the tenant that a request names: no row where its organization is missing or closed to the caller. */
export function ofTenant(
  tenant: Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>,
  table?: string,
): RawBuilder<SqlBool> {
  const { accountId, environment } = tenant
  return ofOwner({ accountId, environment, organizationId: organizationIdOf(tenant) }, table)
}

/** The rows of the account, environment and organization of a row that was read. */
export function ofOwner(owner: OfEnvironment & OfOrganization, table?: string): RawBuilder<SqlBool> {
  return allOf(accountIs(owner, table), environmentIs(owner, table), organizationIs(owner, table))
}

/** The rows of an account in one environment, for tables without an organization. */
export function ofEnvironment(owner: OfEnvironment, table?: string): RawBuilder<SqlBool> {
  return allOf(accountIs(owner, table), environmentIs(owner, table))
}

/** The rows of an organization, for tables without an environment and for statements about several. */
export function ofOrganization(owner: OfOrganization, table?: string): RawBuilder<SqlBool> {
  return allOf(accountIs(owner, table), organizationIs(owner, table))
}

/** The columns that place a new row with its owner. */
export function ownerColumns<Id extends Value>({
  accountId,
  environment,
  organizationId,
}: {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: Id
}) {
  return { account_id: accountId, environment, organization_id: organizationId }
}

/** The same of the tenant that a request names: no row is inserted where its organization is missing or closed to the caller. */
export function tenantColumns(
  tenant: Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>,
) {
  // Named and not spread: placeholders of a statement have no members of their own.
  const { accountId, environment } = tenant
  return ownerColumns({ accountId, environment, organizationId: organizationIdOf(tenant) })
}

/** Rows of two tables with the same account, environment and organization. */
export function sameTenant(left: string, right: string): RawBuilder<SqlBool> {
  return equalColumns(left, right, 'account_id', 'environment', 'organization_id')
}

/** Rows of two tables with the same account and environment. */
export function sameEnvironment(left: string, right: string): RawBuilder<SqlBool> {
  return equalColumns(left, right, 'account_id', 'environment')
}

/** Rows of two tables with the same account and organization. */
export function sameOrganization(left: string, right: string): RawBuilder<SqlBool> {
  return equalColumns(left, right, 'account_id', 'organization_id')
}

/** The row of `organizations` to which a row of another table belongs. */
export function isOrganizationOf(organizations: string, table: string): RawBuilder<SqlBool> {
  return allOf(
    equalColumns(organizations, table, 'account_id'),
    sql`${column('id', organizations)} = ${column('organization_id', table)}`,
  )
}

function accountIs({ accountId }: OfAccount, table: string | undefined) {
  return sql`${column('account_id', table)} = ${accountId}`
}

function environmentIs({ environment }: OfEnvironment, table: string | undefined) {
  return sql`${column('environment', table)} = ${environment}`
}

function organizationIs({ organizationId }: OfOrganization, table: string | undefined) {
  return sql`${column('organization_id', table)} = ${organizationId}`
}

function equalColumns(left: string, right: string, ...columns: readonly string[]) {
  return allOf(...columns.map((name) => sql`${column(name, left)} = ${column(name, right)}`))
}

/** In brackets, so that it stays whole behind `not` and `or`. */
function allOf(...conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  return sql`(${sql.join(conditions, sql` and `)})`
}

function column(name: string, table: string | undefined) {
  return sql.ref(table === undefined ? name : `${table}.${name}`)
}
