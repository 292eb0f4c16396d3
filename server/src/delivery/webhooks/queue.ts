import { randomUUID } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { SentEvent } from '../events/webhook-event.js'
import { sameEnvironment } from '../../platform/db/tenant-predicate.js'

/** A delivery claimed by this process, with its webhook and its event. */
export interface ClaimedDelivery extends SentEvent {
  readonly account_id: string
  readonly lease: string
  /** 1 for the first attempt since its creation or its last manual redelivery. */
  readonly place_in_schedule: number
  readonly webhook_id: string
  readonly target_url: string
  readonly retry_on_timeout: boolean
  readonly signature_key_sealed: Buffer
  readonly previous_signature_key_sealed: Buffer | null
  readonly previous_signature_key_expires_at: Date | null
  readonly failing_since: Date | null
}

/** The earliest pending delivery of each webhook, read without any other; for `with recursive`. */
export const earliestDeliveries = sql`earliest as (
  (
    select webhook_id, run_at, account_id, environment, id from webhook_deliveries
    where state = 'pending' order by webhook_id, run_at limit 1
  )
  union all
  select next.* from earliest cross join lateral (
    select webhook_id, run_at, account_id, environment, id from webhook_deliveries
    where state = 'pending' and webhook_id > earliest.webhook_id
    order by webhook_id, run_at limit 1
  ) next
)`

/** A webhook with a due delivery. */
export interface DueWebhook {
  readonly webhookId: string
  readonly isFailing: boolean
}

/**
 * The webhooks with due deliveries, found by reading one delivery of each; inactive webhooks only count with a due test
 * event.
 */
export async function findDueWebhooks(db: Kysely<DB>, at: Date): Promise<DueWebhook[]> {
  const { rows } = await sql<DueWebhook>`
    with recursive ${earliestDeliveries}
    select earliest.webhook_id as "webhookId", webhooks.failing_since is not null as "isFailing"
    from earliest
    join webhooks on webhooks.id = earliest.webhook_id and webhooks.deleted_at is null
    where earliest.run_at <= ${at} and (webhooks.active or exists (
      select from webhook_deliveries
      where state = 'pending' and event_code = 'webhook.webhook.test.success'
        and webhook_id = earliest.webhook_id and run_at <= ${at}
    ))`.execute(db)
  return rows
}

/** How many deliveries to a webhook may be claimed. */
export interface Room {
  readonly webhookId: string
  /** While it answers, and while it fails: then single attempts probe whether it has recovered. */
  readonly healthy: number
  readonly failing: number
}

/**
 * Claims due deliveries, of each webhook as many as there is room for, oldest first; parallel claims get different ones.
 * Of an inactive webhook only test events are claimed.
 */
export async function claimDeliveries(
  db: Kysely<DB>,
  { at, leaseUntil, rooms }: { at: Date; leaseUntil: Date; rooms: readonly Room[] },
): Promise<ClaimedDelivery[]> {
  return claim(db, {
    at,
    leaseUntil,
    lease: randomUUID(),
    webhookIds: rooms.map((room) => room.webhookId),
    healthy: rooms.map((room) => room.healthy),
    failing: rooms.map((room) => room.failing),
  })
}

interface Claim {
  readonly at: Date
  readonly leaseUntil: Date
  readonly lease: string
  readonly webhookIds: readonly string[]
  readonly healthy: readonly number[]
  readonly failing: readonly number[]
}

