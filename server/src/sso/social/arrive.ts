import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import { lockIdentity } from '../../directory/users/identities.js'
import { emitUserChange, findUserByIdentity, renewIdentity } from '../../directory/users/signing-in-user.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { normalizeEmail } from '../../platform/email.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import { callerAtPage, type FlowKey } from '../../sign-in/flows/flow.js'
import { completeFactorOfLockedFlow, lockFlow, type LockedFlow } from '../../sign-in/flows/lock-flow.js'
import { keepArrival } from '../../sign-in/flows/social-arrival.js'
import { moveFlow } from '../../sign-in/flows/step.js'
import { findInvitationOfFlow } from '../../sign-in/invitations/invitation-of-flow.js'
import { reportRefusedInvitation } from '../../sign-in/invitations/refused.js'
import type { SocialUser } from './claims.js'
import { routeToIdentityProvider, settleAddress, SocialRefused, type Settling } from './settle.js'
import { findOpenProvider, type OpenProvider, type ProviderClient } from './open-providers.js'

/** A validated answer of a provider, and the flow that it answers. */
interface Arrival {
  readonly known: ProviderClient
  readonly request: FlowKey
  readonly user: SocialUser
  readonly domain: string
  readonly accountDomain: string
  readonly allowedEmailDomains: readonly string[] | null
  readonly browserSecret: string
  readonly requestId: string
}

/** `prove_address`: a code is to be mailed to the address that the provider has named. */
type Arrived = 'flow' | 'refused' | 'prove_address'

/**
 * Completes a sign-in by a social provider, in one transaction: a known identity signs its user in; an unknown one waits for the
 * proof of an address, or makes a user, or waits for the sign-in of the user who has the address. An address never finds an identity's user.
 */
export async function completeSocialSignIn(deps: Deps, arrival: Arrival): Promise<Arrived> {
  const { request, requestId } = arrival
  const tenant: Tenant = {
    ...callerAtPage({ ...request, accountDomain: arrival.accountDomain }, requestId),
    domain: arrival.domain,
  }
  const { record } = await change<{ record: Arrived }>(deps, tenant.cause, async (trx) => {
    const held = await lockFlow(deps, trx, request, {
      steps: ['social_provider'],
      browserHash: hashSecret(arrival.browserSecret),
    })
    try {
      if (held === undefined) throw new SocialRefused('flow_over')
      return { record: await decide(deps, trx, { arrival, tenant, held }) }
    } catch (error) {
      if (!(error instanceof SocialRefused)) throw error
      const entry = { ...request, domain: arrival.domain, clientId: held?.application_id, requestId }
      const { reason } = error
      await logEvent(deps, trx, {
        ...entry,
        code: 'END_USER_SOCIAL_FAILED',
        email: arrival.user.email,
        reason,
      })
      await moveFlow(deps, trx, request, { from: ['social_provider'], to: 'identifier' })
      return { record: 'refused' }
    }
  })
  return record
}

interface Deciding {
  readonly arrival: Arrival
  readonly tenant: Tenant
  readonly held: LockedFlow
}

async function decide(deps: Deps, trx: Transaction<DB>, deciding: Deciding): Promise<Arrived> {
  const { arrival, tenant, held } = deciding
  const { known, user } = arrival
  // The flow has gone to another provider, or is another browser's.
  if (held.social_provider_id !== known.providerId) throw new SocialRefused('flow_over')
  if (!held.is_own_browser) throw new SocialRefused('other_browser')
  const provider = await findOpenProvider(trx, held, known.providerId)
  if (provider === undefined) throw new SocialRefused('connection_inactive')
  checkFresh(held, user)
  await lockIdentity(trx, tenant, user.identity)
  const found = await findUserByIdentity(trx, tenant, user.identity)
  if (found === undefined) return keepUnknown(deps, trx, { ...deciding, provider })
  await checkInvited(deps, trx, deciding, found.email)
  const settling = {
    tenant,
    held,
    allowedEmailDomains: arrival.allowedEmailDomains,
    from: 'social_provider',
  } as const
  checkDomain(settling, found.email)
  if (await routeToIdentityProvider(deps, trx, settling, found.email)) return 'flow'
  if (!found.active) throw new SocialRefused('user_inactive')
  const own = ofUser(tenant, found.id)
  const { profile: _profile, ...identity } = user.identity
  if (await renewIdentity(trx, own, { userId: found.id, ...identity }))
    await emitUserChange(deps, trx, own, found.id)
  const factor = {
    ...{ tenant, userId: found.id, amr: ['social'], identityId: found.identity_id },
    authenticatedAt: authenticatedAtOf(deps, user),
  }
  const step = await completeFactorOfLockedFlow(deps, trx, held, factor)
  if (step === undefined) throw new SocialRefused('flow_over')
  await logEvent(deps, trx, {
    ...held,
    domain: arrival.domain,
    code: 'END_USER_SOCIAL_SUCCESS',
    clientId: held.application_id,
    email: found.email,
    userId: found.id,
    reason: step === 'totp' ? 'totp_required' : undefined,
    requestId: arrival.requestId,
  })
  return 'flow'
}

