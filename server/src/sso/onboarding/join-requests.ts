import { JoinRequestQuery, type JoinRequest } from '@portico/contract/join-requests'
import { pathId, type Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import { limit } from '../../delivery/limits/limits.js'
import {
  approveJoinRequest,
  denyJoinRequest,
  listJoinRequests,
} from '../../directory/join-requests/join-requests.js'
import { ApiError } from '../../platform/errors.js'
import type { AdminSession } from '../admins/admin-session.js'
import { reachedEnvironments, reachedTenant } from './reached-tenant.js'

/** Approvals of one administrator within a day. */
const approvals = limit('join_approval', { windowSeconds: 24 * 60 * 60, most: () => 200 })

/** The page has no pagination: who is decided makes room for the others. */
const maxShown = 100

const JoinRequestId = pathId()

/** The requests that wait for a decision, and their number in all. */
export interface WaitingRequests {
  readonly requests: readonly JoinRequest[]
  readonly total: number
}

/** The environments that an administrator's invitation reaches, and in which people ask to join, production first. */
export async function listJoinEnvironments(
  { db }: Pick<Deps, 'db'>,
  session: AdminSession,
): Promise<Environment[]> {
  const { accountId, organizationId } = session
  const reached = reachedEnvironments(session)
  if (reached.length === 0) return []
  const rows = await db
    .selectFrom('organization_policies')
    .where(ofOrganization({ accountId, organizationId }))
    .where('environment', 'in', reached)
    .where('join_by_domain', '=', 'request')
    // The contract allows nothing else.
    .select(sql<Environment>`environment`.as('environment'))
    .orderBy('environment')
    .execute()
  return rows.map(({ environment }) => environment)
}

/** The pending requests of an environment, newest first; undefined where the invitation does not reach it. */
export async function listWaitingRequests(
  deps: Pick<Deps, 'db' | 'now'>,
  session: AdminSession,
  environment: string,
): Promise<WaitingRequests | undefined> {
  const tenant = reachedTenant(session, environment, '')
  if (tenant === undefined) return undefined
  // A request that was just decided must be gone: no replica is read.
  const query = JoinRequestQuery.parse({ state: 'pending', per_page: maxShown })
  const { data, total } = await listJoinRequests({ ...deps, readDb: deps.db }, tenant, query)
  return { requests: data, total }
}

/** A decision about a request of the page. */
interface PageDecision {
  readonly environment: string
  readonly joinRequestId: string
  readonly verdict: 'approve' | 'deny'
  readonly requestId: string
}

/**
 * Approves or denies a request, as the API does: whoever is approved gets the roles of the policy, and no others.
 *
 * @throws ApiError as of approveJoinRequest() and denyJoinRequest(), `organization_not_found` for an environment that the
 *   invitation does not reach, and `rate_limited` after too many approvals.
 */
export async function decideOnboardingRequest(
  deps: Deps,
  session: AdminSession,
  { environment, joinRequestId, verdict, requestId }: PageDecision,
): Promise<void> {
  const tenant = reachedTenant(session, environment, requestId)
  if (tenant === undefined) throw new ApiError('organization_not_found')
  const decision = { id: JoinRequestId.parse(joinRequestId), versions: undefined }
  if (verdict === 'deny') {
    await denyJoinRequest(deps, tenant, decision)
    return
  }
  await deps.limits.take(approvals, { ...tenant, address: session.adminId })
  await approveJoinRequest(deps, { ...tenant, scopes: [] }, {}, decision)
}
