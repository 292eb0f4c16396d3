import { randomBytes } from 'node:crypto'
import { createAccount } from '@portico/server/accounts'
import { createApiKey } from '@portico/server/api-keys'
import { readConfig } from '@portico/server/config'
import { openDeps } from '@portico/server/deps'
import { migrateDatabase } from '@portico/server/migrate'
import { createClient, type Client, type Webhook } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../given.js'
import { startService } from '../harness.js'
import { createGate, startLedgerPage, type LedgerPage } from './ledger.js'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.js'
import { serviceProcess, type ServiceProcess } from './service-process.js'
import { kindsOf, type Kind } from './storm-kinds.js'
import { startWriters, type Writers } from './storm-writers.js'
import { until } from './until.js'

const minutesMs = 60_000
const eventCode = 'user.user.create.success'
const masterKeys = `v1:${randomBytes(32).toString('base64')}`

/** A process sends at most 12 at once to the three webhooks that wait at the gate: of 20, each of two has 8 or more. */
const heldAtOnce = 20
const answeredAtLast = 6
/** The waits of the schedule at their longest, in seconds, after the leases of what was left under way. */
const waitsSeconds = [
  31,
  ...[5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1.1),
]

let postgres: OwnPostgres
let processes: [ServiceProcess, ServiceProcess]
let tenants: Tenant[]
let disturbances: Disturbance[]
let readers: Map<Tenant, string[]>
/** The ids of users by the tenants for which a client was told that they were created. */
let acknowledged: Map<Tenant, string[]>
let deliveries: Delivery[]

const gate = createGate()
let isBack = false
let now = () => Date.now()

/** An account and environment with one webhook, to a receiver of its kind. */
interface Tenant {
  readonly kind: Kind
  readonly page: LedgerPage
  readonly accountId: string
  readonly environment: 'sandbox' | 'production'
  /** One at each process. */
  readonly clients: readonly Client[]
  readonly webhook: Webhook
  readonly org_domain: string
}

/** Something that befell the service, from and until, by `performance.now()`. */
interface Disturbance {
  readonly what: string
  readonly from: number
  readonly until: number
  /** Deliveries under way to receivers that answer 200, as it began. */
  readonly open: number
  /** How many of these never got their answer. */
  readonly cut: number
}

interface Delivery {
  readonly webhook_id: string
  readonly id: string
  readonly state: string
  /** How often it was taken to be sent, and how many of these attempts are stored with their end. */
  readonly taken: number
  readonly stored: number
}

beforeAll(async () => {
  postgres = await startOwnPostgres({ maxConnections: 100 })
  await migrateDatabase(postgres.url)
  const variables = {
    DATABASE_URL: postgres.url,
    MASTER_KEYS: masterKeys,
    DATABASE_POOL_SIZE: '20',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    // Shorter than the slowest answers, so that stopping leaves some unfinished.
    DRAIN_SECONDS: '2',
  }
  processes = [await serviceProcess(variables), await serviceProcess(variables)]
  await Promise.all(processes.map((each) => each.start()))
  tenants = await createTenants()

  const stopReaders = startReaders()
  const writers = startAllWriters()
  disturbances = await rage(writers)
  await writers.acknowledged(tenants.reduce((sum, { kind }) => sum + kind.events, 0))
  await stopReaders()
  await untilSentToHealthy()
  expect(await Promise.all(processes.map((each) => each.terminate()))).toEqual([0, 0])
  await runScheduleToItsEnd()
  deliveries = await readDeliveries()
  report()
}, 12 * minutesMs)

/** The accounts come from within, as those of an operator do; all else through the API. */
async function createTenants(): Promise<Tenant[]> {
  const deps = await openDeps(
    readConfig({ DATABASE_URL: postgres.url, MASTER_KEYS: masterKeys, LOG_LEVEL: 'warn' }),
  )
  const created: Tenant[] = []
  let account = { id: '', domain: '' }
  for (const [index, kind] of kindsOf({ pass: gate.pass, isBack: () => isBack }).entries()) {
    const environment = index % 2 === 0 ? 'sandbox' : 'production'
    // Two environments of one account, so that only the environment keeps their events apart.
    if (environment === 'sandbox')
      account = await createAccount(deps, { name: `Storm ${anything()}`, plan: 'unlimited' })
    const key = await createApiKey(deps, deps.db, { accountId: account.id, environment, name: 'storm' })
    const clients = processes.map(({ baseUrl }) => patientClient(baseUrl, account.domain, key))
    const [client] = clients
    if (client === undefined) throw new Error('there is no process')
    const page = await startLedgerPage(kind.treat, () => now())
    const webhook = await client.webhooks.create({
      name: kind.title,
      target_url: page.receiver.url,
      event_codes: [eventCode],
      retry_on_timeout: kind.retryOnTimeout ?? false,
    })
    page.expect(webhook)
    const { domain: org_domain } = await client.organizations.create({ name: `Storm ${anything()}` })
    created.push({ kind, page, accountId: account.id, environment, clients, webhook, org_domain })
  }
  await deps.close()
  return created
}

