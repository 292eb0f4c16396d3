import { limit, networkKey } from '../../delivery/limits/limits.js'
import type { StepScene } from '../frame/step-page.js'

/** Attempts at the pages, by where they come from, whatever they are at. */
const attemptsOfNetwork = limit('ip-sign-in', {
  windowSeconds: 15 * 60,
  most: (settings) => settings.attemptsPerIp,
})

/**
 * Tries what a complete form has sent, and could be a guess. It counts at the network that it came from before it is
 * looked at, so that of many at once no more are than may be, and no longer once it was right.
 *
 * @throws ApiError `rate_limited` when too many of the network were wrong.
 */
export async function guess<Outcome>(
  { deps, ip }: Pick<StepScene, 'deps' | 'ip'>,
  attempt: () => Promise<Outcome>,
  isRight: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  const network = networkKey(ip)
  await deps.limits.take(attemptsOfNetwork, network)
  const outcome = await attempt()
  if (isRight(outcome)) await deps.limits.takeBack(attemptsOfNetwork, network)
  return outcome
}
