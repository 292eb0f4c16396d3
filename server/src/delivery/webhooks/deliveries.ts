import { nilId } from '@portico/contract/fields'
import type { DeliveryQuery, RedeliveryRequest } from '@portico/contract/webhooks'
import type { WebhookDelivery, WebhookRedelivery } from '@portico/contract/webhook-records'
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import { newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { countRows } from '../../platform/db/totals.js'
import type { Deps } from '../deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../events/change.js'
import { emit, scopeOfAccount } from '../events/emit.js'
import type { Caller } from '../../platform/tenant.js'
import { announceDeliveries } from '../events/announce.js'
import { toDelivery, type AttemptRow, type DeliveryRow } from './record.js'
import { getWebhook, webhooksOf, type WebhookOwner } from './webhooks.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'

const batchSize = 5_000

/** The number of latest attempts in a delivery's record. */
const shownAttempts = 20

const deliveryColumns = [
  'webhook_deliveries.environment',
  'webhook_deliveries.id',
  'webhook_deliveries.webhook_id',
  'webhook_deliveries.event_code',
  'webhook_deliveries.state',
  'webhook_deliveries.run_at',
  'webhook_deliveries.inserted_at',
] as const

/**
 * Sends a test event to a webhook, active or not, and to no other.
 *
 * @throws ApiError `webhook_not_found`
 */
export function testWebhook(deps: Deps, caller: Caller, id: string): Promise<Changed<WebhookDelivery>> {
  return change(deps, caller.cause, async (trx) => {
    const { record } = await getWebhook({ ...deps, db: trx }, caller, id)
    const code = 'webhook.webhook.test.success'
    const { eventId } = await emit(deps, trx, scopeOfAccount(caller), { code, record, onlyWebhookId: id })
    const row = await deliveriesOf(trx, caller, id)
      .where('webhook_deliveries.id', '=', eventId)
      .select([...deliveryColumns, latestAttempts().as('attempts')])
      .executeTakeFirstOrThrow()
    return { record: toDelivery(row, caller.accountDomain) }
  })
}

/**
 * The past and pending deliveries of a webhook.
 *
 * @throws ApiError `webhook_not_found`
 */
export function listDeliveries(
  { readDb }: Pick<Deps, 'readDb'>,
  caller: Caller,
  webhookId: string,
  query: DeliveryQuery,
): Promise<Page<WebhookDelivery>> {
  const filtered = filterDeliveries(deliveriesOf(readDb, caller, webhookId), query)
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: filtered,
      table: 'webhook_deliveries',
      rows: deliveriesOf(readDb, caller, webhookId).select([
        ...deliveryColumns,
        latestAttempts().as('attempts'),
      ]),
      total: async () => {
        const total = await countRows(filtered)
        if (total === 0) await checkWebhook(readDb, caller, webhookId)
        return total
      },
    },
    (row: DeliveryRow) => toDelivery(row, caller.accountDomain),
  )
}

/**
 * Sends an event to a webhook again, whatever its outcome so far.
 *
 * @throws ApiError `webhook_not_found`, `delivery_not_found`
 */
export function redeliver(
  deps: Deps,
  caller: Caller,
  webhookId: string,
  deliveryId: string,
): Promise<Changed<WebhookDelivery>> {
  return change(deps, caller.cause, async (trx) => {
    const deliveries = await queueAgain(deps, trx, caller, { webhookId, where: sql`id = ${deliveryId}` })
    const row = await deliveriesOf(trx, caller, webhookId)
      .where('webhook_deliveries.id', '=', deliveryId)
      .select([...deliveryColumns, latestAttempts().as('attempts')])
      .executeTakeFirst()
    if (row === undefined) {
      await checkWebhook(trx, caller, webhookId)
      throw new ApiError('delivery_not_found')
    }
    await emitRedelivery(deps, trx, caller, { webhookId, deliveries })
    return { record: toDelivery(row, caller.accountDomain) }
  })
}

/**
 * Sends events to a webhook again: all since a time, or all failed and lost ones.
 *
 * @throws ApiError `webhook_not_found`
 */
