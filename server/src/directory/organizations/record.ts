import type { DeletedOrganization, Organization } from '@portico/contract/organizations'
import type { Selectable } from 'kysely'
import type { Organizations } from '../../platform/db/schema.js'

export const organizationColumns = [
  'organizations.id',
  'organizations.domain',
  'organizations.name',
  'organizations.allowed_email_domains',
  'organizations.color',
  'organizations.icon_logo_url',
  'organizations.inline_logo_url',
  'organizations.locale',
  'organizations.timezone',
  'organizations.locality',
  'organizations.state',
  'organizations.country_name',
  'organizations.privacy_policy_url',
  'organizations.terms_of_service_url',
  'organizations.impersonation',
  'organizations.version',
  'organizations.inserted_at',
  'organizations.updated_at',
  'organizations.deleted_at',
] as const

export type OrganizationRow = Omit<Selectable<Organizations>, 'account_id'> & { is_production_up: boolean }

export function toOrganization(row: OrganizationRow, accountDomain: string): Organization {
  return {
    __type__: 'Organization',
    __domain__: accountDomain,
    domain: row.domain,
    id: row.id,
    name: row.name,
    allowed_email_domains: row.allowed_email_domains,
    color: row.color,
    environments: [
      { name: 'production', status: row.is_production_up ? 'up' : 'down' },
      { name: 'sandbox', status: 'up' },
    ],
    status: {
      errors: [],
      estimated_time_to_complete_in_seconds: null,
      progress_in_percentage: 100,
      state: 'terminated',
    },
    icon_logo_url: row.icon_logo_url,
    inline_logo_url: row.inline_logo_url,
    locale: row.locale,
    timezone: row.timezone,
    locality: row.locality,
    state: row.state,
    country_name: row.country_name,
    privacy_policy_url: row.privacy_policy_url,
    terms_of_service_url: row.terms_of_service_url,
    // The table's check constraint allows nothing else.
    impersonation: row.impersonation as Organization['impersonation'],
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export function toDeletedOrganization(row: OrganizationRow): DeletedOrganization {
  return { __type__: 'Organization', id: row.id, domain: row.domain, deleted: true }
}
