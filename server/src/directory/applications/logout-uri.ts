import type { NewApplication } from '@portico/contract/applications'
import { invalid } from '../../platform/errors.js'
import { isTargetAllowed, targetRefusal } from '../../platform/outbound/target.js'
import type { Deps } from '../../delivery/deps.js'

/**
 * Refuses an address that logout tokens would not be sent to; it is checked again at each connection.
 *
 * @throws ApiError `invalid_parameters`
 */
export function checkLogoutUri(
  { config }: Pick<Deps, 'config'>,
  { backchannel_logout_uri: uri }: Pick<NewApplication, 'backchannel_logout_uri'>,
): void {
  if (uri == null || isTargetAllowed(uri, config.outbound)) return
  throw invalid('backchannel_logout_uri', 'not_allowed', targetRefusal(config.outbound))
}
