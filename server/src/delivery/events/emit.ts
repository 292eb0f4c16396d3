import { eventCatalog, selectorsOf, type EventCode, type EventRecord } from '@portico/contract/event-catalog'
import { withoutSecrets } from '@portico/contract/sensitivity'
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Deps } from '../deps.js'
import type { Caller, Cause } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { announceDeliveries } from './announce.js'
import type { Changed } from './change.js'

/** Larger data is cut to its ids, so that every event fits a webhook. */
export const maxDataBytes = 20_000

/** An event, but for its organization. */
export interface EventToEmit<Code extends EventCode, Emitted extends EventRecord<Code>> {
  readonly code: Code
  /** The record as it is after the change; what the contract marks secret is left out. */
  readonly record: Emitted
  /** Of the record, for the answer of the change; not part of the event. */
  readonly version?: number
  /** Why it failed, where the code ends in fail. */
  readonly errors?: readonly string[]
  /** The user whose data the event carries, erased with that user. */
  readonly subjectId?: string
  /** The e-mail address that the event carries; without a subject it is erased with the user of that address. */
  readonly email?: string | null
  /** The only webhook that receives the event, instead of the active webhooks that subscribe to its code. */
  readonly onlyWebhookId?: string
}

interface Emission<Code extends EventCode, Emitted extends EventRecord<Code>> extends EventToEmit<
  Code,
  Emitted
> {
  /** Absent where no organization owns the record. */
  readonly organizationId?: string
}

/** Where an event happens: an account and environment, and the domain its `__domain__` names. */
export interface EventScope {
  readonly accountId: string
  readonly environment: string
  readonly domain: string
  readonly cause: Cause
}

/** The scope of an event of the whole account, outside any organization. */
export function scopeOfAccount(caller: Caller): EventScope {
  return { ...caller, domain: caller.accountDomain }
}

/**
 * Records an event and its webhook deliveries, in the transaction of the change. A record that is created by one row alone
 * takes its event along: create().
 *
 * @returns The result of the change.
 */
export async function emit<Code extends EventCode, Emitted extends EventRecord<Code>>(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  scope: EventScope,
  emission: Emission<Code, Emitted>,
): Promise<Changed<Emitted> & { readonly eventId: string }> {
  const { record, version, organizationId, subjectId } = emission
  const event = eventParameters(scope, emission, now())
  const deliveries = await insertEvent(trx, { ...event, eventOrganizationId: organizationId ?? null })
  announceTo(
    db,
    deliveries.map((delivery) => delivery.webhook_id),
  )
  return { record, version, organizationId, subjectId, eventId: event.eventId }
}

/** Notifies this process's senders, if there is anything to send. */
export function announceTo(db: Kysely<DB>, webhookIds: readonly string[]): void {
  if (webhookIds.length > 0) announceDeliveries(db, webhookIds)
}

/** An event as parameters of a statement, named so that those of the record's own row can stand beside them. */
export type EventParameters = ReturnType<typeof eventParameters>

export function eventParameters<Code extends EventCode>(
  scope: EventScope,
  emission: EventToEmit<Code, EventRecord<Code>>,
  at: Date,
) {
  const data = JSON.stringify(withoutSecrets(eventCatalog[emission.code].data, emission.record) ?? {})
  const isTooLarge = Buffer.byteLength(data) > maxDataBytes
  const params = JSON.stringify(scope.cause.params())
  return {
    eventAccountId: scope.accountId,
    eventEnvironment: scope.environment,
    eventId: newId(),
    eventDomain: scope.domain,
    eventCode: emission.code,
    eventData: isTooLarge ? JSON.stringify({ ...idOf(emission.record), truncated: true }) : data,
    eventParams: Buffer.byteLength(params) > maxDataBytes ? JSON.stringify({ truncated: true }) : params,
    eventErrors: emission.errors === undefined ? null : [...emission.errors],
    eventActorType: scope.cause.actor.type,
    eventActorId: scope.cause.actor.id,
    eventRequestId: scope.cause.requestId,
    eventSubjectId: emission.subjectId ?? null,
    eventEmail: emission.email == null ? null : normalizeEmail(emission.email),
    eventIssuedAt: at,
    eventSelectors: selectorsOf(emission.code),
    eventOnlyWebhookId: emission.onlyWebhookId ?? null,
  }
}

function idOf(record: object): { id?: unknown } {
  return 'id' in record ? { id: record.id } : {}
}

const insertEvent = sqlStatement(
  (event: EventParameters & { readonly eventOrganizationId: string | null }) => sql<{ webhook_id: string }>`
    with created as (select ${event.eventOrganizationId}::uuid as organization_id), ${rowsOfEvent(event)}
    select webhook_id from deliveries`,
)

/**
 * The rows of an event as parts of a statement: `event`, and `deliveries` with the ids of their webhooks. An earlier part,
 * `created`, has a row with the organization of the event, or none where nothing is to be emitted.
 */
export function rowsOfEvent(event: EventParameters): RawBuilder<unknown> {
  return sql`
    event as (
      insert into events (
        account_id, environment, id, organization_id, domain, code, data, params,
        errors, actor_type, actor_id, request_id, subject_id, email_normalized, issued_at
      )
      select ${event.eventAccountId}, ${event.eventEnvironment}, ${event.eventId}, organization_id,
        ${event.eventDomain}, ${event.eventCode}, ${event.eventData}, ${event.eventParams}, ${event.eventErrors},
        ${event.eventActorType}, ${event.eventActorId}, ${event.eventRequestId}, ${event.eventSubjectId},
        ${event.eventEmail}, ${event.eventIssuedAt}
      from created
    ),
    deliveries as (
      insert into webhook_deliveries (
        account_id, environment, id, webhook_id, event_code, state, run_at, inserted_at
      )
      select account_id, environment, ${event.eventId}::uuid, id, ${event.eventCode}::text, 'pending',
        ${event.eventIssuedAt}::timestamptz, ${event.eventIssuedAt}::timestamptz
      from webhooks
      where account_id = ${event.eventAccountId}
        and environment = ${event.eventEnvironment}
        and deleted_at is null
        and case
          when ${event.eventOnlyWebhookId}::uuid is null then active and event_codes && ${event.eventSelectors}::text[]
          else id = ${event.eventOnlyWebhookId}::uuid
        end
        and exists (select from created)
      for key share
      returning webhook_id
    )`
}
