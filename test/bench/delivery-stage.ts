import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import {
  accountsData,
  eventCode,
  eventData,
  eventParams,
  type PreparedAccount,
  type PreparedAccounts,
} from './accounts.js'
import { onKept } from './kept.js'
import { startOn } from './machine.js'
import type { Settings } from './measure.js'
import { startReceivers, type Receivers } from './receivers.js'
import {
  getToken,
  onPostgres,
  root,
  serviceVariables,
  startService,
  stopContender,
  type Contender,
} from './stage.js'

export type Background = Pick<Contender, 'process' | 'pid'>

/** A webhook in each of 100 accounts, each with a receiver of its own. */
export interface DeliveryStage {
  readonly data: PreparedAccounts
  readonly postgresPid: number
  readonly client: pg.Client
  readonly receivers: Receivers
  /** One for each receiver, in their order. */
  readonly webhookIds: readonly string[]
  readonly accounts: readonly PreparedAccount[]
}

export const webhookCount = 100

/** Runs work on such a stage, and takes it down; the service itself does not run then. In a quick look rows share it. */
export function onDeliveryStage<Result>(
  settings: Settings,
  work: (stage: DeliveryStage) => Promise<Result>,
): Promise<Result> {
  return onKept(settings, 'deliveries', (use) => onOwnDeliveryStage(settings, use), work)
}

async function onOwnDeliveryStage<Result>(
  settings: Settings,
  work: (stage: DeliveryStage) => Promise<Result>,
): Promise<Result> {
  const data = await accountsData(settings)
  const receivers = await startReceivers(webhookCount)
  try {
    return await onPostgres(data, async (url, postgresPid) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        const accounts = data.accounts.slice(0, webhookCount)
        const webhookIds = await createWebhooks(data.dataDir, accounts, receivers)
        return await work({ data, postgresPid, client, receivers, webhookIds, accounts })
      } finally {
        await client.end()
      }
    })
  } finally {
    receivers.stop()
  }
}

/** By the API, so that their keys are sealed and their targets checked. */
async function createWebhooks(
  dataDir: string,
  accounts: readonly PreparedAccount[],
  { urls, senderVariables }: Receivers,
): Promise<string[]> {
  const service = await startService(dataDir, [], senderVariables)
  try {
    const ids: string[] = []
    for (const [index, account] of accounts.entries()) {
      const token = await getToken(service, account, 'sandbox')
      const body = { name: `Receiver ${index}`, target_url: urls[index], event_codes: ['user.all'] }
      // The contract of webhooks.create.
      const { id } = (await post(service, '/api/v2/webhooks', token, body)) as { id: string }
      ids.push(id)
    }
    return ids
  } finally {
    await stopContender(service)
  }
}

/** @throws Error when the answer is a failure. */
export async function post({ port }: Contender, path: string, token: string, body: object): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** Starts `portico worker`, or the bare loop, on the server's core; ready when it says so. */
export async function startWorker({ data, receivers }: DeliveryStage): Promise<Background> {
  const command = [process.execPath, join(root, 'server/dist/cli/main.js'), 'worker', '--json']
  // Log lines are written as in production, and discarded by the system.
  const child = startOn('server', command, {
    cwd: data.dataDir,
    env: { ...serviceVariables(data.dataDir), ...receivers.senderVariables },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (child.stdout === null || child.pid === undefined) throw new Error('the worker has no process')
  await once(child.stdout, 'data', { signal: AbortSignal.timeout(60_000) })
  return { process: child, pid: child.pid }
}

export async function startBareLoop({ receivers }: DeliveryStage): Promise<Background> {
  const file = fileURLToPath(new URL('bare-deliveries.ts', import.meta.url))
  const child = startOn('server', [process.execPath, '--import', 'tsx', file], {
    cwd: root,
    env: { ...serviceVariables(root), ...receivers.senderVariables },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message', { signal: AbortSignal.timeout(60_000) })
  if (child.pid === undefined) throw new Error('the bare loop has no process')
  return { process: child, pid: child.pid }
}

/** Inserts events, each with a delivery to the webhook of its account that becomes due after a delay. */
export async function insertDeliveries(
  { client, webhookIds }: Pick<DeliveryStage, 'client' | 'webhookIds'>,
  { count, inMs }: { count: number; inMs: number },
): Promise<void> {
  const at = new Date()
  await client.query(
    `with happened as (
       insert into events (
         account_id, environment, id, domain, code, data, params, actor_type, actor_id, request_id, issued_at
       )
       select account_id, environment, (substr(md5(random()::text || i), 1, 12) || '7' || substr(md5(i::text), 1, 3)
           || '8' || substr(md5(random()::text), 1, 15))::uuid,
         'awesome-company', $3, $4, $5, 'api_key', md5('key')::uuid, md5('request' || i)::uuid, $6
       from generate_series(0, $2::integer - 1) i
       join webhooks on webhooks.id = ($1::uuid[])[1 + i % cardinality($1::uuid[])]
       returning account_id, environment, id, code, issued_at
     )
     insert into webhook_deliveries (account_id, environment, id, webhook_id, event_code, state, run_at, inserted_at)
     select happened.account_id, happened.environment, happened.id, webhooks.id, code, 'pending', $7, issued_at
     from happened join webhooks on webhooks.account_id = happened.account_id and webhooks.id = any($1)`,
    [webhookIds, count, eventCode, eventData, eventParams, at, new Date(at.getTime() + inMs)],
  )
}

export async function countPending({ client }: Pick<DeliveryStage, 'client'>): Promise<number> {
  const { rows } = await client.query<{ pending: number }>(
    `select count(*)::integer as pending from webhook_deliveries where state = 'pending'`,
  )
  return rows[0]?.pending ?? 0
}
