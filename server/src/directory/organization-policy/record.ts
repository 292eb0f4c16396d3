import type {
  JoinMode,
  OrganizationPolicy,
  SecondFactorRule,
  SelfDeletion,
} from '@portico/contract/organization-policy'
import type { Selectable } from 'kysely'
import type { OrganizationPolicies } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

/** A policy with the time at which its organization was created. */
export type PolicyRow = Pick<
  Selectable<OrganizationPolicies>,
  | 'seats_limit'
  | 'join_by_domain'
  | 'second_factor'
  | 'second_factor_grace_days'
  | 'session_lifetime_in_seconds'
  | 'session_idle_in_seconds'
  | 'self_service'
  | 'self_deletion'
  | 'version'
  | 'updated_at'
> & {
  readonly join_roles: string[]
  readonly inserted_at: Date
}

export function toOrganizationPolicy(
  row: PolicyRow,
  tenant: Pick<Tenant, 'domain' | 'environment'>,
): OrganizationPolicy {
  return {
    __type__: 'OrganizationPolicy',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    seats_limit: row.seats_limit,
    // Checks of the table allow nothing else.
    join_by_domain: row.join_by_domain as JoinMode,
    join_roles: row.join_roles,
    second_factor: row.second_factor as SecondFactorRule,
    second_factor_grace_days: row.second_factor_grace_days,
    session_lifetime_in_seconds: row.session_lifetime_in_seconds,
    session_idle_in_seconds: row.session_idle_in_seconds,
    self_service: row.self_service,
    self_deletion: row.self_deletion as SelfDeletion,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
