import { sql, type RawBuilder } from 'kysely'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

/**
 * Records the application of a consumed code as one of its session's, which is told when the session ends. The session is
 * locked, so that an end of it comes before the exchange, and refuses it, or after it, and finds the application.
 *
 * @param at The time of the exchange.
 * @returns A part of the statement that consumes the code, on its rows of `consumed` that are not refused; it yields a
 *   row where the session has not ended.
 */
export function recordSessionClient(at: Date): RawBuilder<unknown> {
  return sql`
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
    where consumed.refusal is null
    on conflict (account_id, organization_id, environment, session_id, application_id)
    do update set issuer = excluded.issuer, last_used_at = excluded.last_used_at
    returning session_clients.session_id`
}