/** When the user has authenticated: now, where the provider does not say that it was earlier. */
function authenticatedAtOf({ now }: Pick<Deps, 'now'>, { authenticatedAt }: SocialUser): Date {
  const at = now()
  return authenticatedAt !== undefined && authenticatedAt < at ? authenticatedAt : at
}

/** Allowed difference between clocks. */
const clockSkewMs = 2 * 60 * 1000

/** A provider that says when its user has authenticated must not bring an older sign-in where the application asks for a fresh one. */
function checkFresh(held: LockedFlow, { authenticatedAt }: SocialUser): void {
  if (!held.is_sign_in_forced || authenticatedAt === undefined) return
  if (authenticatedAt.getTime() < held.inserted_at.getTime() - clockSkewMs)
    throw new SocialRefused('not_fresh')
}

function checkDomain({ allowedEmailDomains }: Pick<Settling, 'allowedEmailDomains'>, email: string): void {
  if (!isEmailDomainAllowed(allowedEmailDomains, normalizeEmail(email)))
    throw new SocialRefused('email_domain_not_allowed')
}

/** The invitation of a flow is for one address: whoever comes by another one leaves it as it is. */
async function checkInvited(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, held }: Deciding,
  email: string,
): Promise<Awaited<ReturnType<typeof findInvitationOfFlow>>> {
  const invited = await findInvitationOfFlow(deps, trx, held)
  if (invited === undefined || normalizeEmail(invited.email) === normalizeEmail(email)) return invited
  const { organizationId } = held
  await reportRefusedInvitation(deps, trx, tenant, { ...invited, organizationId }, 'invitation')
  throw new SocialRefused('other_user_expected')
}

/** Keeps an unknown identity, and leads its owner to the proof of an address, unless it is proved. */
async function keepUnknown(
  deps: Deps,
  trx: Transaction<DB>,
  deciding: Deciding & { readonly provider: OpenProvider },
): Promise<Arrived> {
  const { arrival, tenant, held, provider } = deciding
  const { user, known } = arrival
  const invited = await findInvitationOfFlow(deps, trx, held)
  const email = user.email ?? invited?.email
  const settling: Settling = {
    ...{ tenant, held, provider, allowedEmailDomains: arrival.allowedEmailDomains, identity: user.identity },
    from: 'social_provider',
    authenticatedAt: authenticatedAtOf(deps, user),
    requestId: arrival.requestId,
  }
  if (email !== undefined) {
    await checkInvited(deps, trx, deciding, email)
    checkDomain(settling, email)
    if (await routeToIdentityProvider(deps, trx, settling, email)) return 'flow'
  }
  await keepArrival(deps, trx, held, {
    providerId: known.providerId,
    identity: user.identity,
    email: email ?? null,
  })
  // The URL of an invitation that we have mailed has proved the mailbox in this browser.
  const isMailboxProved = invited?.isMailboxProved === true
  if (email !== undefined && (user.isOwnWord || isMailboxProved)) {
    await settleAddress(deps, trx, settling, { email, isMailboxProved })
    return 'flow'
  }
  const set = email === undefined ? {} : { email, email_normalized: normalizeEmail(email) }
  await moveFlow(deps, trx, held, { from: ['social_provider'], to: 'prove_address', set })
  return email === undefined ? 'flow' : 'prove_address'
}
