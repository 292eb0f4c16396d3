import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { rolesOfUser } from '../../directory/users/roles-of-user.js'
import { staffEnvironment, type StaffOrganization } from './staff-organization.js'

/** The users who may sign in and have the role, given by the console, a directory or an identity provider. */
export function activeOwnersOf(
  db: Kysely<DB>,
  {
    staffAccountId: accountId,
    organizationId,
  }: Readonly<Record<'staffAccountId' | 'organizationId', string | RawBuilder<string>>>,
) {
  return db
    .selectFrom('users')
    .where(ofOwner({ accountId, environment: staffEnvironment, organizationId }, 'users'))
    .where('users.deleted_at', 'is', null)
    .where('users.active', '=', true)
    .where(sql<boolean>`${rolesOfUser()} @> jsonb_build_array(jsonb_build_object('name', 'owner'))`)
}

/** Whether an account has anybody who may change its staff. */
export async function hasActiveOwner(
  db: Kysely<DB>,
  staff: Pick<StaffOrganization, 'staffAccountId' | 'organizationId'>,
): Promise<boolean> {
  const owner = await activeOwnersOf(db, staff).select('users.id').limit(1).executeTakeFirst()
  return owner !== undefined
}

/** Changes of the staff of an account wait for each other from here on, so that the owners stay as they were read. */
export async function lockStaff(
  trx: Transaction<DB>,
  { accountId }: Pick<StaffOrganization, 'accountId'>,
): Promise<void> {
  await trx
    .selectFrom('staff_organizations')
    .where('account_id', '=', accountId)
    .select('account_id')
    .forUpdate()
    .executeTakeFirstOrThrow()
}
