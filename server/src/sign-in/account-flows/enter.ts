import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { findJoining, type Joining } from '../../directory/organization-policy/joining.js'
import { admit, asNobody } from '../../directory/users/admit.js'
import { markEmailProved } from '../../directory/users/proved-email.js'
import { findUser, type SigningInUser } from '../../directory/users/signing-in-user.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import type { FlowKey } from '../flows/flow.js'
import { completeFactorOfLockedFlow, lockFlow } from '../flows/lock-flow.js'
import { isTooOldForSession } from '../../directory/sessions/lifetime.js'
import { leadsToEnrolment } from '../flows/pending-sign-in.js'
import { recoversPasskeys } from '../flows/recovers-passkeys.js'
import { firstFactorSteps } from '../flows/step.js'
import { joiningDoor, type DoorOfProof } from '../joining/door.js'
import { leadToJoin } from '../joining/join-step.js'
import type { ProvedAddress } from './email-session.js'
import type { CreatedBy } from './entries.js'

/** A new flow of an organization whose links sign in, and the proof of the mailbox that a link would give. */
interface ProvedEntry {
  readonly tenant: Tenant
  readonly flow: FlowKey
  readonly proof: ProvedAddress
  /** By what the organization makes a user of this address; null where it does not. */
  readonly createdBy: CreatedBy | null
  /** The application demands a second factor. */
  readonly isMfaRequired: boolean
  /** It takes a passkey alone. */
  readonly isPasskeyRequired: boolean
  /** A second factor that is demanded must not be enrolled by it: the user has one, or signs in anew. */
  readonly isProofOlder: boolean
}

/**
 * Passes the first factor of a new flow by a mailbox that was proved before, as a link to it would: a second factor is asked for
 * as always. Whoever may only ask to join is led to the page for it. Nothing happens without an active user, of whom the flow then
 * says no more than it would to anybody, or without the second factor of one who may not enroll it now, or by a proof that is older than a session may become.
 */
export async function passByProof(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, flow, proof, createdBy, isMfaRequired, isPasskeyRequired, isProofOlder }: ProvedEntry,
): Promise<void> {
  const user = await findOrJoin(deps, trx, { tenant, proof, createdBy })
  if (user === undefined) {
    const joining = await findJoiningBy(trx, tenant, proof)
    // Any proof comes before the flow that it enters: one of this sign-in counts from here, so that it is not taken for an older one.
    const provedAt = isProofOlder ? proof.provedAt : deps.now()
    if (joining?.mode === 'request') await leadToJoin(deps, trx, flow, { email: proof.email, provedAt })
    return
  }
  if (!user.active || user.is_sso_required === true) return
  if (isProofOlder) {
    const of = { tenant, userId: user.id }
    if (await leadsToEnrolment(deps, trx, of, { isMfaRequired, isPasskeyRequired })) return
    // A stranger at an unattended browser must not recover passkeys by it, either.
    const older = { amr: ['email'], authenticatedAt: proof.provedAt, sessionId: null }
    if (await recoversPasskeys(deps, trx, of, older)) return
    // A session of then would be over: it is not opened by what it was opened by.
    if (await isTooOldForSession(trx, tenant, { provedAt: proof.provedAt, at: deps.now() })) return
  }
  await markEmailProved(deps, trx, ofUser(tenant, user.id), user)
  const held = await lockFlow(deps, trx, flow, { steps: firstFactorSteps })
  if (held === undefined) return
  const authenticatedAt = proof.provedAt
  await completeFactorOfLockedFlow(deps, trx, held, {
    tenant,
    userId: user.id,
    amr: ['email'],
    authenticatedAt,
  })
}

/** The user of a proved address, locked; created where the organization makes one. */
export async function findOrJoin(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, proof, createdBy }: Pick<ProvedEntry, 'tenant' | 'proof' | 'createdBy'>,
): Promise<SigningInUser | undefined> {
  const { email, emailNormalized, isLinkReturned } = proof
  const found = await findUser(trx, tenant, emailNormalized)
  if (found !== undefined || createdBy === null) return found
  const id = newId()
  const joining = await findJoiningBy(trx, tenant, proof)
  const door = joining?.mode === 'automatic' ? joiningDoor(joining) : doorsOfLinks[createdBy]
  // The domain, or the policy, has changed since the organization was offered.
  if (door === undefined) return undefined
  const user = { ...door, id, email, emailVerified: true, isAddressProven: !isLinkReturned }
  const created = await admit(deps, trx, ofUser(tenant, id), user).catch(asNobody)
  // A concurrent sign-in may have created the user first.
  return created ?? findUser(trx, tenant, emailNormalized)
}

const doorsOfLinks: Readonly<Record<CreatedBy, DoorOfProof | undefined>> = {
  link: { via: 'link' },
  invitation: { via: 'link', isOnlyInvited: true },
  join: undefined,
}

/** The caller of the API may have opened a link that it has returned: nobody joins by it. */
async function findJoiningBy(
  trx: Transaction<DB>,
  tenant: Tenant,
  { emailNormalized, isLinkReturned }: ProvedAddress,
): Promise<Joining | undefined> {
  return isLinkReturned ? undefined : findJoining(trx, tenant, emailNormalized)
}
