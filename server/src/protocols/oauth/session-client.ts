import type { Environment } from '@portico/contract/fields'
import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

interface SessionClient {
  readonly account_id: string
  readonly environment: Environment
  readonly organization_id: string
  readonly session_id: string
  readonly application_id: string
}

/**
 * Records the application of a consumed code as one of its session's, which is told when the session ends. The session is
 * locked, so that an end of it comes before the exchange, and refuses it, or after it, and finds the application.
 *
 * @param at The time of the exchange.
 * @returns A statement for `with`, on rows of `consumed`; it yields a row where the session has not ended, and whether it is the
 *   application's first code of the session.
 */
export function recordSessionClient(at: Date): RawBuilder<{ readonly is_first: boolean }> {
  // In brackets, which `with` leaves to a part that is written in SQL.
  return sql`(
    insert into session_clients (
      account_id, environment, organization_id, session_id, application_id, issuer, first_used_at, last_used_at
    )
    select consumed.account_id, consumed.environment, consumed.organization_id, consumed.session_id,
      consumed.application_id,
      case consumed.issuer when 'account' then '/a/' || consumed.account_domain else '/t/' || consumed.domain end,
      ${at}::timestamptz, ${at}::timestamptz
    from consumed cross join lateral (
      select from sessions
      where ${sameTenant('sessions', 'consumed')}
        and sessions.id = consumed.session_id
        and sessions.ended_at is null
      for no key update
    ) held
    where consumed.is_application_usable
    on conflict (account_id, organization_id, environment, session_id, application_id)
    do update set issuer = excluded.issuer, last_used_at = excluded.last_used_at
    -- A row that was there before has been locked by this update.
    returning (session_clients.xmax = 0) as is_first
  )`
}

/** Deletes what a refused exchange has recorded: its application has had no token of the session. */
export async function forgetSessionClient(trx: Transaction<DB>, consumed: SessionClient): Promise<void> {
  await trx
    .deleteFrom('session_clients')
    .where('account_id', '=', consumed.account_id)
    .where('environment', '=', consumed.environment)
    .where('organization_id', '=', consumed.organization_id)
    .where('session_id', '=', consumed.session_id)
    .where('application_id', '=', consumed.application_id)
    .execute()
}
