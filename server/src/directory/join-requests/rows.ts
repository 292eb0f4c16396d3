import type { EventCode } from '@portico/contract/event-catalog'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Actor, Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import { joinRequestColumns, toJoinRequest } from './record.js'

/** Every read of the join requests of an organization starts here, so that no query can forget its tenant. */
export function joinRequestsOf(
  db: Kysely<DB>,
  tenant: Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>,
) {
  return db.selectFrom('join_requests').where(ofTenant(tenant, 'join_requests'))
}

/** The columns of a request with what its address is by now. */
export function wholeJoinRequest() {
  return [...joinRequestColumns, isOvertaken().as('is_overtaken')] as const
}

/** Whether a user has the address of a request, as a part of a statement. */
export function isOvertaken() {
  return sql<boolean>`exists (
    select from users
    where ${sameTenant('users', 'join_requests')}
      and users.email_normalized = join_requests.email_normalized
      and users.deleted_at is null
  )`
}

/** The end of a pending request. */
export type JoinRequestEnd =
  | { readonly state: 'approved'; readonly decider: Actor; readonly userId: string }
  | { readonly state: 'denied'; readonly decider: Actor; readonly userId?: undefined }
  | { readonly state: 'expired'; readonly decider?: undefined; readonly userId?: undefined }

const codes = {
  approved: 'invitation.join_request.approve.success',
  denied: 'invitation.join_request.deny.success',
  expired: 'invitation.join_request.expire.success',
} as const satisfies Record<JoinRequestEnd['state'], EventCode>

/**
 * Ends a pending request, once: of an approval, a denial and its time the first one decides.
 *
 * @returns Undefined when it is not pending any more.
 */
export async function endJoinRequest(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, end, at }: { readonly id: string; readonly end: JoinRequestEnd; readonly at: Date },
) {
  const { state, decider, userId = null } = end
  const ended = await trx
    .updateTable('join_requests')
    .set({
      state,
      user_id: userId,
      decider_type: decider?.type ?? null,
      decider_id: decider?.id ?? null,
      ended_at: at,
      updated_at: at,
      version: sql`version + 1`,
    })
    .where(ofTenant(tenant))
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .returning('id')
    .executeTakeFirst()
  if (ended === undefined) return undefined
  return emitJoinRequest(deps, trx, tenant, { id, code: codes[state], at })
}

interface Emission {
  readonly id: string
  readonly code: Extract<EventCode, `invitation.join_request.${string}`>
  readonly at: Date
}

/** Emits an event with a request as the transaction has left it. */
export async function emitJoinRequest(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, code, at }: Emission,
) {
  const row = await joinRequestsOf(trx, tenant)
    .where('join_requests.id', '=', id)
    .select(wholeJoinRequest())
    .executeTakeFirstOrThrow()
  return emit(deps, trx, tenant, {
    code,
    record: toJoinRequest(row, tenant, at),
    version: row.version,
    organizationId: row.organization_id,
    email: row.email_normalized,
    ...(row.user_id !== null && { subjectId: row.user_id }),
  })
}
