import { sql } from 'kysely'

/** Whether the connection of a statement's row has what its protocol needs: metadata, or a client. */
export function isConfigured() {
  return sql<boolean>`case connection.protocol
    when 'saml' then ${isInUse('sso_metadata_versions')}
    else ${isInUse('sso_oidc_clients')} end`
}

function isInUse(table: 'sso_metadata_versions' | 'sso_oidc_clients') {
  return sql<boolean>`exists (
    select from ${sql.table(table)} as version
    where version.account_id = connection.account_id
      and version.environment = connection.environment
      and version.organization_id = connection.organization_id
      and version.connection_id = connection.id
      and version.is_current
  )`
}
