import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import { insertIdentity, type IdentityName, type VouchedIdentity } from '../../directory/users/identities.js'
import {
  createSigningInUser,
  renewIdentity,
  tellUserChanged,
  type SigningInUser,
} from '../../directory/users/signing-in-user.js'
import { markEmailVerified } from '../../directory/users/change-user.js'
import { usersOf } from '../../directory/users/whole-user.js'
import type { Admission } from './admission.js'
import type { Vouched } from './asserted-identity.js'
import { demand, type CheckList } from './demand.js'
import type { LiveConnection } from './live-connection.js'

/** Who was let in, and by which identity. */
export interface AdmittedUser {
  readonly userId: string
  readonly email: string
  readonly identityId: string
}

/**
 * Makes sure that the user of an admission is there and known by their identity: somebody new is created, and a user whose
 * address the connection may speak for is linked.
 *
 * @throws CheckRefused when the address of somebody new has become a user's meanwhile.
 */
export async function writeUser(
  deps: Deps,
  trx: Transaction<DB>,
  live: LiveConnection,
  tenant: Tenant,
  admitted: Admission & { readonly vouched: Vouched; readonly checks: CheckList },
): Promise<AdmittedUser> {
  const { user, vouched } = admitted
  const { identity, profile } = vouched
  const userId = user?.id ?? newId()
  const own = ofUser(tenant, userId)
  if (user === undefined) await createUser(deps, trx, own, { ...admitted, userId })
  else {
    const isOtherIdentity = await writeIdentity(deps, trx, own, { ...admitted, user, identity })
    const isOtherProfile = live.isProfileRefreshed && (await refreshProfile(trx, own, userId, profile))
    if (isOtherIdentity || isOtherProfile) await tellUserChanged(deps, trx, own, userId)
  }
  const identityId = admitted.identityId ?? (await getIdentityId(trx, own, userId, identity))
  return { userId, email: user?.email ?? admitted.email, identityId }
}

/** @returns Whether the user has another identity now, or the identity provider says something else of them. */
async function writeIdentity(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { user, identityId, identity }: LinkedUser,
): Promise<boolean> {
  const named = { userId: user.id, ...identity }
  if (identityId !== undefined) return renewIdentity(trx, tenant, named)
  // Whoever came in before may have only claimed the address, which the identity provider knows to be this user's.
  if (!user.email_verified) await markEmailVerified(deps, trx, tenant, user.id)
  await insertIdentity(deps, trx, tenant, named)
  return true
}

interface LinkedUser extends Admission {
  readonly user: SigningInUser
  readonly identity: VouchedIdentity
}

async function createUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, email, isVouched, vouched, checks }: NewUserOfConnection,
): Promise<void> {
  const { identity, profile } = vouched
  const user = { id: userId, email, emailVerified: isVouched, profile, identity }
  const created = await createSigningInUser(deps, trx, tenant, user)
  if (created === undefined) demand(checks, 'linking', false, { received: email })
}

interface NewUserOfConnection extends Admission {
  readonly userId: string
  readonly vouched: Vouched
  readonly checks: CheckList
}

/**
 * Writes what the identity provider says of the profile.
 *
 * @returns Whether that is something else than before.
 */
async function refreshProfile(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  profile: Vouched['profile'],
): Promise<boolean> {
  const said = JSON.stringify(profile)
  const changed = await trx
    .updateTable('users')
    .set({ profile: sql`profile || ${said}::jsonb` })
    .where('account_id', '=', tenant.accountId)
    .where('environment', '=', tenant.environment)
    .where('organization_id', '=', organizationIdOf(tenant))
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`not profile @> ${said}::jsonb`)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

async function getIdentityId(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  { kind, issuer, subject }: IdentityName,
): Promise<string> {
  const { id } = await usersOf(trx, tenant)
    .innerJoin('user_identities as identity', (join) =>
      join
        .onRef('identity.account_id', '=', 'users.account_id')
        .onRef('identity.environment', '=', 'users.environment')
        .onRef('identity.organization_id', '=', 'users.organization_id')
        .onRef('identity.user_id', '=', 'users.id'),
    )
    .where('users.id', '=', userId)
    .where('identity.kind', '=', kind)
    .where('identity.issuer', '=', issuer)
    .where('identity.subject', '=', subject)
    .select('identity.id')
    .executeTakeFirstOrThrow()
  return id
}
