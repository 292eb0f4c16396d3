import type { StepScene } from '../frame/step-page.js'

/**
 * Tries what a complete form has sent, and could be a guess. It counts at the network that it came from before it is
 * looked at, so that of many at once no more are than may be, and no longer once it was right.
 *
 * @throws ApiError `rate_limited` when too many of the network were wrong.
 */
export async function guess<Outcome>(
  { deps, ip }: StepScene,
  attempt: () => Promise<Outcome>,
  isRight: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  const counted = await deps.limits.attemptFrom(ip)
  const outcome = await attempt()
  if (isRight(outcome)) await counted.succeed()
  return outcome
}
