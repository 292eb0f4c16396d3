import type { JoinRequest, JoinRequestState } from '@portico/contract/join-requests'
import type { Selectable } from 'kysely'
import type { JoinRequests } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

export const joinRequestColumns = [
  'join_requests.organization_id',
  'join_requests.id',
  'join_requests.email',
  'join_requests.email_normalized',
  'join_requests.state',
  'join_requests.decider_type',
  'join_requests.decider_id',
  'join_requests.user_id',
  'join_requests.expires_at',
  'join_requests.ended_at',
  'join_requests.version',
  'join_requests.inserted_at',
  'join_requests.updated_at',
] as const

export type JoinRequestRow = Omit<Selectable<JoinRequests>, 'account_id' | 'environment' | 'locale'> & {
  /** A user has the address: there is nothing to decide any more. */
  readonly is_overtaken: boolean
}

/** @param at Now: a request whose time is over, or that a user has overtaken, has expired, also where nothing has turned it yet. */
export function toJoinRequest(
  row: JoinRequestRow,
  { domain, environment }: Pick<Tenant, 'domain' | 'environment'>,
  at: Date,
): JoinRequest {
  const { decider_type: type, decider_id: id } = row
  const decided_by = type === null || id === null ? null : { type, id }
  return {
    __type__: 'JoinRequest',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    email: row.email,
    state: stateAt(row, at),
    decided_by,
    decided_at: decided_by === null ? null : (row.ended_at?.toISOString() ?? null),
    user_id: row.user_id,
    expires_at: row.expires_at.toISOString(),
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** Whether a request waits for a decision. */
export function isPendingAt(row: JoinRequestRow, at: Date): boolean {
  return row.state === 'pending' && row.expires_at > at && !row.is_overtaken
}

function stateAt(row: JoinRequestRow, at: Date): JoinRequestState {
  // A check of the table allows nothing else.
  return row.state === 'pending' && !isPendingAt(row, at) ? 'expired' : (row.state as JoinRequestState)
}