// Arrays and not joins: with stale statistics the planner runs a joined subquery once per row, and every run skips the
// rows that the previous one locked, and claims more.
const claim = sqlStatement(
  ({ at, leaseUntil, lease, webhookIds, healthy, failing }: Claim) => sql<ClaimedDelivery>`
    with wanted as (
      select webhooks.id, webhooks.active,
        case when webhooks.failing_since is null then room.healthy else room.failing end as room
      from unnest(${webhookIds}::uuid[], ${healthy}::integer[], ${failing}::integer[])
        as room (webhook_id, healthy, failing)
      join webhooks on webhooks.id = room.webhook_id and webhooks.deleted_at is null
    ), claimed as (
      update webhook_deliveries set run_at = ${leaseUntil}, lease = ${lease}, attempt = attempt + 1
      where ctid = any(array(
        select due.ctid from wanted cross join lateral (
          select ctid from webhook_deliveries
          where state = 'pending' and webhook_id = wanted.id and run_at <= ${at}
          order by run_at limit wanted.room for update skip locked
        ) due where wanted.active
      ) || array(
        select due.ctid from wanted cross join lateral (
          select ctid from webhook_deliveries
          where state = 'pending' and event_code = 'webhook.webhook.test.success'
            and webhook_id = wanted.id and run_at <= ${at}
          order by run_at limit wanted.room for update skip locked
        ) due where not wanted.active
      ))
      returning account_id, environment, id, webhook_id, lease, attempt - attempts_before as place_in_schedule
    )
    select claimed.*, webhooks.target_url, webhooks.retry_on_timeout, webhooks.signature_key_sealed,
      webhooks.previous_signature_key_sealed, webhooks.previous_signature_key_expires_at, webhooks.failing_since,
      events.domain, events.code, events.data, events.params, events.errors,
      events.actor_type, events.actor_id, events.request_id,
      to_char(events.issued_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as issued_at
    from claimed
    join webhooks on ${sameEnvironment('webhooks', 'claimed')} and webhooks.id = claimed.webhook_id
    join events on ${sameEnvironment('events', 'claimed')} and events.id = claimed.id`,
)

/** The outcome of one attempt, and the next state of its delivery. */
export interface Ending {
  readonly outcome: string
  readonly status: number | null
  readonly answer: string | null
  readonly durationMs: number
  readonly startedAt: Date
  readonly state: 'delivered' | 'pending' | 'failed' | 'lost'
  /** The time of the next attempt, if any. */
  readonly nextAt: Date | null
}

/** A finished attempt, not yet stored. */
export interface EndedAttempt {
  readonly delivery: ClaimedDelivery
  readonly ending: Ending
  readonly at: Date
}

/**
 * Stores the outcomes of attempts, in their order, all in one statement. Skips deliveries whose lease has been taken over,
 * because another process sends them.
 */
export async function endAttempts(db: Kysely<DB>, attempts: readonly EndedAttempt[]): Promise<void> {
  await end(db, { attempts: JSON.stringify(attempts.map(toEnd)) })
}

function toEnd({ delivery, ending, at }: EndedAttempt, place: number) {
  return {
    place,
    account_id: delivery.account_id,
    environment: delivery.environment,
    id: delivery.id,
    webhook_id: delivery.webhook_id,
    lease: delivery.lease,
    state: ending.state,
    next_at: ending.nextAt,
    outcome: ending.outcome,
    status: ending.status,
    answer: ending.answer,
    duration_ms: ending.durationMs,
    started_at: ending.startedAt,
    at,
  }
}

// A webhook counts as failing since the first failure after its last success: in a batch the last attempt decides the
// state, and any success resets the start.
const end = sqlStatement(
  ({ attempts }: { attempts: string }) => sql`
    with ending as (
      select * from json_to_recordset(${attempts}::json) as ending (
        place integer, account_id uuid, environment text, id uuid, webhook_id uuid, lease uuid, state text,
        next_at timestamptz, outcome text, status integer, answer text, duration_ms integer, started_at timestamptz,
        at timestamptz
      )
    ), ended as (
      update webhook_deliveries set state = ending.state, run_at = ending.next_at, lease = null
      from ending
      where ${sameEnvironment('webhook_deliveries', 'ending')}
        and webhook_deliveries.id = ending.id
        and webhook_deliveries.webhook_id = ending.webhook_id
        and webhook_deliveries.lease = ending.lease
      returning ending.*, webhook_deliveries.attempt
    ), verdict as (
      select account_id, environment, webhook_id, bool_or(state = 'delivered') as is_any_received,
        (array_agg(state = 'delivered' order by place desc))[1] as is_last_received,
        (array_agg(at order by place desc))[1] as at
      from ended
      group by account_id, environment, webhook_id
    ), noted as (
      update webhooks set failing_since = case when is_last_received then null else verdict.at end
      from verdict
      where ${sameEnvironment('webhooks', 'verdict')}
        and webhooks.id = verdict.webhook_id
        and case
          when is_last_received then failing_since is not null
          else failing_since is null or is_any_received
        end
    )
    insert into webhook_attempts (
      account_id, environment, delivery_id, webhook_id, number, outcome, status, answer, duration_ms, started_at
    )
    select account_id, environment, id, webhook_id, attempt, outcome, status, answer, duration_ms, started_at
    from ended`,
)
