import { oidcProviderTypes, type Protocol, type ProviderType } from '@portico/contract/sso-onboarding'
import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { invalid } from '../../platform/errors.js'
import { isConnection, type ConnectionKey } from './connection-key.js'

/** The default protocol of a kind of identity provider: SAML, unless it speaks only OpenID Connect. */
export function protocolOf(providerType: ProviderType | 'unset' | undefined): Protocol {
  return providerType === 'custom_oidc' ? 'oidc' : 'saml'
}

/** Whether a kind of identity provider speaks a protocol, as far as we have a tutorial for it. */
export function supportsProtocol(providerType: ProviderType | 'unset', protocol: Protocol): boolean {
  if (providerType === 'unset') return true
  if (protocol === 'saml') return providerType !== 'custom_oidc'
  return oidcProviderTypes.some((name) => name === providerType)
}

/** @throws ApiError `invalid_parameters` where the kind of identity provider does not speak the protocol. */
export function checkProtocol(providerType: ProviderType | 'unset', protocol: Protocol): void {
  if (supportsProtocol(providerType, protocol)) return
  const name = protocol === 'oidc' ? 'OpenID Connect' : 'SAML'
  const instead = protocol === 'oidc' && providerType !== 'test' ? '; custom_oidc does' : ''
  throw invalid(
    'protocol',
    'not_in_list',
    `must be another one: ${providerType} does not speak ${name} here${instead}`,
  )
}

/**
 * Sets the protocol of a locked connection. It stays once there are metadata or a client, because identities depend on it.
 *
 * @throws ApiError `invalid_parameters` when it would have to change and cannot.
 */
export async function setConnectionProtocol(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  protocol: Protocol,
): Promise<void> {
  const { current, is_set_up: isFixed } = await trx
    .selectFrom('sso_connections')
    .where(isConnection(key))
    .select(['protocol as current', isSetUp.as('is_set_up')])
    .executeTakeFirstOrThrow()
  if (current === protocol) return
  if (isFixed) {
    const message = `stays ${current}, as the connection has been set up; create another connection`
    throw invalid('protocol', 'protocol_fixed', message)
  }
  await trx
    .updateTable('sso_connections')
    .set({ protocol, updated_at: now(), version: sql`version + 1` })
    .where(isConnection(key))
    .execute()
}

/** Whether a connection has metadata other than those of the built-in identity provider, or a client. */
export const isSetUp = sql<boolean>`(
  ${isThere('sso_metadata_versions', sql`and stored.uploaded_by <> 'service'`)}
  or ${isThere('sso_oidc_clients', sql``)}
)`

function isThere(table: 'sso_metadata_versions' | 'sso_oidc_clients', also: RawBuilder<unknown>) {
  return sql<boolean>`exists (
    select from ${sql.table(table)} as stored
    where stored.account_id = sso_connections.account_id
      and stored.environment = sso_connections.environment
      and stored.organization_id = sso_connections.organization_id
      and stored.connection_id = sso_connections.id
      ${also}
  )`
}
