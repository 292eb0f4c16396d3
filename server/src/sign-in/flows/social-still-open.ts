import { sql } from 'kysely'
import { sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** After a social provider the organization must still use it; a step-up depends on its session instead. */
export function isSocialStillOpen() {
  return sql<boolean>`(
    not 'social' = any(flow.amr)
    or flow.session_id is not null
    or exists (
      select from social_connections as connection
      join social_providers as provider on ${sameEnvironment('provider', 'connection')}
      where ${sameTenant('connection', 'flow')}
        and connection.active
        and provider.id = flow.social_provider_id
        and provider.active
        and (connection.providers is null or provider.name = any(connection.providers))
    )
  )`
}
