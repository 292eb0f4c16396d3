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
  const ofUser = await limits.take(messages, { ...organization, address: userId })
  const { accountId, environment } = organization
  const ofNumber = await limits.take(messages, { accountId, environment, address: phoneNumber })
  // Last, so that a refused user does not consume the organization's limit.
  await limits.take(organizationMessages, organization)
  return ofNumber.remaining < ofUser.remaining ? ofNumber : ofUser
}
