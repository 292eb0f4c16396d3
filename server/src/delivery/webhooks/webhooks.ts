import type { PageQuery } from '@portico/contract/fields'
import type { NewWebhook, WebhookChanges } from '@portico/contract/webhooks'
import type { Webhook } from '@portico/contract/webhook-records'
import { sql, type Kysely, type Transaction, type UpdateObject } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { countRows } from '../../platform/db/totals.js'
import { isOfVersion, whyUnchanged } from '../../platform/db/versions.js'
import type { Deps } from '../deps.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { change, type Changed } from '../events/change.js'
import { emit, scopeOfAccount } from '../events/emit.js'
import { isTargetAllowed, targetRefusal } from '../../platform/outbound/target.js'
import type { Caller } from '../../platform/tenant.js'
import { toWebhook, webhookColumns, type WebhookRow } from './record.js'
import { openSignatureKey, sealNewSignatureKey } from './signature-keys.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'

/** Per environment of an account: each event costs a row per webhook, and each webhook can occupy slots of a sender. */
const maxWebhooks = 100

/** How long the previous key still signs, beside the new one, after a rotation. */
const keyOverlapMs = 24 * 60 * 60 * 1000

/** An account and environment; webhooks belong to no organization. */
export type WebhookOwner = Pick<Caller, 'accountId' | 'environment'>

/**
 * Creates a webhook, which receives the events from then on.
 *
 * @throws ApiError `webhooks_exhausted`, and `invalid_parameters` for a target that events are not sent to.
 */
export function createWebhook(deps: Deps, caller: Caller, input: NewWebhook): Promise<Changed<Webhook>> {
  checkTarget(deps, input.target_url)
  const { accountId, environment } = caller
  const id = newId()
  return change(deps, caller.cause, async (trx) => {
    await checkNumber(trx, caller)
    const at = deps.now()
    const row = await trx
      .insertInto('webhooks')
      .values({
        account_id: accountId,
        environment,
        id,
        ...input,
        event_codes: withoutRepeats(input.event_codes),
        active: input.active ?? true,
        retry_on_timeout: input.retry_on_timeout ?? false,
        signature_key_sealed: sealNewSignatureKey(deps, { ...caller, id }),
        inserted_at: at,
        updated_at: at,
      })
      .returning(webhookColumns)
      .executeTakeFirstOrThrow()
    return emitWebhook(deps, trx, caller, 'webhook.webhook.create.success', row)
  })
}

/** The webhooks of the account and environment. */
export function listWebhooks(
  deps: Pick<Deps, 'readDb' | 'keys'>,
  caller: Caller,
  query: PageQuery,
): Promise<Page<Webhook>> {
  const all = webhooksOf(deps.readDb, caller)
  return readPage(
    {
      db: deps.readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: all,
      table: 'webhooks',
      rows: all.select(webhookColumns),
    },
    (row) => readWebhook(deps, row, caller.accountDomain),
  )
}

/** @throws ApiError `webhook_not_found` */
export async function getWebhook(
  deps: Pick<Deps, 'db' | 'keys'>,
  caller: Caller,
  id: string,
): Promise<Changed<Webhook>> {
  const row = await webhooksOf(deps.db, caller)
    .where('webhooks.id', '=', id)
    .select(webhookColumns)
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('webhook_not_found')
  return { record: readWebhook(deps, row, caller.accountDomain), version: row.version }
}

/**
 * Changes the given members of a webhook. A new target, or activation, resets its failures.
 *
 * @param versions The versions to which the change may apply; undefined: any.
 * @throws ApiError `webhook_not_found`, `precondition_failed`, and `invalid_parameters` for a target that events are
 *   not sent to.
 */
