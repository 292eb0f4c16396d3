import type { RefusalReason } from '@portico/contract/log-events'
import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { change } from '../../delivery/events/change.js'
import type { FlowKey } from '../flows/flow.js'
import { lockFlow } from '../flows/lock-flow.js'
import { moveFlow } from '../flows/step.js'
import { setPasswordUrl } from '../password/own-page.js'
import type { Tenant } from '../../platform/tenant.js'
import { askInFlow, enterFlow } from './flow-arrival.js'
import { isLinkCode, maxCodeFailures, openLinkCode } from './link-code.js'
import { findOrCreateUser, selectConsumedLink, whyRefused, type ConsumedLink } from './consumed-link.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** `wrong`: another try is left; `void`: a new link has to be asked for; `no_seat`: the organization has none for a newcomer. */
export type LinkCodeOutcome = 'passed' | 'wrong' | 'void' | 'no_seat'

/**
 * Validates the code that a link has shown in another browser, in the flow's own browser, and moves the flow on. An
 * attempt is counted before it is compared: of many concurrent ones, five are compared.
 */
export async function verifyLinkCode(
  deps: Deps,
  tenant: Tenant,
  { flow, typed }: { readonly flow: FlowKey; readonly typed: string },
): Promise<LinkCodeOutcome> {
  // A wrong code is counted, so an error must not roll its transaction back.
  const { record } = await change(deps, tenant.cause, async (trx): Promise<{ record: LinkCodeOutcome }> => {
    const tried = await takeTry(deps, trx, flow)
    if (tried === undefined) return { record: 'void' }
    const shown = openLinkCode(deps.keys.master, flow, tried.sealed)
    const [consumedLink] = await selectConsumedLink(trx, {
      ...flow,
      challengeId: shown.challengeId,
      ownPage: setPasswordUrl(deps.config.baseUrl, tenant.domain),
    })
    if (consumedLink === undefined) return { record: 'void' }
    const { requestId } = tenant.cause
    const fail = (reason: RefusalReason) =>
      logEventOf(deps, trx, consumedLink, { code: 'END_USER_MAGIC_LINK_FAILED', reason, requestId })
    if (!isLinkCode(shown, typed)) {
      const outcome = tried.failures < maxCodeFailures ? 'wrong' : 'void'
      if (outcome === 'void') await voidCode(deps, trx, flow)
      await fail(outcome === 'void' ? 'link_code_voided' : 'link_code_wrong')
      return { record: outcome }
    }
    const reason = await enter(deps, trx, tenant, { flow, consumedLink })
    if (reason === undefined) return { record: 'passed' }
    await voidCode(deps, trx, flow)
    await fail(reason)
    return { record: reason === 'seats_exhausted' ? 'no_seat' : 'void' }
  })
  return record
}

/** The code of the flow, if it is valid; one statement counts the attempt and locks the flow. */
async function takeTry(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, environment, organizationId, flowId }: FlowKey,
): Promise<{ readonly sealed: Buffer; readonly failures: number } | undefined> {
  const at = now()
  return trx
    .updateTable('sign_in_flows')
    .set({ link_code_failures: sql`link_code_failures + 1` })
    .where(ofOwner({ accountId, environment, organizationId }))
    .where('id', '=', flowId)
    .where('step', '=', 'link_sent')
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .where('link_code_sealed', 'is not', null)
    .where('link_code_expires_at', '>', at)
    .where('link_code_failures', '<', maxCodeFailures)
    .returning([sql<Buffer>`link_code_sealed`.as('sealed'), 'link_code_failures as failures'])
    .executeTakeFirst()
}

async function voidCode(deps: Pick<Deps, 'now'>, trx: Transaction<DB>, flow: FlowKey): Promise<void> {
  const set = { link_code_sealed: null, link_code_expires_at: null }
  await moveFlow(deps, trx, flow, { from: ['link_sent'], to: 'link_sent', set })
}

/** @returns Why the flow does not continue; undefined when it does. */
async function enter(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { flow, consumedLink }: { readonly flow: FlowKey; readonly consumedLink: ConsumedLink },
): Promise<RefusalReason | undefined> {
  const refusal = whyRefused(consumedLink)
  if (refusal !== undefined) return refusal
  const held = await lockFlow(deps, trx, flow, { steps: ['link_sent'] })
  // The flow may be for another address by now, which this link does not verify.
  if (held === undefined || held.email_normalized !== consumedLink.email_normalized) return 'flow_over'
  const link = { requestId: tenant.cause.requestId }
  const user = await findOrCreateUser(deps, trx, tenant, consumedLink)
  if (user === 'may_ask')
    return (await askInFlow(deps, trx, { link, consumedLink, held })) ? undefined : 'flow_over'
  if (typeof user === 'string') return user
  if (!user.active) return 'user_inactive'
  return (await enterFlow(deps, trx, { tenant, link, consumedLink, held, user })) ? undefined : 'flow_over'
}
