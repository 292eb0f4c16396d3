import type { ApiKey } from '@portico/contract/api-keys'
import type { Selectable } from 'kysely'
import type { ApiKeys } from '../../platform/db/schema.js'

export const apiKeyColumns = [
  'api_keys.id',
  'api_keys.environment',
  'api_keys.name',
  'api_keys.scopes',
  'api_keys.organization_ids',
  'api_keys.expires_at',
  'api_keys.previous_secret_expires_at',
  'api_keys.revoked_at',
  'api_keys.last_used_at',
  'api_keys.inserted_at',
] as const

export type ApiKeyRow = Omit<Selectable<ApiKeys>, 'account_id' | 'secret_hash' | 'previous_secret_hash'>

export function toApiKey(row: ApiKeyRow, accountDomain: string): ApiKey {
  return {
    __type__: 'ApiKey',
    __domain__: accountDomain,
    // The table's check constraint allows nothing else, and only parsed scopes are written.
    __environment__: row.environment as ApiKey['__environment__'],
    id: row.id,
    name: row.name,
    scopes: row.scopes as ApiKey['scopes'],
    organization_ids: row.organization_ids,
    expires_at: row.expires_at?.toISOString() ?? null,
    previous_secret_expires_at: row.previous_secret_expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    inserted_at: row.inserted_at.toISOString(),
  }
}
