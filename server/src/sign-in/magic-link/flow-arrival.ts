import type { RefusalReason } from '@portico/contract/log-events'
import type { Environment } from '@portico/contract/fields'
import type { Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import type { FlowKey } from '../flows/flow.js'
import { flowUrl } from '../flows/flow-url.js'
import { lockFlow, completeFactorOfLockedFlow, type LockedFlow } from '../flows/lock-flow.js'
import { moveFlow } from '../flows/step.js'
import { leadToJoin } from '../joining/join-step.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import { findUser, type SigningInUser } from '../../directory/users/signing-in-user.js'
import { markEmailProved } from '../../directory/users/proved-email.js'
import { linkCodeLifetimeMs, makeLinkCode, sealLinkCode } from './link-code.js'
import {
  emitConsumed,
  findDoor,
  findOrCreateUser,
  voidSiblings,
  whyRefused,
  type ConsumedLink,
} from './consumed-link.js'

/** The link of a flow, as it is opened. */
interface FlowArrival {
  readonly tenant: Tenant
  readonly link: { readonly requestId: string; readonly browserSecret: string | undefined }
  readonly consumedLink: ConsumedLink
  readonly flowId: string
}

/** The code that a link shows outside the browser of its flow, to be typed in that browser. */
export interface ShownLinkCode {
  readonly code: string
  readonly applicationName: string
  readonly environment: Environment
}

/** The owner of the address is proved, and would be a user, had the organization a seat. */
export interface WithoutSeat {
  readonly refusal: 'seats_exhausted'
}

/**
 * Completes the first factor of a flow when its link is opened in the flow's browser. Any other browser shows a code
 * and is not signed in, regardless of its user.
 *
 * @returns Undefined when the flow does not wait for this link, or the user may not sign in.
 */
export async function arriveInFlow(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, link, consumedLink, flowId }: FlowArrival,
): Promise<{ readonly redirectUrl: string } | ShownLinkCode | WithoutSeat | undefined> {
  const { browserSecret, requestId } = link
  const fail = async (reason: RefusalReason, userId?: string) => {
    await logEventOf(deps, trx, consumedLink, {
      code: 'END_USER_MAGIC_LINK_FAILED',
      userId,
      reason,
      requestId,
    })
    return undefined
  }
  const refusal = whyRefused(consumedLink)
  if (refusal !== undefined) return fail(refusal)
  const held = await lockFlow(deps, trx, flowKeyOf(consumedLink, flowId), {
    steps: ['link_sent'],
    browserHash: browserSecret === undefined ? undefined : hashSecret(browserSecret),
  })
  if (held === undefined || held.email_normalized !== consumedLink.email_normalized) return fail('flow_over')
  if (!held.is_own_browser) {
    const refused = await whyNobody(deps, trx, tenant, consumedLink)
    if (refused !== undefined) return fail(refused)
    await fail('other_browser')
    return showCode(deps, trx, held, consumedLink)
  }
  const found = await findOrCreateUser(deps, trx, tenant, consumedLink)
  const user = typeof found === 'string' ? undefined : found
  const at = { redirectUrl: flowUrl(deps.config.baseUrl, consumedLink.domain, flowId) }
  if (found === 'may_ask')
    return (await askInFlow(deps, trx, { link, consumedLink, held })) ? at : fail('flow_over')
  if (found === 'seats_exhausted') {
    await fail(found)
    return { refusal: found }
  }
  if (user?.active !== true) return fail(typeof found === 'string' ? found : 'user_inactive', user?.id)
  const isIn = await enterFlow(deps, trx, { tenant, link, consumedLink, held, user })
  return isIn ? at : undefined
}

/** The flow of a link, in the link's own tenant. */
export function flowKeyOf(
  { account_id, environment, organization_id }: ConsumedLink,
  flowId: string,
): FlowKey {
  return { accountId: account_id, environment, organizationId: organization_id, flowId }
}

/** Why the link's code could sign nobody in; a user is created only when the code is typed. */
async function whyNobody(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  consumedLink: ConsumedLink,
): Promise<'user_not_found' | 'user_inactive' | undefined> {
  const user = await findUser(trx, tenant, consumedLink.email_normalized)
  if (user === undefined) {
    const door = await findDoor(deps, trx, tenant, consumedLink)
    return door === 'user_not_found' ? door : undefined
  }
  return user.active ? undefined : 'user_inactive'
}

async function showCode(
  deps: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  held: LockedFlow,
  consumedLink: ConsumedLink,
): Promise<ShownLinkCode> {
  const code = makeLinkCode()
  await moveFlow(deps, trx, held, {
    from: ['link_sent'],
    to: 'link_sent',
    set: {
      link_code_sealed: sealLinkCode(deps.keys.master, held, { code, challengeId: consumedLink.id }),
      link_code_expires_at: new Date(deps.now().getTime() + linkCodeLifetimeMs),
      link_code_failures: 0,
    },
  })
  const { application_name: applicationName, environment } = consumedLink
  return { code, applicationName, environment }
}

/**
 * Leads a flow to the page on which the owner of the link's address asks to join.
 *
 * @returns Whether the flow has moved on.
 */
export async function askInFlow(
  deps: Deps,
  trx: Transaction<DB>,
  { link, consumedLink, held }: Omit<FlowEntry, 'tenant' | 'user'>,
): Promise<boolean> {
  if (!(await leadToJoin(deps, trx, held, { email: consumedLink.email, provedAt: deps.now() }))) return false
  await voidSiblings(deps, trx, consumedLink)
  const { requestId } = link
  const entry = { code: 'END_USER_MAGIC_LINK_SUCCESS', requestId, reason: 'may_ask' } as const
  await logEventOf(deps, trx, consumedLink, entry)
  return true
}

/** A flow to continue, with the link and its user. */
interface FlowEntry extends Pick<FlowArrival, 'tenant' | 'consumedLink'> {
  readonly link: { readonly requestId: string }
  readonly held: LockedFlow
  readonly user: SigningInUser
}

/**
 * Completes the first factor of a flow, for a user whose address the link has verified.
 *
 * @returns Whether the flow has moved on.
 */
export async function enterFlow(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, link, consumedLink, held, user }: FlowEntry,
): Promise<boolean> {
  const asUser = ofUser(tenant, user.id)
  await markEmailProved(deps, trx, asUser, user)
  const factor = { tenant, userId: user.id, isNew: user.isNew, amr: ['email'] }
  const step = await completeFactorOfLockedFlow(deps, trx, held, factor)
  if (step === undefined) return false
  await emitConsumed(deps, trx, { tenant: asUser, consumedLink, user })
  await voidSiblings(deps, trx, consumedLink)
  const reason = step === 'totp' ? 'totp_required' : undefined
  const known = { userId: user.id, requestId: link.requestId }
  await logEventOf(deps, trx, consumedLink, { code: 'END_USER_MAGIC_LINK_SUCCESS', ...known, reason })
  return true
}
