import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { addressCodeMail } from '../../delivery/mail/admin-code.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { mailNetworkKey, mails, mailsOfNetwork } from '../../delivery/mail/mail-limits.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import type { Environment } from '@portico/contract/fields'
import { newId } from '../../platform/crypto/random.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOwner } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import {
  isTypedCode,
  minutesUntil,
  newAddressCode,
  openAddressCode,
} from '../../sign-in/flows/address-code.js'
import type { Flow } from '../../sign-in/flows/flow.js'
import { lockFlow } from '../../sign-in/flows/lock-flow.js'
import { findSignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import {
  findArrival,
  socialArrivalContext,
  storeAddressCode,
  takeAddressTry,
} from '../../sign-in/flows/social-arrival.js'
import { moveFlow } from '../../sign-in/flows/step.js'
import { findOpenProvider } from './open-providers.js'
import { routeToIdentityProvider, settleAddress, SocialRefused } from './settle.js'

/** `over`: the flow is not at the step any more; `routed`: the address has an identity provider, which is asked. */
type MailOutcome = 'sent' | 'not_allowed' | 'routed' | 'over'

/**
 * Mails a code to the address that a social provider or its user has named, whether or not somebody has the address here.
 *
 * @throws ApiError `rate_limited` when too many mails were sent.
 */
export async function mailAddressCode(
  deps: Deps,
  caller: Caller & Tenant,
  { flow, email, ip }: { readonly flow: Flow; readonly email: string; readonly ip: string },
): Promise<MailOutcome> {
  const { allowedEmailDomains } = await findSignInMethods(deps, flow)
  const normalized = normalizeEmail(email)
  if (!isEmailDomainAllowed(allowedEmailDomains, normalized)) return 'not_allowed'
  // The network's limit first: a refused request does not use up the mails of the address's owner.
  await deps.limits.take(mailsOfNetwork, mailNetworkKey(deps.config, ip, flow.environment))
  await deps.limits.take(mails, { ...caller, address: normalized })
  const code = newAddressCode()
  const { record } = await change<{ record: MailOutcome }>(deps, caller.cause, async (trx) => {
    const held = await lockFlow(deps, trx, flow, { steps: ['prove_address'] })
    const arrival = held && (await findArrival(deps, trx, held))
    if (held === undefined || arrival === undefined) return { record: 'over' }
    try {
      if (await routeToIdentityProvider(deps, trx, { tenant: caller, held, from: 'prove_address' }, email))
        return { record: 'routed' }
    } catch (error) {
      if (error instanceof SocialRefused) return { record: 'not_allowed' }
      throw error
    }
    await storeAddressCode(deps, trx, held, { code, email })
    const set = { email, email_normalized: normalized }
    await moveFlow(deps, trx, held, { from: ['prove_address'], to: 'prove_address', set })
    const { accountId, environment, organizationId, flowId } = held
    const payload = { accountId, environment, organizationId, flowId }
    await enqueue(deps, trx, { name: 'send_address_code', payload, accountId })
    return { record: 'sent' }
  })
  return record
}

/** The outcome of a typed code; `refused`: the address is proved, and its owner may not come in. */
export type CodeOutcome = 'passed' | 'wrong' | 'code_over' | 'refused' | 'over'

/** Verifies the code of an address, and goes on with the identity that waits for it. */
export async function verifyAddressCode(
  deps: Deps,
  caller: Caller & Tenant,
  { flow, typed }: { readonly flow: Flow; readonly typed: string },
): Promise<CodeOutcome> {
  // A wrong code is counted, so a refusal must not roll its transaction back.
  const { record } = await change<{ record: CodeOutcome }>(deps, caller.cause, async (trx) => {
    const held = await lockFlow(deps, trx, flow, { steps: ['prove_address'] })
    const arrival = held && (await findArrival(deps, trx, held))
    if (held === undefined || arrival === undefined) return { record: 'over' }
    const shown = await takeAddressTry(deps, trx, held)
    const fail = (reason: 'code_rejected' | SocialRefused['reason']) =>
      logEvent(deps, trx, {
        ...held,
        domain: flow.domain,
        code: 'END_USER_SOCIAL_FAILED',
        clientId: flow.applicationId,
        email: flow.email,
        reason,
        requestId: caller.cause.requestId,
      })
    const isRight =
      shown !== undefined && isTypedCode(shown, { code: typed, email: held.email_normalized ?? '' })
    if (!isRight) {
      await fail('code_rejected')
      return { record: shown === undefined ? 'code_over' : 'wrong' }
    }
    const provider = await findOpenProvider(trx, held, arrival.providerId)
    const { allowedEmailDomains } = await findSignInMethods({ ...deps, db: trx }, held)
    try {
      if (provider === undefined) throw new SocialRefused('connection_inactive')
      const settling = {
        ...{ tenant: caller, held, provider, allowedEmailDomains, identity: arrival.identity },
        from: 'prove_address',
        requestId: caller.cause.requestId,
      } as const
      const email = arrival.email ?? shown.email
      if (await routeToIdentityProvider(deps, trx, settling, email)) return { record: 'passed' }
      await settleAddress(deps, trx, settling, { email, isMailboxProved: true })
      return { record: 'passed' }
    } catch (error) {
      if (!(error instanceof SocialRefused)) throw error
      await fail(error.reason)
      await moveFlow(deps, trx, held, { from: ['prove_address'], to: 'identifier' })
      return { record: 'refused' }
    }
  })
  return record
}

/**
 * Mails the code of an arrival.
 *
 * @throws Error when the mail server does not take the mail.
 */
export async function sendAddressCode(deps: Deps, payload: JobPayloads['send_address_code']): Promise<void> {
  const at = deps.now()
  const waiting = await deps.db
    .selectFrom('social_arrivals as arrival')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'arrival')))
    .where(ofOwner(payload, 'arrival'))
    .where('arrival.flow_id', '=', payload.flowId)
    .where('arrival.code_expires_at', '>', at)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'arrival.code_sealed',
      'arrival.code_expires_at',
      'arrival.email',
      sql<Environment>`arrival.environment`.as('environment'),
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  // The code was entered, replaced or expired before the job ran.
  if (waiting?.code_sealed == null || waiting.email === null || waiting.code_expires_at === null) return
  const { email, environment, domain, name, locale, color, product_name: fromName } = waiting
  const message = addressCodeMail({
    code: openAddressCode(deps.keys.master, socialArrivalContext('code', payload), waiting.code_sealed).code,
    minutes: minutesUntil(waiting.code_expires_at, at),
    organizationName: name,
    locale,
    productName: fromName ?? deps.config.productName,
    environment,
    color,
  })
  const { accountId, organizationId } = payload
  const scope = { accountId, environment, organizationId, domain }
  // A message id of its own: a code that was requested anew must not look like a repetition of the first.
  await deliverMail(deps, scope, {
    ...message,
    name: 'address_code',
    to: email,
    fromName,
    messageId: newId(),
  })
}
