import { limit, networkKey } from '../../delivery/limits/limits.js'
import type { StepRequest } from '../frame/step-page.js'

/** Attempts on the pages per network, for all steps together. */
const attemptsOfNetwork = limit('ip-sign-in', {
  windowSeconds: 15 * 60,
  most: (settings) => settings.attemptsPerIp,
})

/**
 * Runs an attempt that could be a guess. It is counted against its network before it runs, so that concurrent attempts
 * cannot exceed the limit, and given back when it was right.
 *
 * @throws ApiError `rate_limited` when too many attempts of the network were wrong.
 */
export async function guess<Outcome>(
  { deps, ip }: Pick<StepRequest, 'deps' | 'ip'>,
  attempt: () => Promise<Outcome>,
  isRight: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  const network = networkKey(ip)
  await deps.limits.take(attemptsOfNetwork, network)
  const outcome = await attempt()
  if (isRight(outcome)) await deps.limits.takeBack(attemptsOfNetwork, network)
  return outcome
}
