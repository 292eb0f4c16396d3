import type { Environment } from '@portico/contract/fields'
import type { Config } from '../../platform/config/config.js'
import type { Deps } from '../deps.js'
import { ApiError } from '../../platform/errors.js'
import { logEvent } from '../log-events/log-event.js'
import { keepMessage, type MessageScope } from '../mail/keep-message.js'
import { countryOfPhoneNumber, isSpecialPhoneNumber } from '../../platform/phone.js'
import type { Sms } from '../../platform/sms/sender.js'

/** The tenant and user of a text message. */
interface SmsScope extends MessageScope {
  /** Of the user; a kept message is erased with the user. */
  readonly email: string
}

/**
 * The route of an environment's text messages. The outbox keeps those of the sandbox, so that a test never reaches a
 * stranger, and all of a service that is reachable only from this machine and has no provider.
 */
export function smsRouteOf(
  { isProduction, mail, sms }: Pick<Config, 'isProduction' | 'mail' | 'sms'>,
  environment: Environment,
): 'provider' | 'outbox' | 'none' {
  const hasProvider = sms.provider !== undefined
  if (environment === 'sandbox' && (mail.isSandboxKept || !hasProvider)) return 'outbox'
  if (hasProvider) return 'provider'
  return isProduction ? 'none' : 'outbox'
}

/**
 * Checks that the operator has listed the country of a number, and that it is no premium or special number: SMS pumping
 * uses expensive numbers abroad or in those ranges. Without a list, and so without a provider, the outbox takes any number.
 *
 * @throws ApiError `phone_number_not_allowed`
 */
export function checkMayBeSent(
  { config }: Pick<Deps, 'config'>,
  environment: Environment,
  phoneNumber: string,
): void {
  const { countries } = config.sms
  const route = smsRouteOf(config, environment)
  if (route === 'outbox' && countries.length === 0) return
  const country = countryOfPhoneNumber(phoneNumber)
  if (route === 'none' || country === undefined || !countries.includes(country))
    throw new ApiError('phone_number_not_allowed')
  if (isSpecialPhoneNumber(phoneNumber)) throw new ApiError('phone_number_not_allowed')
}

/**
 * Sends a text message, or keeps it in the outbox. The account's log has each attempt at the provider.
 *
 * @param sms Its idempotencyKey is a UUID; a kept message replaces that of an earlier attempt.
 * @throws Error when the provider refuses the message.
 */
export async function deliverSms(
  deps: Pick<Deps, 'config' | 'db' | 'metrics' | 'sms' | 'now'>,
  scope: SmsScope,
  sms: Sms,
): Promise<void> {
  const { idempotencyKey: id, to: recipient, body: text } = sms
  const { accountId, environment, organizationId, domain, email } = scope
  if (smsRouteOf(deps.config, environment) === 'outbox') {
    await keepMessage(deps, scope, { id, channel: 'sms', recipient, email, text })
    return
  }
  const entry = { accountId, environment, organizationId, domain, email, requestId: id }
  try {
    await deps.sms.send(sms)
  } catch (error) {
    // Neither number nor text is in it (platform/sms/sender.ts).
    const reason = error instanceof Error ? error.message.slice(0, 300) : null
    await logEvent(deps, deps.db, { ...entry, code: 'SMS_FAILED', reason })
    throw error
  }
  await logEvent(deps, deps.db, { ...entry, code: 'SMS_SENT' })
}
