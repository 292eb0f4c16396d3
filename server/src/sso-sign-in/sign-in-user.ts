import { sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { organizationIdOf } from '../db/organization-id.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import type { Assertion } from '../saml/validate-response.js'
import { ofUser, type Tenant } from '../tenant.js'
import { insertIdentity, type IdentityName } from '../users/identities.js'
import { createSigningInUser, renewIdentity } from '../users/signing-in-user.js'
import { emitUser, markEmailVerified, touchUser, usersOf } from '../users/users.js'
import type { Admission } from './admission.js'
import { assertedProfile, identityOf } from './asserted-identity.js'
import { demand, type CheckList } from './demand.js'
import type { LiveConnection } from './live-connection.js'

/** Whom an assertion has let in, and by which identity. */
export interface AdmittedUser {
  readonly userId: string
  readonly email: string
  readonly identityId: string
}

/**
 * Makes sure that the user of an admission is there and known by the NameID: somebody new is created, and a user whose
 * address the connection may speak for is linked.
 *
 * @throws CheckRefused when the address of somebody new has become a user's meanwhile.
 */
export async function writeUser(
  deps: Deps,
  trx: Transaction<DB>,
  live: LiveConnection,
  tenant: Tenant,
  admitted: Admission & { readonly assertion: Assertion; readonly checks: CheckList },
): Promise<AdmittedUser> {
  const { user, assertion } = admitted
  const identity = identityOf(live, assertion)
  const userId = user?.id ?? uuidv7()
  const own = ofUser(tenant, userId)
  if (user === undefined) await createUser(deps, trx, own, { ...admitted, userId, identity })
  else if (admitted.isKnown) await renewIdentity(deps, trx, own, { ...identity, userId })
  else {
    // Whoever came in before may have only claimed the address, which the identity provider knows to be this user's.
    if (!user.email_verified) await markEmailVerified(deps, trx, own, userId)
    await insertIdentity(deps, trx, own, { userId, ...identity })
    const row = await touchUser(deps, trx, own, userId, undefined)
    await emitUser(deps, trx, own, 'user.user.update.success', row)
  }
  if (user !== undefined && live.isProfileRefreshed)
    await refreshProfile(deps, trx, own, userId, assertedProfile(assertion))
  const identityId = await getIdentityId(trx, own, userId, identity)
  return { userId, email: user?.email ?? admitted.email, identityId }
}

async function createUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, email, isVouched, assertion, checks, identity }: NewUserOfConnection,
): Promise<void> {
  const profile = assertedProfile(assertion)
  const user = { id: userId, email, emailVerified: isVouched, profile, identity }
  const created = await createSigningInUser(deps, trx, tenant, user)
  if (created === undefined) demand(checks, 'linking', false, { received: email })
}

interface NewUserOfConnection extends Admission {
  readonly userId: string
  readonly assertion: Assertion
  readonly checks: CheckList
  readonly identity: ReturnType<typeof identityOf>
}

/** Writes what the identity provider says of the profile; nothing changes where it says what is there. */
async function refreshProfile(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  profile: ReturnType<typeof assertedProfile>,
): Promise<void> {
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
  if (changed === undefined) return
  const row = await touchUser(deps, trx, tenant, userId, undefined)
  await emitUser(deps, trx, tenant, 'user.user.update.success', row)
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
