import type { RefusalReason } from '@portico/contract/log-events'
import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { isSsoRequired } from '../../directory/domains/authority.js'
import { findJoining } from '../../directory/organization-policy/joining.js'
import { isAddressInvited } from '../../directory/pending-invitations/pending.js'
import { admit, refusalOf } from '../../directory/users/admit.js'
import { lockIdentity } from '../../directory/users/identities.js'
import { markEmailProved } from '../../directory/users/proved-email.js'
import { findUser, findUserByIdentity } from '../../directory/users/signing-in-user.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { normalizeEmail } from '../../platform/email.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import type { Step } from '../../sign-in/flows/flow.js'
import { completeFactorOfLockedFlow, type LockedFlow } from '../../sign-in/flows/lock-flow.js'
import { findSignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import { forgetArrival, intendLink, type KeptIdentity } from '../../sign-in/flows/social-arrival.js'
import { moveFlow } from '../../sign-in/flows/step.js'
import { joiningDoor, type DoorOfProof } from '../../sign-in/joining/door.js'
import { leadToJoin } from '../../sign-in/joining/join-step.js'
import {
  connectionOfAddress,
  findOpenConnections,
  type OpenConnection,
} from '../sign-in/connection-of-address.js'
import type { OpenProvider } from './open-providers.js'

/** A sign-in by a social provider is refused; the log of the account has the reason. */
export class SocialRefused extends Error {
  override readonly name = 'SocialRefused'
  constructor(readonly reason: RefusalReason) {
    super(`refused by ${reason}`)
  }
}

/** An unknown identity in its locked flow. */
export interface Settling {
  readonly tenant: Tenant
  readonly held: LockedFlow
  readonly provider: OpenProvider
  readonly identity: KeptIdentity
  readonly allowedEmailDomains: readonly string[] | null
  /** The step of the flow. */
  readonly from: Step
  /** When the newcomer has authenticated; undefined: now, by the proof of the mailbox. */
  readonly authenticatedAt?: Date
  readonly requestId: string
}

/**
 * Leads a flow to the identity provider of an address that has one: a social provider is no way around it.
 *
 * @returns Whether it has one.
 * @throws SocialRefused where single sign-on is required and there is no connection for it.
 */
export async function routeToIdentityProvider(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, held, from }: Pick<Settling, 'tenant' | 'held' | 'from'>,
  email: string,
): Promise<boolean> {
  const emailNormalized = normalizeEmail(email)
  const connection = await findIdentityProvider(deps, trx, held, email)
  if (connection === undefined) return false
  if (connection === 'required') throw new SocialRefused('sso_required')
  await forgetArrival(trx, held)
  await moveFlow(deps, trx, held, {
    from: [from],
    to: 'identity_provider',
    set: { email, email_normalized: emailNormalized, connection_id: connection.connectionId },
  })
  await logEvent(deps, trx, {
    ...held,
    domain: tenant.domain,
    code: 'END_USER_SOCIAL_FAILED',
    clientId: held.application_id,
    email,
    reason: 'sso_required',
    requestId: tenant.cause.requestId,
  })
  return true
}

/**
 * The connection of an address that has an identity provider; `required` where single sign-on is and there is no connection for it.
 * Nobody with such an address signs in by a social provider.
 */
export async function findIdentityProvider(
  { config }: Pick<Deps, 'config'>,
  trx: Transaction<DB>,
  owner: Pick<LockedFlow, 'accountId' | 'environment' | 'organizationId'>,
  email: string,
): Promise<OpenConnection | 'required' | undefined> {
  const emailNormalized = normalizeEmail(email)
  const connections = await findOpenConnections({ db: trx }, owner)
  const methods = await findSignInMethods({ config, db: trx }, owner)
  const connection = connectionOfAddress(connections, methods, emailNormalized)
  if (connection !== undefined) return connection
  const { accountId, environment, organizationId } = owner
  const address = { accountId, environment, organizationId, emailNormalized }
  const { is_required: isRequired } = await trx
    .selectNoFrom(isSsoRequired(address).as('is_required'))
    .executeTakeFirstOrThrow()
  return isRequired ? 'required' : undefined
}

