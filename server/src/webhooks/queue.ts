import { randomUUID } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../db/schema.js'
import { sqlStatement } from '../db/statement.js'
import type { SentEvent } from '../events/webhook-event.js'

/** A delivery that this process is to send, with its webhook and its event. */
export interface ClaimedDelivery extends SentEvent {
  readonly account_id: string
  readonly lease: string
  /** 1 for the first since it was made, or last queued again by hand. */
  readonly place_in_schedule: number
  readonly webhook_id: string
  readonly target_url: string
  readonly retry_on_timeout: boolean
  readonly signature_key_sealed: Buffer
  readonly previous_signature_key_sealed: Buffer | null
  readonly previous_signature_key_expires_at: Date | null
  readonly failing_since: Date | null
}

/** The webhooks that have deliveries due, found without reading more than one delivery of each. */
export async function findDueWebhooks(db: Kysely<DB>, at: Date): Promise<string[]> {
  const { rows } = await sql<{ webhook_id: string }>`
    with recursive earliest as (
      (
        select webhook_id, run_at from webhook_deliveries
        where state = 'pending' order by webhook_id, run_at limit 1
      )
      union all
      select next.webhook_id, next.run_at from earliest cross join lateral (
        select webhook_id, run_at from webhook_deliveries
        where state = 'pending' and webhook_id > earliest.webhook_id
        order by webhook_id, run_at limit 1
      ) next
    )
    select webhook_id from earliest where run_at <= ${at}`.execute(db)
  return rows.map((row) => row.webhook_id)
}

/** How many deliveries to a webhook may be taken. */
export interface Room {
  readonly webhookId: string
  /** While it answers, and while it fails: then one attempt at a time tells whether it is back. */
  readonly healthy: number
  readonly failing: number
}

/**
 * Takes due deliveries, of each webhook as many as there is room for, oldest first; parallel claims take different ones.
 * Of an inactive webhook it takes test events alone.
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

// Arrays and not joins: with old statistics the planner runs a joined subquery once per row, and every run skips what
// the one before has locked and takes more.
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
      events.domain, events.code, events.data, events.params, events.actor_type, events.actor_id, events.request_id,
      to_char(events.issued_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as issued_at
    from claimed
    join webhooks on webhooks.account_id = claimed.account_id
      and webhooks.environment = claimed.environment and webhooks.id = claimed.webhook_id
    join events on events.account_id = claimed.account_id
      and events.environment = claimed.environment and events.id = claimed.id`,
)

/** How one attempt ended, and what becomes of its delivery. */
export interface Ending {
  readonly outcome: string
  readonly status: number | null
  readonly answer: string | null
  readonly durationMs: number
  readonly startedAt: Date
  readonly state: 'delivered' | 'pending' | 'failed' | 'lost'
  /** When it is sent again, where it is. */
  readonly nextAt: Date | null
}

/** Stores how an attempt ended, unless its lease has ended before and another process sends by now. */
export async function endAttempt(
  db: Kysely<DB>,
  delivery: ClaimedDelivery,
  ending: Ending & { readonly at: Date },
): Promise<void> {
  const { account_id, environment, id, lease, webhook_id } = delivery
  await end(db, { ...ending, account_id, environment, id, lease, webhook_id })
}

type End = Ending & { readonly at: Date } & Pick<
    ClaimedDelivery,
    'account_id' | 'environment' | 'id' | 'lease' | 'webhook_id'
  >

const end = sqlStatement(
  (attempt: End) => sql`
    with ended as (
      update webhook_deliveries set state = ${attempt.state}, run_at = ${attempt.nextAt}, lease = null
      where account_id = ${attempt.account_id}
        and environment = ${attempt.environment}
        and id = ${attempt.id}
        and webhook_id = ${attempt.webhook_id}
        and lease = ${attempt.lease}
      returning account_id, environment, id, webhook_id, attempt
    ), noted as (
      update webhooks set failing_since = case when ${attempt.state} = 'delivered' then null else ${attempt.at}::timestamptz end
      from ended
      where webhooks.account_id = ended.account_id
        and webhooks.environment = ended.environment
        and webhooks.id = ended.webhook_id
        and (webhooks.failing_since is null) = (${attempt.state} <> 'delivered')
    )
    insert into webhook_attempts (
      account_id, environment, delivery_id, webhook_id, number, outcome, status, answer, duration_ms, started_at
    )
    select account_id, environment, id, webhook_id, attempt, ${attempt.outcome}, ${attempt.status}::integer, ${attempt.answer},
      ${attempt.durationMs}::integer, ${attempt.startedAt}::timestamptz
    from ended`,
)
