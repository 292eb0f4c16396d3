import type { Deps } from '../../delivery/deps.js'
import { limit } from '../../delivery/limits/limits.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import { OAuthFailure } from './oauth-failure.js'

/** Refused client authentications, and codes and refresh tokens of clients without any, by network. */
const failedGrants = limit('grant', {
  windowSeconds: 60,
  most: (settings) => settings.failedGrantsPerMinute,
})

/**
 * Runs a request of a client, unless its network has had too many refused, and counts its refusal.
 *
 * @throws OAuthFailure of the request; ApiError `rate_limited`
 */
export async function countingFailures<Answer>(
  { limits }: Pick<Deps, 'limits'>,
  ip: string,
  request: () => Promise<Answer>,
): Promise<Answer> {
  const network = networkOfClient(ip)
  limits.check(failedGrants, network)
  try {
    return await request()
  } catch (error) {
    if (error instanceof OAuthFailure && isCounted.has(error.error)) await limits.note(failedGrants, network)
    throw error
  }
}

const isCounted: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client'])
