import type { Discovery, DiscoveryExchange } from '@portico/contract/discovery'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller } from '../../platform/tenant.js'
import { findDiscovery, makeSecret, stepTo, takeDiscovery } from './discovery.js'
import { listDiscovered } from './organizations.js'
import { toDiscovery } from './record.js'

/**
 * Exchanges the code of a link, once, for a token and the organizations that the owner of the address can enter.
 *
 * @throws ApiError `discovery_not_found`
 */
export async function exchangeDiscoveryCode(
  deps: Deps,
  caller: Caller,
  { discovery_code: code }: DiscoveryExchange,
): Promise<Changed<Discovery>> {
  const { accountId, environment } = caller
  const at = deps.now()
  const key = { accountId, environment, step: 'code' as const, secretHash: hashSecret(code), at }
  const [found] = await findDiscovery(deps.db, key)
  if (found === undefined) throw new ApiError('discovery_not_found')
  // Before the code is taken: a fault in between does not cost the user another mail.
  const organizations = await listDiscovered(deps, caller, found)
  const token = makeSecret('token', at)
  return change(deps, caller.cause, async (trx) => {
    const [taken] = await takeDiscovery(trx, { ...key, ...stepTo(token) })
    if (taken === undefined) throw new ApiError('discovery_not_found')
    return { record: toDiscovery(caller, { ...found, token, organizations }) }
  })
}
