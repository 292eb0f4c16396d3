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
 * Counts a text message by its user, by its number at the whole account, whose organizations are strangers to the
 * number's owner, and by the organization, which pays.
 *
 * @returns Where the user or the number stands, whichever is nearer to its end.
 * @throws ApiError `rate_limited`
 */
export async function takeSms(
  { limits }: Pick<Deps, 'limits'>,
  { userId, phoneNumber, ...organization }: CountedSms,
): Promise<LimitState> {
  const ofUser = await limits.take(messages, { ...organization, address: userId })
  const { accountId, environment } = organization
  const ofNumber = await limits.take(messages, { accountId, environment, address: phoneNumber })
  // Last, so that one user who is refused does not use up what others may be sent.
  await limits.take(organizationMessages, organization)
  return ofNumber.remaining < ofUser.remaining ? ofNumber : ofUser
}
