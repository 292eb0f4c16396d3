import { sql, type RawBuilder } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Table } from '../../platform/db/tables.js'

/** Users of one organization and environment. */
export interface Persons {
  readonly account_id: string
  readonly environment: string
  readonly organization_id: string
  readonly ids: readonly string[]
}

/** A table with data of persons, other than users. */
export interface PersonalTable {
  readonly table: Table
  /** The column with the user's id. Where it is null or missing, the address identifies the owner. */
  readonly user: (typeof userColumns)[number] | undefined
  /** The time at which a row was written, where it may carry an address, in email_normalized. */
  readonly writtenAt: (typeof timeColumns)[number] | undefined
  /** Whether rows are of an organization: always, never, or sometimes, of an account's own mails and log otherwise. */
  readonly ofOrganization: 'always' | 'never' | 'sometimes'
}

const userColumns = ['user_id', 'subject_id', 'resource_owner_id'] as const
const timeColumns = ['inserted_at', 'issued_at'] as const

/**
 * Tables without data of users. Every other one is exported and erased by the names of its columns, or with its owner's
 * rows; a test fails for a table that is neither.
 */
export const nonPersonalTables: readonly (keyof DB)[] = [
  'accounts',
  'api_keys',
  'application_secrets',
  'applications',
  'client_assertions',
  'config_applies',
  // Settings, which the contract does not mark as personal.
  'config_apply_steps',
  'config_numbers',
  'console_starts',
  'directories',
  'directory_groups',
  'domains',
  'ended_families',
  'event_horizons',
  'event_positions',
  'event_sequencer',
  'event_sequencers',
  // mail-jobs.ts covers what in their payloads is more than ids.
  'jobs',
  'log_event_counts',
  'magic_link_connections',
  'master_key_canary',
  'meta_keys',
  'organization_policies',
  'organizations',
  'passkey_connections',
  'password_connections',
  'password_peppers',
  'permissions',
  'record_counts',
  'relays',
  'role_mapping_rules',
  'role_permissions',
  'roles',
  'saml_seen_assertions',
  'signing_keys',
  'slugs',
  'social_connections',
  'social_providers',
  // Administrators are no users: they are removed by an operation of their own, and erased with the organization.
  'sso_admins',
  'sso_admin_links',
  'sso_admin_sessions',
  'sso_connections',
  'sso_default_redirections',
  'sso_keys',
  'sso_metadata_versions',
  'sso_oidc_clients',
  'sso_onboardings',
  'staff_organizations',
  'totp_connections',
  'unnumbered_events',
  'webhooks',
]

/** The tables with data of persons, in the order given. */
export function personalTablesIn(tables: readonly Table[]): PersonalTable[] {
  return tables
    .filter(({ name }) => name !== 'users' && !nonPersonalTables.some((known) => known === name))
    .map((table) => ({
      table,
      user: userColumns.find((column) => table.columns.includes(column)),
      writtenAt: table.columns.includes('email_normalized')
        ? timeColumns.find((column) => table.columns.includes(column))
        : undefined,
      ofOrganization: ofOrganization(table),
    }))
    .filter(({ user, writtenAt }) => user !== undefined || writtenAt !== undefined)
}

function ofOrganization({ name, columns }: Table): PersonalTable['ofOrganization'] {
  if (!columns.includes('organization_id')) return 'never'
  return name === 'log_events' || name === 'outbox_messages' ? 'sometimes' : 'always'
}

/** The rows of a table that name these users; undefined where it has no such column. */
export function namesUser(
  { table, user }: PersonalTable,
  { ids, ...scope }: Persons,
): RawBuilder<boolean> | undefined {
  if (user === undefined) return undefined
  // Rows that a user owns have the organization in their key; rows that only mention one may be of the account.
  const { organization_id: _organization, ...environment } = scope
  const known = Object.entries(user === 'user_id' ? scope : environment)
  const conditions = known
    .filter(([column]) => table.columns.includes(column))
    .map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  return sql`${sql.join([...conditions, sql`${sql.ref(user)} = any(${ids}::uuid[])`], sql` and `)}`
}
