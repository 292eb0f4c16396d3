import type { Deps } from '../../delivery/deps.js'
import { limit } from '../../delivery/limits/limits.js'
import type { Caller } from '../../platform/tenant.js'

/** More than somebody who helps asks for, and too few to go through a list of addresses. */
const lookUpsPerMinute = limit('person-look-up', { windowSeconds: 60, most: () => 60 })
const lookUpsPerDay = limit('person-look-up-day', { windowSeconds: 24 * 60 * 60, most: () => 1000 })

/**
 * Counts the look-up of an address by a member of staff.
 *
 * @throws ApiError `rate_limited`
 */
export async function countLookUp(
  { limits }: Pick<Deps, 'limits'>,
  { accountId, environment, id, staff }: Caller,
): Promise<void> {
  if (staff === undefined) return
  const key = { accountId, environment, address: id }
  await limits.take(lookUpsPerMinute, key)
  await limits.take(lookUpsPerDay, key)
}
