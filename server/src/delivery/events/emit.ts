import { eventCatalog, selectorsOf, type EventCode, type EventRecord } from '@portico/contract/event-catalog'
import { withoutSecrets } from '@portico/contract/sensitivity'
import { sql, type Insertable, type RawBuilder, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB, Events } from '../../platform/db/schema.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Deps } from '../deps.js'
import type { Caller, Cause } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { announceDeliveries } from './announce.js'
import type { Changed } from './change.js'

/** Larger data is cut to its ids, so that every event fits a webhook. */
const maxDataBytes = 20_000

interface Emission<Code extends EventCode, Emitted extends EventRecord<Code>> {
  readonly code: Code
  /** The record as it is after the change; what the contract marks secret is left out. */
  readonly record: Emitted
  /** Of the record, for the answer of the change; not part of the event. */
  readonly version?: number
  /** Absent where no organization owns the record. */
  readonly organizationId?: string
  /** Why it failed, where the code ends in fail. */
  readonly errors?: readonly string[]
  /** The user whose data the event carries, erased with that user. */
  readonly subjectId?: string
  /** The e-mail address that the event carries; without a subject it is erased with the user of that address. */
  readonly email?: string | null
  /** The only webhook that receives the event, instead of the active webhooks that subscribe to its code. */
  readonly onlyWebhookId?: string
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
 * Records an event and its webhook deliveries, in the transaction of the change.
 *
 * @returns The result of the change.
 */
export async function emit<Code extends EventCode, Emitted extends EventRecord<Code>>(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  scope: EventScope,
  emission: Emission<Code, Emitted>,
): Promise<Changed<Emitted> & { readonly eventId: string }> {
  const data = JSON.stringify(withoutSecrets(eventCatalog[emission.code].data, emission.record) ?? {})
  const isTooLarge = Buffer.byteLength(data) > maxDataBytes
  const params = JSON.stringify(scope.cause.params())
  const eventId = newId()
  const deliveries = await insertEvent(trx, {
    account_id: scope.accountId,
    environment: scope.environment,
    id: eventId,
    organization_id: emission.organizationId ?? null,
    domain: scope.domain,
    code: emission.code,
    data: isTooLarge ? JSON.stringify({ ...idOf(emission.record), truncated: true }) : data,
    params: Buffer.byteLength(params) > maxDataBytes ? JSON.stringify({ truncated: true }) : params,
    errors: emission.errors === undefined ? null : [...emission.errors],
    actor_type: scope.cause.actor.type,
    actor_id: scope.cause.actor.id,
    request_id: scope.cause.requestId,
    subject_id: emission.subjectId ?? null,
    email_normalized: emission.email == null ? null : normalizeEmail(emission.email),
    issued_at: now(),
    selectors: selectorsOf(emission.code),
    only_webhook_id: emission.onlyWebhookId ?? null,
  })
  if (deliveries.length > 0)
    announceDeliveries(
      db,
      deliveries.map((delivery) => delivery.webhook_id),
    )
  const { record, version, organizationId, subjectId } = emission
  return { record, version, organizationId, subjectId, eventId }
}

function idOf(record: object): { id?: unknown } {
  return 'id' in record ? { id: record.id } : {}
}

type NewEvent = Required<Omit<Insertable<Events>, 'position'>> & {
  readonly selectors: readonly string[]
  readonly only_webhook_id: string | null
}

const insertEvent = sqlStatement(insertionOf)

/** Inserts the event and its deliveries in one statement. */
function insertionOf(event: NewEvent): RawBuilder<{ webhook_id: string }> {
  return sql`
    with event as (
      insert into events (
        account_id, environment, id, organization_id, domain, code, data, params,
        errors, actor_type, actor_id, request_id, subject_id, email_normalized, issued_at
      ) values (
        ${event.account_id}, ${event.environment}, ${event.id}, ${event.organization_id}, ${event.domain},
        ${event.code}, ${event.data}, ${event.params}, ${event.errors}, ${event.actor_type}, ${event.actor_id},
        ${event.request_id}, ${event.subject_id}, ${event.email_normalized}, ${event.issued_at}
      )
    )
    insert into webhook_deliveries (
      account_id, environment, id, webhook_id, event_code, state, run_at, inserted_at
    )
    select account_id, environment, ${event.id}::uuid, id, ${event.code}::text, 'pending',
      ${event.issued_at}::timestamptz, ${event.issued_at}::timestamptz
    from webhooks
    where account_id = ${event.account_id}
      and environment = ${event.environment}
      and deleted_at is null
      and case
        when ${event.only_webhook_id}::uuid is null then active and event_codes && ${event.selectors}::text[]
        else id = ${event.only_webhook_id}::uuid
      end
    for key share
    returning webhook_id`
}
