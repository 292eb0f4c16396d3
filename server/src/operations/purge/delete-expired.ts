import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { dropLogEventMonths } from '../../delivery/log-events/months.js'
import { numberAllEvents } from '../../delivery/events/number-events.js'

const batchSize = 1_000
const dayMs = 24 * 60 * 60 * 1000

/** A reader who was away for a quarter can still go on; after that they are personal data without a use. */
const eventDays = 90

/** Deletes expired rows in batches, so that no statement locks many rows for long. */
export async function deleteExpired({ config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>): Promise<void> {
  const at = now()
  const daysAgo = (days: number) => new Date(at.getTime() - days * dayMs)
  const expired: [keyof DB, RawBuilder<boolean>][] = [
    ['idempotency_keys', sql`expires_at <= ${at}`],
    ['rate_limits', sql`expire <= ${at.getTime()}`],
    // A day after expiry, so that a late attempt differs from an invented one.
    ['authorization_codes', sql`expires_at <= ${daysAgo(1)}`],
    ['magic_link_challenges', sql`expires_at <= ${daysAgo(1)}`],
    ['passkey_ceremonies', sql`expires_at <= ${at}`],
    ['password_requests', sql`expires_at <= ${daysAgo(1)}`],
    ['pending_sign_ins', sql`expires_at <= ${daysAgo(1)}`],
    ['relay_requests', sql`expires_at <= ${daysAgo(1)}`],
    ['totp_challenges', sql`expires_at <= ${daysAgo(1)}`],
    // Begun and never validated.
    ['totp_enrollments', sql`validated_at is null and pending_expires_at <= ${daysAgo(1)}`],
    ['saml_requests', sql`expires_at <= ${daysAgo(1)}`],
    ['oidc_requests', sql`expires_at <= ${daysAgo(1)}`],
    ['social_requests', sql`expires_at <= ${daysAgo(1)}`],
    ['saml_arrivals', sql`expires_at <= ${at}`],
    ['social_arrivals', sql`expires_at <= ${at}`],
    // Those whose link works, and those after which the address is not changed, are not over yet.
    ['deletion_requests', sql`expires_at <= ${at}`],
    ['email_changes', sql`expires_at <= ${at}`],
    ['passkey_recoveries', sql`expires_at <= ${at}`],
    // As long as the assertion itself would be accepted.
    ['saml_seen_assertions', sql`expires_at <= ${at}`],
    ['client_assertions', sql`expires_at <= ${at}`],
    ['sso_admin_sessions', sql`expires_at <= ${daysAgo(1)}`],
    // With the sessions that they have opened.
    ['sso_admin_links', sql`expires_at <= ${daysAgo(1)}`],
    ['sso_challenges', sql`expires_at <= ${daysAgo(1)}`],
    ['sso_login_traces', sql`inserted_at <= ${daysAgo(30)}`],
    ['scim_requests', sql`inserted_at <= ${daysAgo(7)}`],
    ['sign_in_flows', sql`expires_at <= ${daysAgo(1)}`],
    ['email_challenges', sql`expires_at <= ${daysAgo(1)}`],
    ['account_flows', sql`expires_at <= ${daysAgo(1)}`],
    ['discoveries', sql`expires_at <= ${daysAgo(1)}`],
    ['email_sessions', sql`expires_at <= ${daysAgo(1)}`],
    // As long as a replayed token must differ from an invented one.
    ['refresh_token_families', sql`expires_at <= ${daysAgo(30)}`],
    ['ended_families', sql`expires_at <= ${at}`],
    // A session that was ended keeps its expiry, so that one index finds both.
    ['sessions', sql`expires_at <= ${daysAgo(30)} and coalesce(offline_until <= ${daysAgo(30)}, true)`],
    // As long as the events about them.
    ['invitations', sql`ended_at <= ${daysAgo(eventDays)}`],
    ['join_requests', sql`ended_at <= ${daysAgo(eventDays)}`],
    ['impersonations', sql`expires_at <= ${daysAgo(eventDays)}`],
    // The rest of the month of the limit; whole months are dropped above.
    ['log_events', sql`inserted_at <= ${daysAgo(config.logRetentionDays)}`],
    // The home page of the console shows 90 days.
    ['log_event_counts', sql`hour <= ${daysAgo(91)}`],
    ['audit_entries', sql`inserted_at <= ${daysAgo(config.logRetentionDays)}`],
    ['outbox_messages', sql`inserted_at <= ${daysAgo(30)}`],
    // The time of a failure is not stored; no schedule of attempts is longer than the five days on top of the thirty.
    ['jobs', sql`run_at = 'infinity' and inserted_at <= ${daysAgo(35)}`],
  ]
  await dropLogEventMonths({ db }, daysAgo(config.logRetentionDays))
  for (const [table, condition] of expired) await deleteWhere(db, table, condition)
  await deleteOldEvents(db, daysAgo(eventDays))
  await eraseDeletedWebhooks(db)
}

/** Erases webhooks that were deleted, their deliveries first: the cascade of one with many would take too long. */
async function eraseDeletedWebhooks(db: Kysely<DB>): Promise<void> {
  // eslint-disable-next-line portico/tenant -- a worker erases the webhooks of every account
  const deleted = await db
    .selectFrom('webhooks')
    .where('deleted_at', 'is not', null)
    .select(['account_id', 'environment', 'id'])
    .execute()
  for (const { account_id, environment, id } of deleted) {
    const ofOwner = sql`account_id = ${account_id} and environment = ${environment}`
    await deleteWhere(db, 'webhook_deliveries', sql`${ofOwner} and webhook_id = ${id}`)
    await deleteWhere(db, 'webhooks', sql`${ofOwner} and id = ${id} and deleted_at is not null`)
  }
}

/**
 * Deletes old events, and records how far each stream has lost them, so that readers learn that they missed some. Their positions go
 * with them, by a trigger: they are read before, because a cluster runs the parts of a statement that write one after the other.
 */
async function deleteOldEvents(db: Kysely<DB>, before: Date): Promise<void> {
  await numberAllEvents(db)
  for (;;) {
    const { rows } = await sql<{ deleted: number }>`
      with expired as (
        select account_id, environment, id from events
        where issued_at <= ${before} limit ${batchSize} for update skip locked
      ), noted as (
        insert into event_horizons (account_id, environment, position)
        select account_id, environment, max(place.position)
        from expired cross join lateral (
          select position from event_positions
          where account_id = expired.account_id and environment = expired.environment and event_id = expired.id
          offset 0
        ) place
        group by account_id, environment order by account_id, environment
        on conflict (account_id, environment)
        do update set position = greatest(event_horizons.position, excluded.position)
      ), deleted as (
        delete from events using expired
        where events.account_id = expired.account_id and events.environment = expired.environment and events.id = expired.id
        returning events.id
      )
      select count(*)::integer as deleted from deleted`.execute(db)
    if ((rows[0]?.deleted ?? 0) < batchSize) return
  }
}

async function deleteWhere(db: Kysely<DB>, table: keyof DB, condition: RawBuilder<boolean>): Promise<void> {
  for (;;) {
    // An array and not a join, which a planner with old statistics would run once per row. The condition is repeated
    // because a ctid is unique only within a partition.
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ${condition} and ctid = any(array(
        select ctid from ${sql.table(table)} where ${condition} limit ${batchSize} for update skip locked
      ))`.execute(db)
    if (numAffectedRows < batchSize) return
  }
}
