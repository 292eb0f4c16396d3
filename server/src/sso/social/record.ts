import type { SocialConnection } from '@portico/contract/social-connection'
import type { SocialProvider, SocialProviderType } from '@portico/contract/social-providers'
import type { Selectable } from 'kysely'
import type { SocialConnections, SocialProviders } from '../../platform/db/schema.js'
import type { Caller, Tenant } from '../../platform/tenant.js'

export const socialProviderColumns = [
  'social_providers.id',
  'social_providers.provider',
  'social_providers.name',
  'social_providers.display_name',
  'social_providers.client_id',
  'social_providers.tenant',
  'social_providers.team_id',
  'social_providers.key_id',
  'social_providers.secret_expires_at',
  'social_providers.issuer',
  'social_providers.active',
  'social_providers.version',
  'social_providers.inserted_at',
  'social_providers.updated_at',
] as const

export type SocialProviderRow = Omit<
  Selectable<SocialProviders>,
  'account_id' | 'environment' | 'client_secret_sealed' | 'secret_warned_at'
> & { readonly is_ready: boolean }

/** @param redirectUri Of the provider. */
export function toSocialProvider(
  row: SocialProviderRow,
  { accountDomain, environment }: Pick<Caller, 'accountDomain' | 'environment'>,
  redirectUri: string,
): SocialProvider {
  return {
    __type__: 'SocialProvider',
    __domain__: accountDomain,
    __environment__: environment,
    id: row.id,
    // Written only from validated input.
    provider: row.provider as SocialProviderType,
    name: row.name,
    display_name: row.display_name,
    client_id: row.client_id,
    tenant: row.tenant,
    team_id: row.team_id,
    key_id: row.key_id,
    issuer: row.issuer,
    secret_expires_at: row.secret_expires_at?.toISOString() ?? null,
    active: row.active,
    state: row.is_ready ? 'ready' : 'incomplete',
    redirect_uri: redirectUri,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** A connection with the time at which its organization was created. */
export type SocialConnectionRow = Pick<
  Selectable<SocialConnections>,
  'active' | 'providers' | 'allow_sign_up' | 'version' | 'updated_at'
> & { readonly inserted_at: Date }

export function toSocialConnection(
  row: SocialConnectionRow,
  tenant: Pick<Tenant, 'domain' | 'environment'>,
): SocialConnection {
  return {
    __type__: 'SocialConnection',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    active: row.active,
    providers: row.providers,
    allow_sign_up: row.allow_sign_up,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
