import type { AttributeMapping, ExtensionSchema } from '@portico/contract/attribute-mapping'
import type {
  DirectoryProvider,
  DirectorySync,
  ScimRequest,
  ScimResourceType,
} from '@portico/contract/directory-sync'
import type { Environment } from '@portico/contract/fields'
import type { RoleMapping } from '@portico/contract/role-mapping'
import type { Selectable } from 'kysely'
import type { Directories, ScimRequests } from '../../platform/db/schema.js'
import type { RoleRuleRow } from '../roles/role-mapping.js'

export const directoryColumns = [
  'organization_id',
  'id',
  'provider_type',
  'active',
  'takes_over_users',
  'extension_schemas',
  'attribute_mapping',
  'role_mapping_mode',
  'mapping_revision',
  'mapping_done',
  'mapping_total',
  'secret_hint',
  'previous_secret_expires_at',
  'version',
  'inserted_at',
  'updated_at',
] as const

export type DirectoryRow = Pick<Selectable<Directories>, (typeof directoryColumns)[number]> & {
  readonly role_rules: readonly RoleRuleRow[]
}

interface Owner {
  readonly domain: string
  readonly environment: Environment
}

interface Shown {
  /** The SCIM base URL. */
  readonly baseUrl: string
  /** Null except in the answers that show it. */
  readonly secret: string | null
  readonly roleMapping: RoleMapping
}

export function toDirectorySync(
  row: Omit<DirectoryRow, 'organization_id' | 'role_rules'>,
  { domain, environment }: Owner,
  { baseUrl, secret, roleMapping }: Shown,
): DirectorySync {
  return {
    __type__: 'DirectorySync',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    // Written only by directory-sync.ts, from the names of the contract.
    provider_type: row.provider_type as DirectoryProvider,
    active: row.active,
    takes_over_users: row.takes_over_users,
    extension_schemas: extensionsIn(row),
    attribute_mapping: rulesIn(row),
    role_mapping: roleMapping,
    mapping_progress:
      row.mapping_done === null || row.mapping_total === null
        ? null
        : { done: row.mapping_done, total: row.mapping_total },
    scim_base_url: baseUrl,
    auth_secret_token: { hint: row.secret_hint, value: secret },
    previous_secret_expires_at: row.previous_secret_expires_at?.toISOString() ?? null,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** Written only by directory-sync.ts, from the contract's input. */
export function extensionsIn({
  extension_schemas,
}: Pick<DirectoryRow, 'extension_schemas'>): ExtensionSchema[] {
  return extension_schemas as unknown as ExtensionSchema[]
}

/** The same of the rules. */
export function rulesIn({ attribute_mapping }: Pick<DirectoryRow, 'attribute_mapping'>): AttributeMapping[] {
  return attribute_mapping as unknown as AttributeMapping[]
}

export const scimRequestColumns = [
  'scim_requests.directory_id',
  'scim_requests.id',
  'scim_requests.method',
  'scim_requests.path',
  'scim_requests.query',
  'scim_requests.request',
  'scim_requests.status',
  'scim_requests.answer',
  'scim_requests.scim_type',
  'scim_requests.changes',
  'scim_requests.quirks',
  'scim_requests.user_id',
  'scim_requests.duration_ms',
  'scim_requests.request_id',
  'scim_requests.inserted_at',
] as const

type ScimRequestRow = Omit<
  Selectable<ScimRequests>,
  'account_id' | 'environment' | 'organization_id' | 'email_normalized'
>

export function toScimRequest(row: ScimRequestRow, { domain, environment }: Owner): ScimRequest {
  return {
    __type__: 'ScimRequest',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    directory_sync_id: row.directory_id,
    method: row.method,
    path: row.path,
    query: row.query,
    request: row.request,
    status: row.status,
    answer: row.answer,
    scim_type: row.scim_type,
    // Written only by scim/request-log.ts, with the types of the contract.
    changes: row.changes as unknown as { type: ScimResourceType; id: string; members: string[] }[],
    quirks: row.quirks as ScimRequest['quirks'],
    user_id: row.user_id,
    duration_ms: row.duration_ms,
    request_id: row.request_id,
    inserted_at: row.inserted_at.toISOString(),
  }
}
