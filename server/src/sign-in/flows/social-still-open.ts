import { sql, type RawBuilder } from 'kysely'
import { isProviderOpen } from '../../directory/provider-ready.js'
import { sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** After a social provider the organization must still use it; a step-up depends on its session instead. */
export function isSocialStillOpen() {
  return sql<boolean>`(
    not 'social' = any(flow.amr)
    or flow.session_id is not null
    or ${isProviderOpenIn('flow', 'social_provider_id')}
  )`
}

/** Whether the organization of a row of a statement signs users in by the provider that a column of the row names. */
export function isProviderOpenIn(row: string, column: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from social_connections as connection
    join social_providers on ${sameEnvironment('social_providers', 'connection')}
    where ${sameTenant('connection', row)}
      and social_providers.id = ${sql.ref(`${row}.${column}`)}
      and ${isProviderOpen()}
  )`
}
