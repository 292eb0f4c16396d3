import { providerOf } from '@portico/contract/passkey-providers'
import type {
  Passkey,
  PasskeyConnection,
  PasskeyPrompt,
  PasskeyRequirement,
} from '@portico/contract/passkeys'
import type { Selectable } from 'kysely'
import type { PasskeyConnections, Passkeys } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

type Place = Pick<Tenant, 'domain' | 'environment'>

export type ConnectionRow = Pick<
  Selectable<PasskeyConnections>,
  | 'active'
  | 'first_factor'
  | 'synced'
  | 'requirement'
  | 'grace_days'
  | 'prompt'
  | 'inserted_at'
  | 'updated_at'
>

export function toPasskeyConnection(row: ConnectionRow, { domain, environment }: Place): PasskeyConnection {
  return {
    __type__: 'PasskeyConnection',
    __domain__: domain,
    __environment__: environment,
    active: row.active,
    first_factor: row.first_factor,
    synced: row.synced,
    // A check of the table allows nothing else.
    requirement: row.requirement as PasskeyRequirement,
    grace_days: row.grace_days,
    // A check of the table allows nothing else.
    prompt: row.prompt as PasskeyPrompt,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export const passkeyColumns = [
  'organization_id',
  'id',
  'user_id',
  'name',
  'credential_id',
  'aaguid',
  'synced',
  'backed_up',
  'transports',
  'rp_id',
  'sign_count',
  'last_used_at',
  'disabled_at',
  'version',
  'inserted_at',
  'updated_at',
] as const

export type PasskeyRow = Pick<Selectable<Passkeys>, (typeof passkeyColumns)[number]>

export function toPasskey(row: PasskeyRow, { domain, environment }: Place): Passkey {
  return {
    __type__: 'Passkey',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    user_id: row.user_id,
    name: row.name,
    credential_id: row.credential_id,
    aaguid: row.aaguid,
    provider_name: providerOf(row.aaguid),
    synced: row.synced,
    backed_up: row.backed_up,
    transports: row.transports,
    rp_id: row.rp_id,
    // 32 bits (Web Authentication Level 3 section 6.1).
    sign_count: Number(row.sign_count),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    disabled_at: row.disabled_at?.toISOString() ?? null,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