export function redeliverAll(
  deps: Deps,
  caller: Caller,
  webhookId: string,
  { since }: RedeliveryRequest,
): Promise<Changed<WebhookRedelivery>> {
  return change(deps, caller.cause, async (trx) => {
    await checkWebhook(trx, caller, webhookId)
    const where =
      since === undefined ? sql`state in ('failed', 'lost')` : sql`inserted_at >= ${new Date(since)}`
    const deliveries = await queueAgain(deps, trx, caller, { webhookId, where })
    return emitRedelivery(deps, trx, caller, { webhookId, deliveries })
  })
}

/** Every read of deliveries starts here. Deliveries of a deleted webhook are hidden until a job erases them. */
function deliveriesOf(db: Kysely<DB>, { accountId, environment }: WebhookOwner, webhookId: string) {
  return db
    .selectFrom('webhook_deliveries')
    .where(ofEnvironment({ accountId, environment }, 'webhook_deliveries'))
    .where('webhook_deliveries.webhook_id', '=', webhookId)
    .where(({ exists }) =>
      exists(
        webhooksOf(db, { accountId, environment }).where('webhooks.id', '=', webhookId).select('webhooks.id'),
      ),
    )
}

function filterDeliveries(all: ReturnType<typeof deliveriesOf>, { state, event_code: code }: DeliveryQuery) {
  // Null: the value cannot match.
  return all
    .$if(state === null || code === null, (query) => query.where(sql<boolean>`false`))
    .$if(state != null, (query) => query.where('webhook_deliveries.state', '=', state ?? ''))
    .$if(code != null, (query) => query.where('webhook_deliveries.event_code', '=', code ?? ''))
}

function latestAttempts() {
  return sql<AttemptRow[]>`(
    select coalesce(jsonb_agg(to_jsonb(latest) order by latest.number), '[]')
    from (
      select number, outcome, status, answer, duration_ms, started_at from webhook_attempts
      where account_id = webhook_deliveries.account_id
        and environment = webhook_deliveries.environment
        and delivery_id = webhook_deliveries.id
        and webhook_id = webhook_deliveries.webhook_id
      order by number desc limit ${shownAttempts}
    ) latest
  )`
}

/**
 * Restarts the schedule of deliveries; those being sent keep their lease. There may be many after a long outage, so each
 * statement updates one batch, in a fixed order.
 */
async function queueAgain(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  { accountId, environment }: WebhookOwner,
  { webhookId, where }: { webhookId: string; where: RawBuilder<unknown> },
): Promise<number> {
  let queued = 0
  let last = nilId
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      with wanted as materialized (
        select id from webhook_deliveries
        where ${ofEnvironment({ accountId, environment })}
          and webhook_id = ${webhookId}
          and id > ${last}
          and ${where}
        order by id limit ${batchSize} for update
      )
      update webhook_deliveries set
        state = 'pending',
        run_at = case when lease is null then ${now()} else run_at end,
        attempts_before = case when lease is null then attempt else attempt - 1 end
      where ${ofEnvironment({ accountId, environment })}
        and webhook_id = ${webhookId}
        and id = any(array(select id from wanted))
      returning id`.execute(trx)
    queued += rows.length
    last = rows.reduce((latest, { id }) => (id > latest ? id : latest), last)
    if (rows.length < batchSize) break
  }
  if (queued > 0) announceDeliveries(db, [webhookId])
  return queued
}

/** @throws ApiError `webhook_not_found` */
async function checkWebhook(db: Kysely<DB>, owner: WebhookOwner, id: string): Promise<void> {
  const row = await webhooksOf(db, owner)
    .where('webhooks.id', '=', id)
    .select('webhooks.id')
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('webhook_not_found')
}

function emitRedelivery(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  caller: Caller,
  { webhookId, deliveries }: { webhookId: string; deliveries: number },
): Promise<Changed<WebhookRedelivery>> {
  const record: WebhookRedelivery = {
    __type__: 'WebhookRedelivery',
    __domain__: caller.accountDomain,
    __environment__: caller.environment,
    webhook_id: webhookId,
    deliveries,
  }
  return emit(deps, trx, scopeOfAccount(caller), { code: 'webhook.delivery.redeliver.success', record })
}
