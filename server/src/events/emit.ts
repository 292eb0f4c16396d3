import { eventCatalog, type EventCode, type EventRecord } from '@portico/contract/event-catalog'
import { withoutSecrets } from '@portico/contract/sensitivity'
import type { Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { DB } from '../db/schema.js'
import { insertion } from '../db/statement.js'
import type { Deps } from '../deps.js'
import type { Cause } from '../tenant.js'
import { normalizeEmail } from '../users/email.js'

/** Larger data is cut to its ids, so that every event fits a webhook. */
const maxDataBytes = 20_000

export interface Emission<Code extends EventCode> {
  readonly code: Code
  /** The record as it is after the change; what the contract marks secret is left out. */
  readonly record: EventRecord<Code>
  /** Absent where no organization owns the record. */
  readonly organizationId?: string
  /** The user whose data the event carries, erased with that user. */
  readonly subjectId?: string
  /** The e-mail address that the event carries; without a subject it is erased with the user of that address. */
  readonly email?: string
}

/** Where an event happens: an account and environment, and the domain its `__domain__` names. */
export interface Scene {
  readonly accountId: string
  readonly environment: string
  readonly domain: string
  readonly cause: Cause
}

/** Records an event in the transaction of the change it tells. */
export async function emit<Code extends EventCode>(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  scene: Scene,
  emission: Emission<Code>,
): Promise<void> {
  const data = JSON.stringify(withoutSecrets(eventCatalog[emission.code].data, emission.record) ?? {})
  const isTooLarge = Buffer.byteLength(data) > maxDataBytes
  const params = JSON.stringify(scene.cause.params())
  await insertEvent(trx, {
    account_id: scene.accountId,
    environment: scene.environment,
    id: uuidv7(),
    organization_id: emission.organizationId ?? null,
    domain: scene.domain,
    code: emission.code,
    data: isTooLarge ? JSON.stringify({ ...idOf(emission.record), truncated: true }) : data,
    params: Buffer.byteLength(params) > maxDataBytes ? JSON.stringify({ truncated: true }) : params,
    actor_type: scene.cause.actor.type,
    actor_id: scene.cause.actor.id,
    request_id: scene.cause.requestId,
    subject_id: emission.subjectId ?? null,
    email_normalized: emission.email === undefined ? null : normalizeEmail(emission.email),
    issued_at: now(),
  })
}

function idOf(record: object): { id?: unknown } {
  return 'id' in record ? { id: record.id } : {}
}

const insertEvent = insertion('events', [
  'account_id',
  'environment',
  'id',
  'organization_id',
  'domain',
  'code',
  'data',
  'params',
  'actor_type',
  'actor_id',
  'request_id',
  'subject_id',
  'email_normalized',
  'issued_at',
])
