import { sql } from 'kysely'
import type { Deps } from '../deps.js'
import { change } from '../events/change.js'
import { emit } from '../events/emit.js'
import { logEvent } from '../log-events/log-event.js'
import type { ClaimedDelivery } from './queue.js'
import { webhookColumns } from './record.js'
import { readWebhook } from './webhooks.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { causeBy } from '../../platform/tenant.js'

/** A receiver that has accepted no event for this long is considered gone. */
const patienceMs = 5 * 24 * 60 * 60 * 1000

/** Deactivates a webhook after five days of only failures, with an event and a log event; else does nothing. */
export async function deactivateGoneWebhook(
  deps: Pick<Deps, 'db' | 'now' | 'keys' | 'metrics'>,
  { account_id: accountId, environment, webhook_id: id, failing_since, request_id }: ClaimedDelivery,
): Promise<void> {
  const at = deps.now()
  const limit = new Date(at.getTime() - patienceMs)
  // The state before the attempt: most failures need no further statement.
  if (failing_since === null || failing_since > limit) return
  const cause = causeBy(request_id, 'system', 'webhook-delivery')
  await change(deps, cause, async (trx) => {
    const row = await trx
      .updateTable('webhooks')
      .set({ active: false, version: sql`version + 1`, updated_at: at })
      .where(ofEnvironment({ accountId, environment }))
      .where('id', '=', id)
      .where('active', '=', true)
      .where('failing_since', '<=', limit)
      .returning([...webhookColumns, accountDomain().as('account_domain')])
      .executeTakeFirst()
    if (row === undefined) return { record: undefined }
    const domain = row.account_domain
    await emit(
      deps,
      trx,
      { accountId, environment, domain, cause },
      { code: 'webhook.webhook.disable.success', record: readWebhook(deps, row, domain) },
    )
    await logEvent(deps, trx, {
      accountId,
      environment,
      domain,
      code: 'WEBHOOK_DISABLED',
      reason: `five days of nothing but failures: ${id}`,
      requestId: request_id,
    })
    return { record: undefined }
  })
}

function accountDomain() {
  return sql<string>`(select domain from accounts where accounts.id = webhooks.account_id)`
}
