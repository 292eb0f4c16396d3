import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import { insertIdentity, type IdentityName, type AssertedIdentity } from '../../directory/users/identities.js'
import { admit } from '../../directory/users/admit.js'
import { renewIdentity, emitUserChange, type SigningInUser } from '../../directory/users/signing-in-user.js'
import { markEmailVerified } from '../../directory/users/change-user.js'
import { usersOf } from '../../directory/users/whole-user.js'
import type { AuthorizedUser } from './admission.js'
import type { Asserted } from './asserted-identity.js'
import { assertCheck, type CheckList } from './check-list.js'
import type { LiveConnection } from './live-connection.js'
import { ofTenant, sameTenant } from '../../platform/db/tenant-predicate.js'

/** The user who signs in, and their identity. */
export interface SignedInUser {
  readonly userId: string
  readonly email: string
  readonly identityId: string
}

/**
 * Writes the user of an admission: a new user is created, a user who was found by address is linked to the identity.
 *
 * @throws CheckRefused when the address of a new user has concurrently become another user's.
 */
export async function writeUser(
  deps: Deps,
  trx: Transaction<DB>,
  live: LiveConnection,
  tenant: Tenant,
  admission: AuthorizedUser & { readonly asserted: Asserted; readonly checks: CheckList },
): Promise<SignedInUser> {
  const { user, asserted } = admission
  const { identity, profile } = asserted
  const userId = user?.id ?? newId()
  const own = ofUser(tenant, userId)
  if (user === undefined) await createUser(deps, trx, own, { ...admission, userId })
  else {
    const isOtherIdentity = await writeIdentity(deps, trx, own, { ...admission, user, identity })
    const isOtherProfile = live.isProfileRefreshed && (await refreshProfile(trx, own, userId, profile))
    if (isOtherIdentity || isOtherProfile) await emitUserChange(deps, trx, own, userId)
  }
  const identityId = admission.identityId ?? (await getIdentityId(trx, own, userId, identity))
  return { userId, email: user?.email ?? admission.email, identityId }
}

/** @returns Whether the identity or its data have changed. */
async function writeIdentity(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { user, identityId, identity }: LinkedUser,
): Promise<boolean> {
  const named = { userId: user.id, ...identity }
  if (identityId !== undefined) return renewIdentity(trx, tenant, named)
  // The address may only have been claimed before; the identity provider asserts that it is this user's.
  if (!user.email_verified) await markEmailVerified(deps, trx, tenant, user.id)
  await insertIdentity(deps, trx, tenant, named)
  return true
}

interface LinkedUser extends AuthorizedUser {
  readonly user: SigningInUser
  readonly identity: AssertedIdentity
}

async function createUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, email, isEmailTrusted, asserted, checks }: NewUserOfConnection,
): Promise<void> {
  const { identity, profile } = asserted
  const user = { via: 'sso', id: userId, email, emailVerified: isEmailTrusted, profile, identity } as const
  const created = await admit(deps, trx, tenant, user)
  if (created === undefined) assertCheck(checks, 'linking', false, { received: email })
}

interface NewUserOfConnection extends AuthorizedUser {
  readonly userId: string
  readonly asserted: Asserted
  readonly checks: CheckList
}

/**
 * Updates the profile to what the identity provider asserts.
 *
 * @returns Whether it has changed.
 */
async function refreshProfile(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  profile: Asserted['profile'],
): Promise<boolean> {
  const assertedProfile = JSON.stringify(profile)
  const changed = await trx
    .updateTable('users')
    .set({ profile: sql`profile || ${assertedProfile}::jsonb` })
    .where(ofTenant(tenant))
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`not profile @> ${assertedProfile}::jsonb`)
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
      join.on(sameTenant('identity', 'users')).onRef('identity.user_id', '=', 'users.id'),
    )
    .where('users.id', '=', userId)
    .where('identity.kind', '=', kind)
    .where('identity.issuer', '=', issuer)
    .where('identity.subject', '=', subject)
    .select('identity.id')
    .executeTakeFirstOrThrow()
  return id
}