/** How an address was proved. `isMailboxProved`: by a mail of ours, and not by the word of the provider that gives it out. */
interface ProvedAddress {
  readonly email: string
  readonly isMailboxProved: boolean
}

/**
 * Goes on with an unknown identity whose address is proved. The user who has the address signs in first, and a newcomer comes in
 * by the door that is open to them.
 *
 * @throws SocialRefused
 */
export async function settleAddress(
  deps: Deps,
  trx: Transaction<DB>,
  settling: Settling,
  { email, isMailboxProved }: ProvedAddress,
): Promise<void> {
  const { tenant, held, from, identity } = settling
  await lockIdentity(trx, tenant, identity)
  // Another flow has linked it since it came, to whomever.
  if ((await findUserByIdentity(trx, tenant, identity)) !== undefined)
    throw new SocialRefused('changed_meanwhile')
  const emailNormalized = normalizeEmail(email)
  const address = { email, email_normalized: emailNormalized }
  const user = await findUser(trx, tenant, emailNormalized)
  if (user !== undefined) {
    if (!user.active) throw new SocialRefused('user_inactive')
    await intendLink(trx, held, { userId: user.id, isMailboxProved })
    await moveFlow(deps, trx, held, { from: [from], to: 'link_account', set: address })
    return
  }
  const door = await findDoor(deps, trx, settling, { emailNormalized, isMailboxProved })
  if (door === 'user_not_found') throw new SocialRefused(door)
  if (door !== 'may_ask') return admitNewcomer(deps, trx, settling, { door, email, isMailboxProved })
  await forgetArrival(trx, held)
  await leadToJoin(deps, trx, held, { email, provedAt: deps.now() })
}

type Door =
  | Exclude<DoorOfProof, { via: 'link' }>
  | { readonly via: 'social'; readonly isOnlyInvited: boolean }

/** By the verified domain of the address, by the invitation that waits for it, or by the social sign-in itself. */
async function findDoor(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { tenant, held, provider }: Settling,
  {
    emailNormalized,
    isMailboxProved,
  }: { readonly emailNormalized: string; readonly isMailboxProved: boolean },
): Promise<Door | 'may_ask' | 'user_not_found'> {
  // Joining takes a proven mailbox: the word of another provider is none.
  const joining = isMailboxProved ? await findJoining(trx, tenant, emailNormalized) : undefined
  const automatic = joining?.mode === 'automatic' ? joiningDoor(joining) : undefined
  if (automatic?.via === 'join') return automatic
  if (await isAddressInvited(trx, { ...held, emailNormalized, at: now() }))
    return { via: 'social', isOnlyInvited: true }
  if (joining?.mode === 'request') return 'may_ask'
  return provider.allowSignUp ? { via: 'social', isOnlyInvited: false } : 'user_not_found'
}

async function admitNewcomer(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, held, identity: { profile, ...identity }, authenticatedAt = deps.now() }: Settling,
  { door, email, isMailboxProved }: ProvedAddress & { readonly door: Door },
): Promise<void> {
  const id = newId()
  const own = ofUser(tenant, id)
  const proof = { emailVerified: true, isAddressProven: true }
  const newcomer = { ...door, ...proof, id, email, profile, identity } as const
  const created = await admit(deps, trx, own, newcomer).catch(refusalOf)
  if (typeof created === 'string') throw new SocialRefused(created)
  // Somebody has got the address, or the invitation was revoked, in this moment.
  if (created === undefined) throw new SocialRefused('changed_meanwhile')
  if (isMailboxProved) await markEmailProved(deps, trx, own, created)
  await forgetArrival(trx, held)
  const known = await findUserByIdentity(trx, own, identity)
  if (known === undefined) throw new Error('a user who was just created is not known by their identity')
  const factor = {
    ...{ tenant, userId: id, isNew: true, amr: ['social'], identityId: known.identity_id },
    authenticatedAt,
  }
  const step = await completeFactorOfLockedFlow(deps, trx, held, factor)
  if (step === undefined) throw new SocialRefused('flow_over')
  await logEvent(deps, trx, {
    ...held,
    domain: tenant.domain,
    code: 'END_USER_SOCIAL_SUCCESS',
    clientId: held.application_id,
    email,
    userId: id,
    requestId: tenant.cause.requestId,
  })
}
