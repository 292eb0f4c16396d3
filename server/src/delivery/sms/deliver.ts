import type { Environment } from '@portico/contract/fields'
import type { Config } from '../../platform/config/config.js'
import type { Deps } from '../deps.js'
import { ApiError } from '../../platform/errors.js'
import { normalizeEmail } from '../../platform/email.js'
import { countryOfPhoneNumber, isSpecialPhoneNumber } from '../../platform/phone.js'
import type { Sms } from '../../platform/sms/sender.js'

/** For whom a text message is sent. */
interface SmsScope {
  readonly accountId: string
  readonly environment: Environment
  readonly organizationId: string
  /** Domain of the organization. */
  readonly domain: string
  /** Of the user, with whom a message that is kept is erased. */
  readonly email: string
}

/**
 * Where text messages of an environment go. Those of the sandbox are kept in the outbox, so that a test never reaches a
 * stranger; and, where nobody but this machine can reach the service and there is no provider, all are.
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
 * Checks that the operator has listed the country of a number, and that it is no premium or special one there: whoever
 * earns by messages to their own expensive numbers has these abroad, or among those. Without a list, and so without a
 * provider, any number is good enough for the outbox.
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
 * Sends a text message, or keeps it in the outbox.
 *
 * @param sms Its idempotencyKey is a UUID; a message that is kept replaces the one of an earlier attempt.
 * @throws Error when the provider does not take the message.
 */
export async function deliverSms(
  deps: Pick<Deps, 'config' | 'db' | 'sms' | 'now'>,
  scope: SmsScope,
  sms: Sms,
): Promise<void> {
  if (smsRouteOf(deps.config, scope.environment) === 'outbox') await keepSms(deps, scope, sms)
  else await deps.sms.send(sms)
}

async function keepSms({ db, now }: Pick<Deps, 'db' | 'now'>, scope: SmsScope, sms: Sms): Promise<void> {
  const content = {
    recipient: sms.to,
    email_normalized: normalizeEmail(scope.email),
    text: sms.body,
    inserted_at: now(),
  }
  await db
    .insertInto('outbox_messages')
    .values({
      account_id: scope.accountId,
      environment: scope.environment,
      id: sms.idempotencyKey,
      organization_id: scope.organizationId,
      domain: scope.domain,
      channel: 'sms',
      ...content,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'environment', 'id']).doUpdateSet(content))
    .execute()
}
