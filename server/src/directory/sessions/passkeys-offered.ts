import { sql, type RawBuilder } from 'kysely'
import { existsFor } from '../../platform/db/exists.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import { isSsoRequiredOf } from '../domains/authority.js'

/** Whether the user of a row of a statement may have passkeys: the organization has them, and single sign-on is not their only way. */
export function arePasskeysOfferedTo(row: 'users'): RawBuilder<boolean> {
  return sql<boolean>`(
    ${existsFor(sql`
      select from passkey_connections as offering
      where ${sameTenant('offering', row)} and offering.active`)}
    and not ${isSsoRequiredOf(row)}
  )`
}
