import { sql, type Kysely } from 'kysely'
import { arePasskeysOfferedTo } from '../../directory/sessions/passkeys-offered.js'
import { comesBySso } from '../../directory/users/sso-user.js'
import { usersOf } from '../../directory/users/whole-user.js'
import type { DB } from '../../platform/db/schema.js'
import { isOrganizationOf, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'

/** What an organization lets a user do with passkeys. */
export interface PasskeyOffer {
  /** Whether they may have passkeys: the organization has them, and single sign-on is not their only way. */
  readonly isActive: boolean
  /** Whether a passkey signs in by itself: of who comes by single sign-on, it is a second factor alone. */
  readonly isFirstFactor: boolean
  readonly isSyncedAllowed: boolean
  readonly isUserActive: boolean
  readonly userId: string
  readonly organizationId: string
  readonly organizationName: string
  readonly email: string
}

/** What the organization of a user offers them; undefined where there is no such user. */
export async function findPasskeyOffer(
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
): Promise<PasskeyOffer | undefined> {
  const row = await usersOf(db, tenant)
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .leftJoin('passkey_connections as connection', (join) => join.on(sameTenant('connection', 'users')))
    .where('users.id', '=', userId)
    .select([
      'users.organization_id',
      'users.email',
      'users.active',
      'organizations.name',
      arePasskeysOfferedTo('users').as('is_active'),
      sql<boolean>`coalesce(connection.first_factor and not ${comesBySso('users')}, false)`.as(
        'is_first_factor',
      ),
      sql<boolean>`coalesce(connection.synced, false)`.as('is_synced_allowed'),
    ])
    .executeTakeFirst()
  return (
    row && {
      isActive: row.is_active,
      isFirstFactor: row.is_first_factor,
      isSyncedAllowed: row.is_synced_allowed,
      isUserActive: row.active,
      userId,
      organizationId: row.organization_id,
      organizationName: row.name,
      email: row.email,
    }
  )
}
