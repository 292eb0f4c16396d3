import { sql } from 'kysely'

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
