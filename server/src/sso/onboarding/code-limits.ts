import type { Deps } from '../../delivery/deps.js'
import { limit, type LimitKey } from '../../delivery/limits/limits.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import { attemptSignIn, type SignInAttempt } from '../../sign-in/flows/attempts.js'

/** A code is valid for ten minutes; a holder of the link could fill a mailbox with them. */
const codes = limit('admin-code', { windowSeconds: 10 * 60, most: () => 3 })
/** One network can request 18 of them. */
const codesOfLink = limit('admin-code-link', { windowSeconds: 60 * 60, most: () => 30 })
/**
 * One network can make some 50, as each lock lasts longer than the one before. In the 30 days of a link that is a chance of
 * one in 330 to guess six digits, for an attacker with many networks, while its owner gets thirty mails an hour.
 */
const triesOfLink = limit('admin-code-tries', { windowSeconds: 24 * 60 * 60, most: () => 100 })

/** The link of an invitation, at the network where it is opened. */
interface OpenedLink {
  readonly accountId: string
  readonly linkId: string
  readonly ip: string
}

/**
 * Counts a code that is mailed, by the link and the network that opens it: another holder of the link does not lock out its
 * owner. A second limit is over all networks, and one network cannot reach it.
 *
 * @throws ApiError `rate_limited`
 */
export async function countAdminCode(
  { limits }: Pick<Deps, 'limits'>,
  { accountId, linkId, ip }: OpenedLink,
): Promise<void> {
  const account = { accountId, environment: '' }
  await limits.take(codes, { ...account, address: `${linkId} ${networkOfClient(ip)}` })
  // Last, so that refused requests of one network do not use up what is left for others.
  await limits.take(codesOfLink, { ...account, address: linkId })
}

/**
 * Counts an entered code in the same two ways, before it is compared.
 *
 * @returns The attempt, to end when the code is right; undefined when any code is to be answered as wrong.
 * @throws ApiError `rate_limited` when the organization has too many attempts.
 */
export async function attemptAdminCode(
  deps: Pick<Deps, 'config' | 'limits'>,
  { linkId, ip, ...organization }: OpenedLink & Required<Omit<LimitKey, 'address'>>,
): Promise<SignInAttempt | undefined> {
  const address = `sso_admin_link:${linkId} ${networkOfClient(ip)}`
  const attempt = await attemptSignIn(deps, { ...organization, address })
  if (attempt.isLocked) return undefined
  const { count, state } = await deps.limits.add(triesOfLink, { ...organization, address: linkId })
  return count > state.limit ? undefined : attempt
}
