import type { Deps } from '../../delivery/deps.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { companion } from '../../platform/db/statement.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import type { AuthorizingClient } from '../oauth/authorizing-client.js'
import type { DecidingBrowser } from '../oauth/organization-decision.js'
import { enterOrganization, type EnteredOrganization } from '../oauth/organization-entrance.js'
import { findClientAt } from '../oauth/requested-organization.js'
import {
  findArrived,
  overAt,
  takeArrived,
  toProof,
  type ArrivedSecret,
  type DiscoveryRow,
} from './discovery.js'
import type { ArrivedToken } from './open-discovery-link.js'
import { listOffered } from './organizations.js'

/** The discovery that goes on at a page, which this does not change; undefined when it cannot. */
export async function findContinued(
  deps: Pick<Deps, 'db' | 'now'>,
  arrived: ArrivedToken,
): Promise<DiscoveryRow | undefined> {
  const [row] = await findArrived(deps.db, toSecret(deps, arrived))
  return row
}

/**
 * Begins what is missing of a discovery, once, in the browser that has pressed the button: everything else happens in this one. The
 * organization is looked up again, since it may be gone.
 *
 * @returns Undefined when the address is refused.
 * @throws ApiError `rate_limited` when the network has begun too many sign-ins.
 */
export async function continueDiscovery(
  deps: Deps,
  arrived: ArrivedToken,
  browser: DecidingBrowser,
): Promise<EnteredOrganization | undefined> {
  const found = await findContinued(deps, arrived)
  if (found?.request?.organization === undefined) return undefined
  const { account_id: accountId, environment, application_id: applicationId, request } = found
  const { accountDomain } = arrived
  const { redirect_uri: redirectUri } = found
  const [entry] = await listOffered(deps, { accountId, environment }, found, found.request.organization)
  const place = { accountId, accountDomain, environment, applicationId, redirectUri }
  const client = entry && (await findClientAt(deps, place, { domain: entry.domain }))
  if (entry === undefined || client === undefined) {
    deps.metrics.countEntrance('not_offered')
    return undefined
  }
  const { email, email_normalized: emailNormalized } = found
  return enterOrganization(deps, { accountDomain, redirectUri, request, accountFlowId: null }, browser, {
    client,
    email,
    proof: toProof(found),
    isProofOlder: isOlder(found, deps.now()),
    createdBy: entry.createdBy,
    consume: async (db) => {
      const secret = toSecret(deps, arrived)
      if (db.isTransaction) await lockUser(db, { ...client, emailNormalized })
      const [taken] = await takeArrived(db, { ...secret, ...overAt(secret.at) })
      if (taken === undefined) throw new ApiError('discovery_not_found')
    },
  }).catch(asDeadLink)
}

/** For how long after the link was opened it proves who sits there: the time to choose an organization. */
const freshMs = 10 * 60 * 1000

/** Whether the proof is of before: a link that the API has returned proves nobody to be there. */
function isOlder({ proved_at: provedAt, is_link_returned: isLinkReturned }: DiscoveryRow, at: Date): boolean {
  return isLinkReturned || at.getTime() - provedAt.getTime() > freshMs
}

/** Another request has consumed the address first, or the sessions of the user were ended. */
function asDeadLink(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'discovery_not_found') return undefined
  throw error
}

interface UserOfClient extends Pick<AuthorizingClient, 'accountId' | 'environment' | 'organizationId'> {
  readonly emailNormalized: string
}

/** Before the discovery, as what ends the sessions of the user locks them. */
const lockUser = companion((db, user: UserOfClient) =>
  db
    .selectFrom('users')
    .where(ofOwner(user))
    .where('email_normalized', '=', user.emailNormalized)
    .where('deleted_at', 'is', null)
    .select('id')
    .forNoKeyUpdate(),
)

function toSecret({ now }: Pick<Deps, 'now'>, { accountDomain, token }: ArrivedToken): ArrivedSecret {
  return { accountDomain, step: 'continue', secretHash: hashSecret(token), at: now() }
}
