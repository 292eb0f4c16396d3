import type { Environment } from '@portico/contract/fields'
import type { Relay, RelayRequest } from '@portico/contract/relays'
import type { Selectable } from 'kysely'
import type { RelayRequests, Relays } from '../../platform/db/schema.js'
import type { Caller } from '../../platform/tenant.js'

export const relayColumns = [
  'relays.organization_id',
  'relays.id',
  'relays.partner_redirect_uri',
  'relays.active',
  'relays.version',
  'relays.inserted_at',
  'relays.updated_at',
] as const

export type RelayRow = Omit<Selectable<Relays>, 'account_id' | 'environment'> & {
  readonly partner_domain: string
}

export function toRelay(
  row: RelayRow,
  { accountDomain, environment }: Pick<Caller, 'accountDomain' | 'environment'>,
): Relay {
  return {
    __type__: 'Relay',
    __domain__: accountDomain,
    __environment__: environment,
    __managed_by__: accountDomain,
    id: row.id,
    partner_domain: row.partner_domain,
    partner_redirect_uri: row.partner_redirect_uri,
    active: row.active,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

type RelayRequestRow = Pick<Selectable<RelayRequests>, 'id' | 'relay_id' | 'user_id' | 'expires_at'>

/** A request without the address, which only one answer contains. */
export function toRelayRequestData(
  row: RelayRequestRow,
  { domain, environment }: { readonly domain: string; readonly environment: Environment },
): Omit<RelayRequest, 'relay_uri'> {
  return {
    __type__: 'RelayRequest',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    relay_id: row.relay_id,
    user_id: row.user_id,
    expires_at: row.expires_at.toISOString(),
  }
}
