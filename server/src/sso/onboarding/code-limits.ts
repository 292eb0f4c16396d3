import type { Deps } from '../../delivery/deps.js'
import { limit, type LimitKey } from '../../delivery/limits/limits.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import { attemptSignIn, type SignInAttempt } from '../../sign-in/flows/attempts.js'

/** A code is good for ten minutes; whoever has the link could fill a mailbox with them. */
const codes = limit('admin-code', { windowSeconds: 10 * 60, most: () => 3 })
/** Of one network there can be 18. */
const codesOfLink = limit('admin-code-link', { windowSeconds: 60 * 60, most: () => 30 })
/**
 * Of one network there can be some 50, as each lock lasts longer than the one before. In the 30 days of a link that is one
 * chance in 330 to guess six digits, for somebody with many networks of whom the owner hears thirty times an hour.
 */
const triesOfLink = limit('admin-code-tries', { windowSeconds: 24 * 60 * 60, most: () => 100 })

/** The link of an invitation, at the network where it is opened. */
interface OpenedLink {
  readonly accountId: string
  readonly linkId: string
  readonly ip: string
}

/**
 * Counts a code that is mailed to an administrator whose invitation is opened, by where it is opened: whoever else has
 * the link does not keep its owner out. Over all networks there is a limit that one alone cannot reach.
 *
 * @throws ApiError `rate_limited`
 */
export async function takeAdminCode(
  { limits }: Pick<Deps, 'limits'>,
  { accountId, linkId, ip }: OpenedLink,
): Promise<void> {
  const account = { accountId, environment: '' }
  await limits.take(codes, { ...account, address: `${linkId} ${networkOfClient(ip)}` })
  // Last, so that what one network is refused does not use up what is left for others.
  await limits.take(codesOfLink, { ...account, address: linkId })
}

/**
 * Counts a code that is typed, in the same two ways, before it is looked at.
 *
 * @returns What to do when the code was right; undefined when whatever was typed is to be answered as wrong.
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
