import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'

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
  // Those of the user first: a planner without statistics would look at all of each connection. The offset keeps it from that.
  return sql<boolean>`exists (
    select from (
      select identity.idp_id from user_identities as identity
      where ${sameTenant('identity', users)} and identity.user_id = ${sql.ref(`${users}.id`)}
      offset 0
    ) as own
    join sso_connections as connection on ${sameTenant('connection', users)} and connection.idp_id = own.idp_id
    where connection.active and ${ofConnection}
  )`
}

/** The same of one user. */
export async function isSsoUser(db: Kysely<DB>, tenant: Tenant, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .where(ofTenant(tenant, 'users'))
    .where('users.id', '=', userId)
    .where(comesBySso('users'))
    .select('users.id')
    .executeTakeFirst()
  return row !== undefined
}
