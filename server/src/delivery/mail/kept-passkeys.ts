import { sql, type RawBuilder } from 'kysely'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

/**
 * The names of the passkeys that still work for the user of a row of `users`, newest first: a new password ends none.
 *
 * @param rpId The domain; undefined where the service has none, and so no passkeys.
 */
export function keptPasskeysOfUser(rpId: string | undefined): RawBuilder<string[]> {
  return sql<string[]>`array(
    select passkeys.name from passkeys
    join passkey_connections as offered on ${sameTenant('offered', 'passkeys')} and offered.active
    where ${sameTenant('passkeys', 'users')}
      and passkeys.user_id = users.id
      and passkeys.rp_id = ${rpId ?? null}::text
      and passkeys.disabled_at is null
    order by passkeys.inserted_at desc, passkeys.id desc
  )`
}