export function updateWebhook(
  deps: Deps,
  caller: Caller,
  id: string,
  input: WebhookChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<Webhook>> {
  if (input.target_url !== undefined) checkTarget(deps, input.target_url)
  const { event_codes: codes, ...members } = input
  const isNewStart = input.active === true || input.target_url !== undefined
  return change(deps, caller.cause, async (trx) => {
    const row = await changeRow(
      trx,
      caller,
      { id, versions },
      {
        ...members,
        ...(codes && { event_codes: withoutRepeats(codes) }),
        ...(isNewStart && { failing_since: null }),
        updated_at: deps.now(),
      },
    )
    return emitWebhook(deps, trx, caller, 'webhook.webhook.update.success', row)
  })
}

/**
 * Deletes a webhook; attempts that are running may still arrive. A job erases its deliveries, which may be many, so that
 * no event waits for that.
 *
 * @throws ApiError `webhook_not_found`, `precondition_failed`
 */
export function deleteWebhook(
  deps: Deps,
  caller: Caller,
  id: string,
  versions: readonly number[] | undefined,
): Promise<Changed<Webhook>> {
  return change(deps, caller.cause, async (trx) => {
    const row = await changeRow(trx, caller, { id, versions }, { deleted_at: deps.now() })
    return emitWebhook(deps, trx, caller, 'webhook.webhook.delete.success', row)
  })
}

/**
 * Gives a webhook a new signature key; the previous key signs beside it for a day.
 *
 * @throws ApiError `webhook_not_found`
 */
export function rotateSignatureKey(deps: Deps, caller: Caller, id: string): Promise<Changed<Webhook>> {
  return change(deps, caller.cause, async (trx) => {
    const at = deps.now()
    const row = await changeRow(
      trx,
      caller,
      { id, versions: undefined },
      {
        previous_signature_key_sealed: sql`signature_key_sealed`,
        previous_signature_key_expires_at: new Date(at.getTime() + keyOverlapMs),
        signature_key_sealed: sealNewSignatureKey(deps, { ...caller, id }),
        updated_at: at,
      },
    )
    return emitWebhook(deps, trx, caller, 'webhook.webhook.rotate.success', row)
  })
}

/** A webhook's record, with its key unsealed. */
export function readWebhook(deps: Pick<Deps, 'keys'>, row: WebhookRow, accountDomain: string): Webhook {
  const name = { accountId: row.account_id, environment: row.environment, id: row.id }
  return toWebhook(row, accountDomain, openSignatureKey(deps, name, row.signature_key_sealed))
}

/** Every read of webhooks starts here. */
export function webhooksOf(db: Kysely<DB>, { accountId, environment }: WebhookOwner) {
  return db
    .selectFrom('webhooks')
    .where(ofEnvironment({ accountId, environment }, 'webhooks'))
    .where('webhooks.deleted_at', 'is', null)
}

/** Serializes creations of one account, so that the count is still valid at the insert. */
async function checkNumber(trx: Transaction<DB>, caller: Caller): Promise<void> {
  await trx
    .selectFrom('accounts')
    .where('id', '=', caller.accountId)
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  if ((await countRows(webhooksOf(trx, caller))) >= maxWebhooks) throw new ApiError('webhooks_exhausted')
}

/** @throws ApiError `webhook_not_found`, `precondition_failed` */
async function changeRow(
  trx: Transaction<DB>,
  owner: WebhookOwner,
  { id, versions }: { readonly id: string; readonly versions: readonly number[] | undefined },
  columns: UpdateObject<DB, 'webhooks'>,
): Promise<WebhookRow> {
  const row = await trx
    .updateTable('webhooks')
    .set({ ...columns, version: sql`version + 1` })
    .where(ofEnvironment(owner))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where(isOfVersion(versions))
    .returning(webhookColumns)
    .executeTakeFirst()
  if (row !== undefined) return row
  const inAnyVersion = webhooksOf(trx, owner).where('webhooks.id', '=', id).select('webhooks.id')
  throw await whyUnchanged(inAnyVersion, 'webhook_not_found')
}

function checkTarget({ config }: Pick<Deps, 'config'>, url: string): void {
  if (!isTargetAllowed(url, config.outbound))
    throw invalid('target_url', 'not_allowed', targetRefusal(config.outbound))
}

function withoutRepeats(codes: readonly string[]): string[] {
  return [...new Set(codes)]
}

function emitWebhook(
  deps: Pick<Deps, 'now' | 'db' | 'keys'>,
  trx: Transaction<DB>,
  caller: Caller,
  code: `webhook.webhook.${'create' | 'update' | 'delete' | 'rotate'}.success`,
  row: WebhookRow,
): Promise<Changed<Webhook>> {
  const record = readWebhook(deps, row, caller.accountDomain)
  return emit(deps, trx, scopeOfAccount(caller), { code, record, version: row.version })
}