/** Repeats each request until it is answered, and asks again soon. */
function patientClient(
  baseUrl: string,
  domain: string,
  { client_id: clientId, client_secret: clientSecret }: { client_id: string; client_secret: string },
): Client {
  return createClient({
    baseUrl,
    domain,
    clientId,
    clientSecret,
    maxRetries: 1000,
    clock: { random: () => 0.1 },
  })
}

/** Readers that follow the stream of each tenant, half of them at either process. */
function startReaders(): () => Promise<void> {
  const abort = new AbortController()
  readers = new Map(tenants.map((tenant) => [tenant, []]))
  const reading = [...readers].map(async ([{ clients }, seen], index) => {
    for await (const event of clients[index % clients.length]?.events.listen({ signal: abort.signal }) ?? [])
      seen.push(event.id)
  })
  return async () => {
    for (const [tenant, seen] of readers) {
      const committed = await eventsOf(tenant)
      await until(() => seen.length >= committed.length)
    }
    abort.abort('enough')
    for (const { reason } of (await Promise.allSettled(reading)) as PromiseRejectedResult[])
      expect(reason).toBe('enough')
  }
}

function startAllWriters(): Writers {
  acknowledged = new Map(tenants.map((tenant) => [tenant, []]))
  const writes = tenants.flatMap((tenant) =>
    Array.from({ length: tenant.kind.events }, (_, index) => ({
      place: Math.random(),
      write: async () => {
        const { clients, org_domain } = tenant
        const user = { org_domain, email: anyEmail() }
        const made = await clients[index % clients.length]?.users.create(user, {
          idempotencyKey: anything() + anything(),
        })
        acknowledged.get(tenant)?.push(made?.id ?? '')
      },
    })),
  )
  return startWriters(writes.toSorted((a, b) => a.place - b.place).map(({ write }) => write))
}

/** Kills and restarts at even distances over all the writes. */
async function rage(writers: Writers): Promise<Disturbance[]> {
  const [one, two] = processes
  const plan = [
    () => kill('SIGKILL of one', one),
    () => restart('Postgres stopped', 'SIGINT'),
    () => kill('SIGKILL of two', two),
    () => kill('SIGKILL of one', one),
    () => restart('Postgres crashed', 'SIGQUIT'),
    () => kill('SIGKILL of two', two),
    () => kill('SIGKILL of one', one),
  ]
  const total = tenants.reduce((sum, { kind }) => sum + kind.events, 0)
  const done: Disturbance[] = []
  for (const [index, happen] of plan.entries()) {
    await writers.acknowledged(Math.round((total * (index + 1)) / (plan.length + 1)))
    done.push(await happen())
    writers.goOn()
  }
  return done
}

/** Some of what is held is answered at the last moment, when most of these answers cannot be stored any more. */
function kill(what: string, portico: ServiceProcess): Promise<Disturbance> {
  return disturb(what, async (open) => {
    gate.letThrough(answeredAtLast)
    await portico.kill()
    await until(() => open.some(({ end }) => end?.kind === 'cut'))
    gate.open()
    await portico.start()
  })
}

/** All that is held is answered while there is no database to store it in. */
function restart(what: string, signal: 'SIGINT' | 'SIGQUIT'): Promise<Disturbance> {
  return disturb(what, (open) =>
    postgres.whileStopped(signal, async () => {
      gate.open()
      await until(() => open.every(({ end }) => end !== undefined))
    }),
  )
}

async function disturb(
  what: string,
  happen: (open: LedgerPage['arrivals']) => Promise<void>,
): Promise<Disturbance> {
  await gate.hold(heldAtOnce)
  const open = tenants
    .filter(({ kind }) => kind.isGated)
    .flatMap(({ page }) => page.arrivals.filter(({ end }) => end === undefined))
  const from = performance.now()
  await happen(open)
  const cut = open.filter(({ end }) => end?.kind === 'cut').length
  return { what, from, until: performance.now(), open: open.length, cut }
}

/** Waits until the processes have caught up by themselves, which takes as long as a lease that nobody holds any more. */
async function untilSentToHealthy(): Promise<void> {
  const healthy = tenants.filter(({ kind }) => kind.isGated).map(({ webhook }) => webhook.id)
  const isSent = async () => {
    const pending = `select from webhook_deliveries where webhook_id = any($1) and state = 'pending' limit 1`
    return (await postgres.query(pending, [healthy])).length === 0
  }
  await until(isSent, { withinMs: 2 * minutesMs, everyMs: 500 })
}

