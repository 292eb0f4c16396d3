import { maxInvitationMailsPerDay } from '@portico/contract/invitations'
import type { LimitState } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { limit } from '../../delivery/limits/limits.js'
import { mails } from '../../delivery/mail/mail-limits.js'

const daySeconds = 24 * 60 * 60

/** Invitations that an organization creates, so that nobody mails strangers by it. */
export const invitationsOfDay = limit('invitation', {
  windowSeconds: daySeconds,
  most: (settings) => settings.invitationsPerDay,
})

/** Of one address, so that revoking and inviting again mails no more often than sending again. */
const mailsOfDay = limit('invitation-mail', {
  windowSeconds: daySeconds,
  most: () => maxInvitationMailsPerDay,
})

/**
 * Counts a mail to an invited address.
 *
 * @param address Normalized.
 * @throws ApiError `rate_limited`: six times a day by the organization, and as often as an address is mailed.
 */
export async function takeMail(
  { limits }: Pick<Deps, 'limits'>,
  tenant: Tenant,
  address: string,
): Promise<LimitState> {
  await limits.take(mailsOfDay, { ...tenant, address })
  return limits.take(mails, { ...tenant, address })
}
