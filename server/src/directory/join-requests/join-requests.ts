import type { JoinApproval, JoinRequest, JoinRequestQuery } from '@portico/contract/join-requests'
import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { organizationExists, whyNotFound } from '../../platform/db/organization-id.js'
import { emptyPage, newestFirst, readPage, type Page } from '../../platform/db/page.js'
import { countRows } from '../../platform/db/totals.js'
import { isOfVersion } from '../../platform/db/versions.js'
import { normalizeEmail } from '../../platform/email.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { findJoinRoleIds } from '../organization-policy/joining.js'
import { checkMayGive, getRoleIds } from '../role-ids.js'
import { admit, asApiError } from '../users/admit.js'
import { isPendingAt, toJoinRequest, type JoinRequestRow } from './record.js'
import { endJoinRequest, isOvertaken, joinRequestsOf, wholeJoinRequest, type JoinRequestEnd } from './rows.js'

/**
 * The join requests of an organization, newest first.
 *
 * @throws ApiError `organization_not_found`
 */
export async function listJoinRequests(
  { readDb, now }: Pick<Deps, 'readDb' | 'now'>,
  tenant: Tenant,
  { state, email, ...query }: JoinRequestQuery,
): Promise<Page<JoinRequest>> {
  const at = now()
  if (!(await organizationExists(readDb, tenant))) throw new ApiError('organization_not_found')
  if (state === null || email === null) return emptyPage(query)
  const all = joinRequestsOf(readDb, tenant)
    .$if(state !== undefined, (some) => some.where(isInState(state ?? '', at)))
    .$if(email !== undefined, (some) =>
      some.where('join_requests.email_normalized', '=', normalizeEmail(email ?? '')),
    )
  return readPage(
    {
      db: readDb,
      query,
      environment: tenant.environment,
      order: newestFirst,
      keys: all,
      table: 'join_requests',
      rows: joinRequestsOf(readDb, tenant).select(wholeJoinRequest()),
      total: () => countRows(all),
    },
    (row) => toJoinRequest(row, tenant, at),
  )
}

/** A pending request whose time is over, or that a user has overtaken, has expired. */
function isInState(state: string, at: Date) {
  return sql<boolean>`${state} = case
    when join_requests.state = 'pending' and (join_requests.expires_at <= ${at} or ${isOvertaken()}) then 'expired'
    else join_requests.state
  end`
}

/** @throws ApiError `organization_not_found`, `join_request_not_found` */
export async function getJoinRequest(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  id: string,
): Promise<Changed<JoinRequest>> {
  const row = await joinRequestsOf(db, tenant)
    .where('join_requests.id', '=', id)
    .select(wholeJoinRequest())
    .executeTakeFirst()
  if (row === undefined) throw await whyNotFound(db, tenant, 'join_request_not_found')
  return { record: toJoinRequest(row, tenant, now()), version: row.version }
}

/** A request to decide, and the versions in which it may be; undefined: any. */
interface Decision {
  readonly id: string
  readonly versions: readonly number[] | undefined
}

/**
 * Makes the user of a pending request. Seats and the domain of the address are looked at now, not when it was asked.
 *
 * @throws ApiError `organization_not_found`, `join_request_not_found`, `join_request_decided`, `precondition_failed`,
 *   `join_not_allowed`, `email_domain_not_allowed`, `sso_required`, `seats_exhausted`,
 *   `insufficient_scope` for roles without the scope to give them, and `invalid_parameters` for roles that are not there.
 */
export function approveJoinRequest(
  deps: Deps,
  caller: Pick<Caller, 'scopes'> & Tenant,
  { roles }: JoinApproval,
  decision: Decision,
): Promise<Changed<JoinRequest>> {
  checkMayGive(caller, roles)
  return change(deps, caller.cause, async (trx) => {
    const at = deps.now()
    const pending = await lockPending(trx, caller, decision, at)
    const { id, email } = pending
    const roleIds =
      roles === undefined ? await findJoinRoleIds(trx, caller) : await getRoleIds(trx, caller, roles)
    const userId = newId()
    const proved = { emailVerified: true, isAddressProven: true }
    const newcomer = { via: 'join', id: userId, email, ...proved, roles: { roleIds, sourceId: id } } as const
    const user = await admit(deps, trx, caller, newcomer).catch(asApiError)
    // In this moment somebody has the address.
    if (user === undefined) throw new ApiError('join_request_decided')
    const decider = caller.cause.actor
    return decide(deps, trx, caller, pending, { state: 'approved', decider, userId })
  })
}

/**
 * Denies a pending request.
 *
 * @throws ApiError `organization_not_found`, `join_request_not_found`, `join_request_decided`, `precondition_failed`
 */
export function denyJoinRequest(
  deps: Deps,
  tenant: Tenant,
  decision: Decision,
): Promise<Changed<JoinRequest>> {
  return change(deps, tenant.cause, async (trx) => {
    const pending = await lockPending(trx, tenant, decision, deps.now())
    return decide(deps, trx, tenant, pending, { state: 'denied', decider: tenant.cause.actor })
  })
}

/** Ends a locked request, and has its owner told by mail. */
async function decide(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, organization_id: organizationId }: JoinRequestRow,
  end: JoinRequestEnd,
): Promise<Changed<JoinRequest>> {
  const ended = await endJoinRequest(deps, trx, tenant, { id, end, at: deps.now() })
  if (ended === undefined) throw new ApiError('join_request_decided')
  const { accountId, environment } = tenant
  const payload = { accountId, environment, organizationId, joinRequestId: id, messageId: newId() }
  await enqueue(deps, trx, { name: 'send_join_decision', payload, accountId })
  return ended
}

/**
 * A request that is pending, locked until the transaction ends.
 *
 * @throws ApiError `organization_not_found`, `join_request_not_found`, `precondition_failed`, `join_request_decided`
 */
async function lockPending(
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, versions }: Decision,
  at: Date,
): Promise<JoinRequestRow> {
  const rows = joinRequestsOf(trx, tenant).where('join_requests.id', '=', id)
  const row = await rows
    .where(isOfVersion(versions, 'join_requests.version'))
    .select(wholeJoinRequest())
    .forNoKeyUpdate('join_requests')
    .executeTakeFirst()
  if (row === undefined) {
    const isOther = (await rows.select('join_requests.id').executeTakeFirst()) !== undefined
    throw isOther
      ? new ApiError('precondition_failed')
      : await whyNotFound(trx, tenant, 'join_request_not_found')
  }
  if (!isPendingAt(row, at)) throw new ApiError('join_request_decided')
  return row
}
