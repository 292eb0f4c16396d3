import { sql, type RawBuilder } from 'kysely'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

/**
 * Whether a user comes by an active SSO connection, of those that meet a condition. What else signs them in by itself would outlive
 * the end of their account at the identity provider.
 *
 * @param users The alias of their row in the statement.
 * @param ofConnection About the alias `connection`.
 */
export function comesBySso(
  users: string,
  ofConnection: RawBuilder<unknown> = sql`true`,
): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from user_identities as identity
    join sso_connections as connection on ${sameTenant('connection', 'identity')}
      and connection.idp_id = identity.idp_id
    where ${sameTenant('identity', users)} and identity.user_id = ${sql.ref(`${users}.id`)}
      and connection.active and ${ofConnection}
  )`
}
