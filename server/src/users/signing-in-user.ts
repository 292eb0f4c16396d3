import type { UserChanges } from '@portico/contract/user-input'
import { sql, type Kysely, type Transaction } from 'kysely'
import { organizationIdOf } from '../db/organization-id.js'
import type { DB } from '../db/schema.js'
import { statement } from '../db/statement.js'
import type { Deps } from '../deps.js'
import type { Tenant } from '../tenant.js'
import { insertIdentity, type IdentityName, type VouchedIdentity } from './identities.js'
import { insertUserIf, userInsertion, type UserInsertion } from './insert-user.js'
import { emitUser, touchUser, usersOf } from './users.js'

export interface SigningInUser {
  readonly id: string
  readonly email: string
  readonly active: boolean
  readonly email_verified: boolean
}

/** The user with an address; held, so that a deactivation comes before the sign-in or ends its session. */
export function findUser(
  trx: Transaction<DB>,
  tenant: Tenant,
  normalizedEmail: string,
): Promise<SigningInUser | undefined> {
  return usersOf(trx, tenant)
    .where('users.email_normalized', '=', normalizedEmail)
    .select(['users.id', 'users.email', 'users.active', 'users.email_verified'])
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** The user with an identity; held, so that a deactivation comes before the sign-in or ends its session. */
export function findUserByIdentity(
  trx: Transaction<DB>,
  tenant: Tenant,
  { kind, issuer, subject }: IdentityName,
): Promise<SigningInUser | undefined> {
  return usersOf(trx, tenant)
    .innerJoin('user_identities as identity', (join) =>
      join
        .onRef('identity.account_id', '=', 'users.account_id')
        .onRef('identity.environment', '=', 'users.environment')
        .onRef('identity.organization_id', '=', 'users.organization_id')
        .onRef('identity.user_id', '=', 'users.id'),
    )
    .where('identity.kind', '=', kind)
    .where('identity.issuer', '=', issuer)
    .where('identity.subject', '=', subject)
    .select(['users.id', 'users.email', 'users.active', 'users.email_verified'])
    .forNoKeyUpdate('users')
    .executeTakeFirst()
}

const insertNewUser = statement((db, user: UserInsertion) =>
  insertUserIf(db, user, sql<boolean>`true`).onConflict((conflict) => conflict.doNothing()),
)

/** A user who is unknown until they sign in. */
export interface NewSigningInUser {
  readonly id: string
  readonly email: string
  readonly emailVerified: boolean
  /** What an identity provider says of it. */
  readonly profile?: NonNullable<UserChanges['profile']>
  /** By which the user is known at the next sign-in, where another issuer vouches for them. */
  readonly identity?: VouchedIdentity
}

/**
 * Makes the user of an address that a link has verified, or whom another issuer has named.
 *
 * @returns Undefined when the address belongs to a user already.
 */
export async function createSigningInUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, email, emailVerified, profile = {}, identity }: NewSigningInUser,
): Promise<SigningInUser | undefined> {
  const user = { id, input: { email, profile }, emailVerified, phoneNumbers: [] }
  const [row] = await insertNewUser(trx, userInsertion(deps, tenant, user))
  if (row === undefined) return undefined
  const identities =
    identity === undefined ? [] : [await insertIdentity(deps, trx, tenant, { userId: id, ...identity })]
  await emitUser(deps, trx, tenant, 'user.user.create.success', { ...row, metadata: [], identities })
  return row
}

/** Notes that the issuer of a user's identity has had them prove it since, and what it says of them by now. */
export async function renewIdentity(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  {
    userId,
    kind,
    issuer,
    subject,
    provider,
    data,
    authenticatedAt,
  }: VouchedIdentity & { readonly userId: string },
): Promise<void> {
  const said = JSON.stringify(data)
  const renewed = await trx
    .updateTable('user_identities')
    .set({ authenticated_at: sql`greatest(authenticated_at, ${authenticatedAt})`, provider, data: said })
    .where('account_id', '=', tenant.accountId)
    .where('environment', '=', tenant.environment)
    .where('organization_id', '=', organizationIdOf(tenant))
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where(sql<boolean>`(authenticated_at < ${authenticatedAt} or data <> ${said}::jsonb)`)
    .returning('id')
    .executeTakeFirst()
  if (renewed === undefined) return
  const row = await touchUser(deps, trx, tenant, userId, undefined)
  await emitUser(deps, trx, tenant, 'user.user.update.success', row)
}

/** Whether a value is missing that the organization requires of its users. */
export async function isRequiredMetadataMissing(
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
): Promise<boolean> {
  const { rows } = await sql<{ is_missing: boolean }>`
    select exists (
      select from meta_keys as required_key
      where required_key.account_id = ${tenant.accountId}
        and required_key.organization_id = ${organizationIdOf(tenant)}
        and required_key.required
        and not exists (
          select from user_metadata as data
          where data.account_id = required_key.account_id
            and data.environment = ${tenant.environment}
            and data.organization_id = required_key.organization_id
            and data.user_id = ${userId}
            and data.meta_key_id = required_key.id
        )
    ) as is_missing`.execute(db)
  return rows[0]?.is_missing ?? false
}