/** The clock of a process cannot be set: a service that has one which can goes on with what is left. */
async function runScheduleToItsEnd(): Promise<void> {
  const { clock, runJobs } = await startService({
    databaseUrl: postgres.url,
    variables: { MASTER_KEYS: masterKeys },
  })
  now = () => clock.now().getTime()
  isBack = true
  for (const wait of waitsSeconds) {
    clock.advance(wait)
    await runJobs()
  }
}

async function eventsOf({ accountId, environment }: Tenant, code?: string): Promise<string[]> {
  const rows = await postgres.query<{ id: string }>(
    `select id from events
    where account_id = $1 and environment = $2 and ($3::text is null or code = $3) order by position`,
    [accountId, environment, code ?? null],
  )
  return rows.map((row) => row.id)
}

function readDeliveries(): Promise<Delivery[]> {
  return postgres.query<Delivery>(`
    select webhook_id, id, state, attempt as taken, (
      select count(*)::integer from webhook_attempts
      where delivery_id = webhook_deliveries.id and webhook_id = webhook_deliveries.webhook_id
    ) as stored
    from webhook_deliveries`)
}

/** What a tenant's receiver has accepted, and how often. */
function acceptedBy({ page }: Tenant): Map<string, number> {
  const times = new Map<string, number>()
  for (const { eventId, end } of page.arrivals)
    if (end?.kind === 'accepted') times.set(eventId, (times.get(eventId) ?? 0) + 1)
  return times
}

function deliveriesTo({ webhook }: Tenant, state?: string): Delivery[] {
  return deliveries.filter((each) => each.webhook_id === webhook.id && (state ?? each.state) === each.state)
}

function countOf<Item>(items: Iterable<Item>, measure: (item: Item) => number): number {
  return [...items].reduce((sum, item) => sum + measure(item), 0)
}

/* eslint-disable no-console -- its figures are what a run of minutes is worth. */
function report(): void {
  console.table(
    disturbances.map(({ what, from, until: to, open, cut }) => ({
      what,
      ms: Math.round(to - from),
      open,
      cut,
    })),
  )
  console.table(
    tenants.map((tenant) => ({
      receiver: tenant.kind.title,
      delivered: deliveriesTo(tenant, 'delivered').length,
      failed: deliveriesTo(tenant, 'failed').length,
      lost: deliveriesTo(tenant, 'lost').length,
      arrivals: tenant.page.arrivals.length,
      'accepted again': countOf(acceptedBy(tenant).values(), (times) => times - 1),
      'ends not stored': countOf(deliveriesTo(tenant), ({ taken, stored }) => taken - stored),
      read: readers.get(tenant)?.length,
    })),
  )
}
/* eslint-enable no-console */

describe('a storm of 10,000 events', () => {
  test('had deliveries under way in each of five kills and two restarts of Postgres', () => {
    expect(disturbances.map(({ what }) => what.split(' ')[0])).toEqual([
      ...['SIGKILL', 'Postgres', 'SIGKILL', 'SIGKILL', 'Postgres', 'SIGKILL', 'SIGKILL'],
    ])
    for (const { what, open, cut } of disturbances) {
      expect(open).toBeGreaterThanOrEqual(heldAtOnce)
      expect([what, what.startsWith('SIGKILL') ? cut > 0 : cut === 0]).toEqual([what, true])
    }
  })

  test('has an event of each write that was acknowledged, and no other', async () => {
    expect(countOf(acknowledged.values(), (ids) => ids.length)).toBe(10_000)
    for (const [{ accountId, environment }, ids] of acknowledged) {
      const events = await postgres.query<{ subject_id: string }>(
        'select subject_id from events where account_id = $1 and environment = $2 and code = $3',
        [accountId, environment, eventCode],
      )
      expect(events.map((event) => event.subject_id).sort()).toEqual(ids.toSorted())
    }
  })

  test('ends with every event delivered, failed or lost, as its receiver did', async () => {
    for (const tenant of tenants) {
      const { title, end } = tenant.kind
      const committed = await eventsOf(tenant, eventCode)
      expect([
        title,
        deliveriesTo(tenant, end)
          .map(({ id }) => id)
          .sort(),
      ]).toEqual([title, committed.toSorted()])
      expect([title, deliveriesTo(tenant)]).toHaveLength(2)
      expect(deliveriesTo(tenant)).toHaveLength(committed.length)
    }
  })
})
