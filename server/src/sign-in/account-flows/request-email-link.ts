import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { mailNetworkKey, mails, mailsOfNetwork } from '../../delivery/mail/mail-limits.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import { causeBy } from '../../platform/tenant.js'
import { linkLifetimeMs } from '../magic-link/insert-link.js'
import { moveAccountFlow, type AccountFlow } from './account-flow.js'

/** A mail requested at a page. */
interface RequestedMail {
  readonly flow: AccountFlow
  /** As it was typed. */
  readonly email: string
  /** Of the browser; used only for limits. */
  readonly ip: string
  readonly requestId: string
}

/**
 * Moves an account flow on to wait for the link of an address. The same happens for every address: whether a mail is sent, the
 * job decides. Mails are counted apart from those of organizations.
 *
 * @returns Whether the flow was open.
 * @throws ApiError `rate_limited`
 */
export async function requestEmailLink(
  deps: Deps,
  { flow, email: typed, ip, requestId }: RequestedMail,
): Promise<boolean> {
  const { accountId, environment } = flow
  const email = normalizeEmail(typed)
  // The network's limit first: a refused request does not use up the mails of the address's owner.
  await deps.limits.take(mailsOfNetwork, mailNetworkKey(deps.config, ip, environment))
  await deps.limits.take(mails, { accountId, environment, address: email })
  const { record } = await change(deps, causeBy(requestId, 'system', 'sign_in_page'), async (trx) => {
    const isMoved = await moveAccountFlow(deps, trx, flow, {
      from: ['identifier', 'link_sent', 'choose', 'entered'],
      to: 'link_sent',
      set: {
        email: typed,
        email_normalized: email,
        email_session_id: null,
        // An earlier code was for another address, or was not typed.
        link_code_sealed: null,
        link_code_expires_at: null,
        link_code_failures: 0,
      },
    })
    if (isMoved) await insertChallenge(deps, trx, flow, { typed, email, requestId })
    return { record: isMoved }
  })
  return record
}

async function insertChallenge(
  deps: Deps,
  trx: Transaction<DB>,
  { accountId, accountDomain, environment, flowId, applicationId }: AccountFlow,
  { typed, email, requestId }: { readonly typed: string; readonly email: string; readonly requestId: string },
): Promise<void> {
  const at = deps.now()
  const challengeId = newId()
  // Of a flow only the newest link works.
  await trx
    .updateTable('email_challenges')
    .set({ voided_at: at })
    .where(ofEnvironment({ accountId, environment }))
    .where('flow_id', '=', flowId)
    .where('used_at', 'is', null)
    .where('voided_at', 'is', null)
    .execute()
  await trx
    .insertInto('email_challenges')
    .values({
      account_id: accountId,
      environment,
      id: challengeId,
      flow_id: flowId,
      application_id: applicationId,
      email: typed,
      email_normalized: email,
      expires_at: new Date(at.getTime() + linkLifetimeMs),
      inserted_at: at,
    })
    .execute()
  const payload = { accountId, environment, challengeId }
  await enqueue(deps, trx, { name: 'send_email_link', payload, accountId })
  await logEvent(deps, trx, {
    accountId,
    environment,
    domain: accountDomain,
    code: 'ACCOUNT_SIGN_IN_STARTED',
    clientId: applicationId,
    email: typed,
    requestId,
  })
}
