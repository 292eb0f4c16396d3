import type { IdentityUnlinking, UserIdentity } from '@portico/contract/identities'
import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { endSessionsOf, type KeptSignIn } from '../../directory/end-sessions.js'
import { linkedIdentityColumns, toLinkedIdentity } from '../../directory/users/linked-identity.js'
import { forgetRolesOfIdentity } from '../../directory/roles/sso-roles.js'
import { emitUserChange } from '../../directory/users/signing-in-user.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { whyNotFound } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import { hasMethodBesideIdentity } from '../methods-of-user.js'

/** The name of an identity in a path: its user, and its id. */
export interface IdentityKey {
  readonly userId: string
  readonly id: string
}

/**
 * Unlinks an identity from its user: a later sign-in by it is that of an unknown person. Refused where the user could not sign in any
 * more, unless it is forced.
 *
 * @throws ApiError `organization_not_found`, `identity_not_found`, `last_sign_in_method`
 */
export function unlinkIdentity(
  deps: Deps,
  tenant: Tenant,
  { force = false, ...identity }: IdentityKey & Pick<IdentityUnlinking, 'force'>,
): Promise<Changed<UserIdentity>> {
  return change(deps, tenant.cause, async (trx) => {
    await usersOf(trx, tenant)
      .where('users.id', '=', identity.userId)
      .select('users.id')
      .forNoKeyUpdate()
      .execute()
    const unlinked = await removeIdentity(deps, trx, tenant, { ...identity, needsOther: !force })
    if (unlinked === 'last') throw new ApiError('last_sign_in_method')
    if (unlinked === undefined) throw await whyNotFound(trx, tenant, 'identity_not_found')
    return unlinked
  })
}

interface Unlinking extends IdentityKey {
  /** Whether the user has to have another way to sign in. */
  readonly needsOther: boolean
  /** The sign-in that unlinks it, and goes on. */
  readonly kept?: KeptSignIn
  /** Only an identity of these kinds. */
  readonly kinds?: readonly string[]
}

/**
 * Removes an identity of a user, whom the transaction has locked: one statement decides whether it is there, and whether there is
 * another way. Their sessions end, since one of them may have been opened by it.
 *
 * @returns `last` where it is the only way of the user to sign in; undefined where it is not there.
 */
export async function removeIdentity(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, id, needsOther, kept, kinds }: Unlinking,
): Promise<Changed<UserIdentity> | 'last' | undefined> {
  const row = await trx
    .deleteFrom('user_identities')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .$if(kinds !== undefined, (query) => query.where('kind', 'in', kinds ?? []))
    .$if(needsOther, (query) => query.where(hasMethodBesideIdentity(deps, trx, tenant, { userId, id })))
    .returning(linkedIdentityColumns)
    .executeTakeFirst()
  if (row === undefined) return (await isThere(trx, tenant, { userId, id, kinds })) ? 'last' : undefined
  await forgetRolesOfIdentity(deps, trx, tenant, { userId, identityId: id })
  await endSessionsOf(deps, trx, tenant, userId, kept)
  await emitUserChange(deps, trx, tenant, userId)
  const { accountId, environment } = tenant
  const owner = { accountId, environment, organizationId: row.organization_id, userId }
  await enqueueNotice(deps, trx, { ...owner, notice: 'identity_unlinked', cause: tenant.cause })
  return emit(deps, trx, tenant, { code: 'user.identity.unlink.success', ...toLinkedIdentity(row, tenant) })
}

async function isThere(
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, id, kinds }: Pick<Unlinking, 'userId' | 'id' | 'kinds'>,
): Promise<boolean> {
  const row = await trx
    .selectFrom('user_identities')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .$if(kinds !== undefined, (query) => query.where('kind', 'in', kinds ?? []))
    .select('id')
    .executeTakeFirst()
  return row !== undefined
}
