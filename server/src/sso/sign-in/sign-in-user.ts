import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import type { IdentityName, AssertedIdentity } from '../../directory/users/identities.js'
import { linkIdentity } from '../../directory/users/linked-identity.js'
import { admit, AdmissionRefused } from '../../directory/users/admit.js'
import { writeSsoRoles } from '../../directory/roles/sso-roles.js'
import { managedClaims } from '../../directory/users/managed-metadata.js'
import type { MappedValues } from '../../directory/users/mapped-values.js'
import { toMetaDataRows, writeUnmanagedMetadata } from '../../directory/users/stored-metadata.js'
import { renewIdentity, emitUserChange, type SigningInUser } from '../../directory/users/signing-in-user.js'
import { markEmailVerified } from '../../directory/users/change-user.js'
import { usersOf } from '../../directory/users/whole-user.js'
import type { AuthorizedUser } from './admission.js'
import type { Asserted } from './asserted-identity.js'
import { assertCheck, assertCheckStill, type CheckList } from './check-list.js'
import type { LiveConnection } from './live-connection.js'
import { mappedOfAsserted, roleKeysOfAsserted } from './mapped-identity.js'
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
 * @throws CheckRefused when the address of a new user has concurrently become another user's, or seats have just been limited.
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
  const isMapped = user === undefined || live.isProfileRefreshed
  const mapped = isMapped ? mappedOfAsserted(live, asserted) : undefined
  if (user === undefined) await createUser(deps, trx, own, { ...admission, userId, mapped })
  else {
    const isOtherIdentity = await writeIdentity(deps, trx, own, { ...admission, user, identity })
    const isOtherProfile =
      live.isProfileRefreshed && (await refreshProfile(trx, own, userId, { profile, mapped }))
    const isOtherMetadata = mapped !== undefined && (await refreshMetadata(trx, own, userId, mapped))
    if (isOtherIdentity || isOtherProfile || isOtherMetadata) await emitUserChange(deps, trx, own, userId)
  }
  if (mapped !== undefined)
    await noteUnfit(deps, trx, live, own, { userId, email: user?.email ?? admission.email, mapped })
  const identityId = admission.identityId ?? (await getIdentityId(trx, own, userId, identity))
  await writeRoles(deps, trx, live, own, { ...admission, userId, identityId })
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
  await linkIdentity(deps, trx, tenant, named)
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
  { userId, email, isEmailTrusted, asserted, checks, mapped }: NewUserOfConnection,
): Promise<void> {
  const { identity } = asserted
  const profile = { ...asserted.profile, ...mapped?.profile }
  const metadata = toMetaDataRows(mapped?.metadata ?? [])
  const user = {
    via: 'sso',
    id: userId,
    email,
    emailVerified: isEmailTrusted,
    isAddressProven: isEmailTrusted,
    profile,
    metadata,
    identity,
  } as const
  const created = await admit(deps, trx, tenant, user).catch((error: unknown) => asSeats(checks, error))
  if (created === undefined) assertCheck(checks, 'linking', false, { received: email })
}

/** The policy has limited the seats since they were checked. */
function asSeats(checks: CheckList, error: unknown): never {
  if (error instanceof AdmissionRefused) assertCheckStill(checks, 'seats', false)
  throw error
}

interface NewUserOfConnection extends AuthorizedUser {
  readonly userId: string
  readonly asserted: Asserted
  readonly checks: CheckList
  readonly mapped: MappedValues | undefined
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
  { profile, mapped }: { readonly profile: Asserted['profile']; readonly mapped: MappedValues | undefined },
): Promise<boolean> {
  if (mapped !== undefined)
    return refreshMappedProfile(trx, tenant, userId, { ...profile, ...mapped.profile })
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

/** The same with mapped claims, some of which have no value: what the directory of the user writes stays. */
async function refreshMappedProfile(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  profile: Asserted['profile'],
): Promise<boolean> {
  const asserted = sql`(${JSON.stringify(profile)}::jsonb - ${managedClaims(tenant, userId)})`
  const changed = await trx
    .updateTable('users')
    .set({ profile: sql`profile || ${asserted}` })
    .where(ofTenant(tenant))
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`jsonb_strip_nulls(profile || ${asserted}) <> jsonb_strip_nulls(profile)`)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** @returns Whether metadata have changed. */
async function refreshMetadata(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  { metadata }: MappedValues,
): Promise<boolean> {
  if (metadata.length === 0) return false
  const removed = metadata.filter(({ value }) => value === null).map(({ key }) => key.id)
  return writeUnmanagedMetadata(trx, tenant, userId, { rows: toMetaDataRows(metadata), removed })
}

/** Tells the account's log of values that did not fit. */
async function noteUnfit(
  deps: Pick<Deps, 'now' | 'metrics'>,
  trx: Transaction<DB>,
  live: LiveConnection,
  { cause }: Tenant,
  {
    userId,
    email,
    mapped,
  }: { readonly userId: string; readonly email: string; readonly mapped: MappedValues },
): Promise<void> {
  if (mapped.unfit.length === 0) return
  const reason = mapped.unfit.join(' ').slice(0, maxReasonLength)
  await logEvent(deps, trx, { ...live, cause, code: 'ATTRIBUTE_NOT_MAPPED', userId, email, reason })
}

const maxReasonLength = 500

/** The roles that the connection gives; without rules only where the sign-in before was by a connection that has some. */
async function writeRoles(
  deps: Deps,
  trx: Transaction<DB>,
  { roleAttributes, connectionId, idpId }: LiveConnection,
  tenant: Tenant,
  {
    user,
    userId,
    identityId,
    asserted,
  }: Omit<AuthorizedUser, 'identityId'> & Omit<SignedInUser, 'email'> & { readonly asserted: Asserted },
): Promise<void> {
  if (roleAttributes === null && user?.roles_identity_id == null) return
  await writeSsoRoles(deps, trx, tenant, {
    ...{ userId, identityId, connectionId, idpId },
    isMapped: roleAttributes !== null,
    keys: roleKeysOfAsserted(roleAttributes ?? [], asserted),
  })
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
