import type { LogEventCode } from '@portico/contract/log-events'
import { sql, type Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { DB } from '../../platform/db/schema.js'
import { insertFrom } from '../../platform/db/insert-if.js'

/** What is logged of a grant. */
interface GrantEvents {
  readonly granted: LogEventCode
  readonly refused: LogEventCode
}

/** Counts a grant in the metrics as it is logged. */
export function countGrant(
  { metrics }: Pick<Deps, 'metrics'>,
  { granted, refused }: GrantEvents,
  { reason }: { readonly reason: string | null },
): void {
  metrics.countSignIn(reason === null ? granted : refused)
}

/**
 * Logs a grant as a part of the statement that decides it, from its rows of `decided`: the grant with its user, and the `reason` of a
 * refusal, of which the address is not logged.
 */
export function insertGrantEvent(
  db: Kysely<DB>,
  { granted, refused }: GrantEvents,
  request: { readonly requestId: string; readonly at: Date },
) {
  const isGranted = sql`decided.reason is null`
  return insertFrom(
    db,
    'log_events',
    {
      account_id: sql.ref('decided.account_id'),
      environment: sql.ref('decided.environment'),
      organization_id: sql.ref('decided.organization_id'),
      domain: sql.ref('decided.domain'),
      event_code: sql`case when ${isGranted} then ${sql.lit(granted)} else ${sql.lit(refused)} end`,
      client_id: sql.ref('decided.application_id'),
      email: sql`case when ${isGranted} then decided.email end`,
      email_normalized: sql`case when ${isGranted} then decided.email_normalized end`,
      resource_owner_id: sql.ref('decided.user_id'),
      reason: sql.ref('decided.reason'),
      request_id: request.requestId,
      inserted_at: request.at,
    },
    sql`from decided`,
  )
}
