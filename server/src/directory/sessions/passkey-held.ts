import { sql, type RawBuilder } from 'kysely'

/**
 * Whether the user of a row of a statement holds a passkey that can be used: the organization has them on, and it is of the
 * domain of the service.
 */
export function isPasskeyHeldByUserOf(row: 'users', rpId: string): RawBuilder<boolean> {
  const of = sql.table(row)
  return sql<boolean>`exists (
    select from passkeys
    join passkey_connections as connection
      on connection.account_id = passkeys.account_id
      and connection.environment = passkeys.environment
      and connection.organization_id = passkeys.organization_id
    where passkeys.account_id = ${of}.account_id
      and passkeys.environment = ${of}.environment
      and passkeys.organization_id = ${of}.organization_id
      and passkeys.user_id = ${of}.id
      and passkeys.rp_id = ${rpId}
      and passkeys.disabled_at is null
      and connection.active
  )`
}
