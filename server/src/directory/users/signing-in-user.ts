import { sql, type Kysely, type Transaction } from 'kysely'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement, statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import type { Tenant } from '../../platform/tenant.js'
import { isSsoRequiredOf } from '../domains/authority.js'
import type { AssertedIdentity, IdentityName } from './identities.js'
import { touchUser } from './change-user.js'
import { toChangedUser, usersOf } from './whole-user.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

/** The tenant as parameters of a statement. */
type TenantKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

export interface SigningInUser {
  readonly id: string
  readonly email: string
  readonly active: boolean
  readonly email_verified: boolean
  /** When a link or code of ours was first used; null before. */
  readonly email_proved_at: Date | null
  /** Whether single sign-on is the only way; of a user found by their address. */
  readonly is_sso_required?: boolean
  /** The identity of the last sign-in by SSO, where its connection maps roles. */
  readonly roles_identity_id?: string | null
  /** Created by this sign-in: nothing of before can be there. */
  readonly isNew?: boolean
}

/** The user with an address; locked, so that a deactivation either precedes the sign-in or ends its session. */
export async function findUser(
  trx: Transaction<DB>,
  tenant: Tenant,
  normalizedEmail: string,
): Promise<SigningInUser | undefined> {
  const [user] = await selectByEmail(trx, { ...tenant, normalizedEmail })
  return user
}

const signingInColumns = [
  'users.id',
  'users.email',
  'users.active',
  'users.email_verified',
  'users.email_proved_at',
  'users.roles_identity_id',
] as const

const selectByEmail = statement((db, user: TenantKey & { readonly normalizedEmail: string }) =>
  usersOf(db, user)
    .where('users.email_normalized', '=', user.normalizedEmail)
    .select([...signingInColumns, isSsoRequiredOf('users').as('is_sso_required')])
    .forNoKeyUpdate(),
)

/** A user found by an identity. */
interface IdentifiedUser extends SigningInUser {
  readonly identity_id: string
}

/**
 * The user with an identity; locked, so that a deactivation either precedes the sign-in or ends its session. The identity is locked,
 * too: a sign-in that has waited for the end of an unlinking would still see it in its snapshot.
 */
export async function findUserByIdentity(
  trx: Transaction<DB>,
  tenant: Tenant,
  { kind, issuer, subject }: IdentityName,
): Promise<IdentifiedUser | undefined> {
  const [user] = await selectByIdentity(trx, { ...tenant, kind, issuer, subject })
  return user
}

const selectByIdentity = statement((db, identity: TenantKey & IdentityName) =>
  usersOf(db, identity)
    .innerJoin('user_identities as identity', (join) =>
      join.on(sameTenant('identity', 'users')).onRef('identity.user_id', '=', 'users.id'),
    )
    .where('identity.kind', '=', identity.kind)
    .where('identity.issuer', '=', identity.issuer)
    .where('identity.subject', '=', identity.subject)
    .select([...signingInColumns, 'identity.id as identity_id'])
    .forNoKeyUpdate('users')
    .forKeyShare('identity'),
)

/**
 * Records that a user, whom the transaction has locked, has authenticated at the issuer of an identity again, with the
 * issuer's present claims.
 *
 * @returns Whether the claims have changed; merely signing in again does not change a user.
 */
export async function renewIdentity(
  trx: Transaction<DB>,
  tenant: Tenant,
  { data, ...identity }: AssertedIdentity & { readonly userId: string },
): Promise<boolean> {
  const [renewed] = await updateIdentity(trx, { ...tenant, ...identity, data: JSON.stringify(data) })
  return renewed?.is_changed ?? false
}

type RenewedIdentity = TenantKey &
  Omit<AssertedIdentity, 'data'> & { readonly userId: string; readonly data: string }

const updateIdentity = sqlStatement(
  (renewed: RenewedIdentity) => sql<{ is_changed: boolean }>`
    update user_identities as identity
    set authenticated_at = greatest(identity.authenticated_at, ${renewed.authenticatedAt}),
      idp_id = ${renewed.idpId}, provider = ${renewed.provider}, data = ${renewed.data}
    from user_identities as before
    where identity.account_id = ${renewed.accountId}
      and identity.environment = ${renewed.environment}
      and identity.organization_id = ${organizationIdOf(renewed)}
      and identity.user_id = ${renewed.userId}
      and identity.kind = ${renewed.kind}
      and identity.issuer = ${renewed.issuer}
      and identity.subject = ${renewed.subject}
      and (
        identity.authenticated_at < ${renewed.authenticatedAt}
        or identity.data <> ${renewed.data}::jsonb
        or identity.provider <> ${renewed.provider}
        or identity.idp_id is distinct from ${renewed.idpId}
      )
      and before.account_id = identity.account_id
      and before.environment = identity.environment
      and before.organization_id = identity.organization_id
      and before.id = identity.id
    returning (
      before.data <> identity.data or before.provider <> identity.provider
      or before.idp_id is distinct from identity.idp_id
    ) as is_changed`,
)

/** Records a change beside a user's row as a change of the user, and emits its event. */
export async function emitUserChange(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
): Promise<void> {
  const row = await touchUser(deps, trx, tenant, userId, undefined)
  await emit(deps, trx, tenant, { code: 'user.user.update.success', ...toChangedUser(row, tenant) })
}

/** Whether the user lacks a value that the organization requires. */
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
