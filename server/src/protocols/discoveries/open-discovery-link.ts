import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { withParameters } from '../../directory/sessions/complete-sign-in.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { causeBy } from '../../platform/tenant.js'
import { findArrived, makeSecret, stepTo, takeArrived, type DiscoveryRow } from './discovery.js'

/** A secret in the address of a page, and the account of its path. */
export interface ArrivedToken {
  readonly accountDomain: string
  readonly token: string
}

/** The discovery whose link is open, which this does not change; undefined when the link would prove nothing. */
export async function findOpenDiscoveryLink(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { accountDomain, token }: ArrivedToken,
): Promise<DiscoveryRow | undefined> {
  const [row] = await findArrived(db, {
    accountDomain,
    step: 'link',
    secretHash: hashSecret(token),
    at: now(),
  })
  return row
}

/**
 * Consumes a link, once: its address is proved, and the application gets a code to exchange.
 *
 * @returns Where the browser goes; undefined when the link is refused.
 */
export async function openDiscoveryLink(
  deps: Deps,
  { accountDomain, token }: ArrivedToken,
  requestId: string,
): Promise<string | undefined> {
  const at = deps.now()
  const code = makeSecret('code', at)
  const secretHash = hashSecret(token)
  const { record } = await change(deps, causeBy(requestId, 'system', 'magic_link'), async (trx) => {
    const [taken] = await takeArrived(trx, { accountDomain, step: 'link', secretHash, at, ...stepTo(code) })
    if (taken === undefined) return { record: undefined }
    await logEvent(deps, trx, {
      accountId: taken.account_id,
      environment: taken.environment,
      domain: accountDomain,
      code: 'ACCOUNT_SIGN_IN_PROVED',
      clientId: taken.application_id,
      email: taken.email,
      requestId,
    })
    const parameters = { discovery_code: code.secret, request_id: taken.id }
    return { record: withParameters(taken.redirect_uri, parameters) }
  })
  return record
}
