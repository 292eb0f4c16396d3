import type { Deps } from '../deps.js'
import { limit, type LimitKey } from '../limits/limits.js'
import type { LimitState } from '../../platform/errors.js'

const messages = limit('sms', { windowSeconds: 60 * 60, most: (settings) => settings.smsPerHour })
const organizationMessages = limit('organization-sms', {
  windowSeconds: 60 * 60,
  most: (settings) => settings.smsPerOrganization,
})

/** A text message to a user. */
interface CountedSms extends Required<Omit<LimitKey, 'address'>> {
  readonly userId: string
  readonly phoneNumber: string
}

/**
 * Counts a text message per user, per number across the account, because several organizations may send to one number,
 * and per organization, which pays.
 *
 * @returns The state of the user's or the number's limit, whichever has less remaining.
 * @throws ApiError `rate_limited`
 */
export async function countSms(
  { limits }: Pick<Deps, 'limits'>,
  { userId, phoneNumber, ...organization }: CountedSms,
): Promise<LimitState> {
  const ofUser = await limits.take(messages, userKey({ ...organization, userId }))
  const ofNumber = await limits.take(messages, numberKey({ ...organization, phoneNumber }))
  // Last, so that a refused user does not consume the organization's limit.
  await limits.take(organizationMessages, organization)
  return ofNumber.remaining < ofUser.remaining ? ofNumber : ofUser
}

function userKey({ userId, ...organization }: Omit<CountedSms, 'phoneNumber'>): LimitKey {
  return { ...organization, address: userId }
}

function numberKey({ accountId, environment, phoneNumber }: Omit<CountedSms, 'userId'>): LimitKey {
  return { accountId, environment, address: phoneNumber }
}

/**
 * Forgets the text messages that count for a user and for their numbers; those of the organization stay.
 *
 * @returns How many there were.
 */
export async function forgetSms(
  { limits }: Pick<Deps, 'limits'>,
  { phoneNumbers, ...user }: Omit<CountedSms, 'phoneNumber'> & { readonly phoneNumbers: readonly string[] },
): Promise<number> {
  const keys = [userKey(user), ...phoneNumbers.map((phoneNumber) => numberKey({ ...user, phoneNumber }))]
  const counted = await Promise.all(keys.map((key) => limits.look(messages, key)))
  await Promise.all(keys.map((key) => limits.forget(messages, key)))
  return counted.reduce((sum, { count }) => sum + count, 0)
}
