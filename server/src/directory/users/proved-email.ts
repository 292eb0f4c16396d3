import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { DB } from '../../platform/db/schema.js'
import { companion } from '../../platform/db/statement.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import { endSignInsOf } from '../end-sessions.js'
import { forgetPasskeys } from '../forget-passkeys.js'
import { markEmailVerified } from './change-user.js'
import { forgetLinkedIdentities } from './identities.js'
import type { SigningInUser } from './signing-in-user.js'

interface Proof {
  /** The API has returned the link, which anybody may have opened who has called it. */
  readonly isLinkReturned?: boolean
  /** The caller has ended the sign-ins of before. */
  readonly haveSignInsEnded?: boolean
}

/**
 * Records that a link or code of ours was used, of a user whom the transaction has locked. A mailed one was used by the owner
 * of the mailbox: the first one ends what another person may have begun with the address (sessions, refresh tokens,
 * unfinished sign-ins), and what they may have added (passkeys, linked accounts at social providers). A password stays: only the API
 * and such links set a first one. One that the API has returned verifies the address and proves nothing, because whoever has called
 * the API can open it.
 */
export async function markEmailProved(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  user: SigningInUser,
  { isLinkReturned = false, haveSignInsEnded = false }: Proof = {},
): Promise<void> {
  const { id: userId } = user
  // This ends the same, and forgets the password.
  if (!user.email_verified) await markEmailVerified(deps, trx, tenant, userId)
  if (isLinkReturned || user.email_proved_at !== null) return
  if (user.email_verified && user.isNew !== true) {
    if (!haveSignInsEnded) await endEarlierSignIns(deps, trx, tenant, userId)
    await forgetAdded(trx, tenant, userId)
  }
  await updateProvedAt(trx, { ...tenant, userId, at: deps.now() })
}

/**
 * Records the same of a user who has proved the mailbox before the organization was chosen, and has signed in there by what it
 * demands. The password was just used, so it stays.
 */
export async function markProvedBySignIn(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  {
    id: userId,
    email_proved_at: provedAt,
    amr,
  }: Pick<SigningInUser, 'id' | 'email_proved_at'> & { readonly amr: readonly string[] },
): Promise<void> {
  if (provedAt !== null) return
  await endEarlierSignIns(deps, trx, tenant, userId)
  // What was just used stays, as the password does.
  if (!amr.includes('pop') && !amr.includes('social')) await forgetAdded(trx, tenant, userId)
  await updateProvedAt(trx, { ...tenant, userId, at: deps.now() })
}

async function endEarlierSignIns(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
): Promise<void> {
  await endSignInsOf(deps, trx, tenant, userId)
  await voidPasswordRequests(trx, { ...tenant, userId, at: deps.now() })
}

/** Takes the methods away that a person may have added who had only claimed the address. */
async function forgetAdded(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<void> {
  await forgetPasskeys(trx, tenant, userId)
  await forgetLinkedIdentities(trx, tenant, userId)
}

interface ProvedUser extends Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'> {
  readonly userId: string
  readonly at: Date
}

const voidPasswordRequests = companion((db, user: ProvedUser) =>
  db
    .updateTable('password_requests')
    .set({ used_at: user.at })
    .where(ofTenant(user))
    .where('user_id', '=', user.userId)
    .where('used_at', 'is', null),
)

const updateProvedAt = companion((db, user: ProvedUser) =>
  db
    .updateTable('users')
    .set({ email_proved_at: user.at })
    .where(ofTenant(user))
    .where('id', '=', user.userId)
    .where('email_proved_at', 'is', null),
)
