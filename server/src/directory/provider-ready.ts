import { sql, type RawBuilder } from 'kysely'
import { microsoftIssuerOf, personalTenant } from '../platform/openid/microsoft.js'

/** Whether users can be sent to a provider, as a part of a statement. */
export function isReady() {
  return sql<boolean>`(
    social_providers.provider = 'test'
    or (
      social_providers.issuer is not null and social_providers.client_id is not null
      and social_providers.client_secret_sealed is not null
      and (
        social_providers.provider <> 'apple'
        or social_providers.team_id is not null and social_providers.key_id is not null
      )
    )
  )`
}

/** Whether the organization of a statement's row `connection`, its social sign-in, signs users in by the provider of another row now. */
export function isProviderOpen(): RawBuilder<boolean> {
  return sql<boolean>`(
    connection.active and social_providers.active and ${isReady()}
    and (connection.providers is null or social_providers.name = any(connection.providers))
  )`
}

/**
 * Whether a statement's row `identity` is of the issuer of its provider. The name of a provider says nothing of it: another one may
 * have had it before.
 */
export function isIssuedByProvider(): RawBuilder<boolean> {
  return sql<boolean>`(
    identity.issuer = social_providers.issuer
    or social_providers.issuer = ${microsoftIssuerOf('common')}
      and identity.issuer like ${microsoftIssuerOf('%')}
      and (social_providers.tenant = 'common' or identity.issuer <> ${microsoftIssuerOf(personalTenant)})
  )`
}
