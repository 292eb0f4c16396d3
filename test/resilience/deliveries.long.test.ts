import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { migrateDatabase } from '@portico/server/migrate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { createGate, type Arrival } from './ledger.js'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.js'
import { serviceProcess, type ServiceProcess } from './service-process.js'
import { kindsOf } from './storm-kinds.js'
import { createTenants, eventCode, type Tenant } from './storm-tenants.js'
import { startWriters, type Writers } from './storm-writers.js'
import { until } from './until.js'

const minutesMs = 60_000
const masterKeys = `v1:${randomBytes(32).toString('base64')}`

/** A process sends at most 12 at once to the three webhooks at the gate, so of 20 each of two processes has at least 8. */
const heldAtOnce = 20
const answeredAtLast = 6
/** Maximum delay until the outcome of an answered attempt is stored, on a loaded machine. */
const unstoredWithinMs = 2_000
/** The longest waits of the schedule in seconds, after the leases of interrupted deliveries. */
const waitsSeconds = [
  31,
  ...[5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1.1),
]

let postgres: OwnPostgres
let processes: [ServiceProcess, ServiceProcess]
let tenants: Tenant[]
let disturbances: Disturbance[]
let readers: Map<Tenant, string[]>
/** The ids of users whose creation was acknowledged to a client, by tenant. */
let acknowledged: Map<Tenant, string[]>
let deliveries: Delivery[]

const gate = createGate()
let isBack = false
let now = () => Date.now()

/** A disturbance of the service, with start and end by `performance.now()`. */
interface Disturbance {
  readonly what: string
  /** Time for which answers were delayed, so that deliveries were in flight. */
  readonly heldMs: number
  readonly from: number
  readonly until: number
  /** Deliveries in flight to receivers that answer 200 at its start. */
  readonly open: number
  /** Number of these that never got an answer. */
  readonly cut: number
}

interface Delivery {
  readonly webhook_id: string
  readonly id: string
  readonly state: string
  /** Number of claims, and number of attempts stored with an outcome. */
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
    // Shorter than the delay of answers, so that a terminated process leaves some deliveries unfinished.
    DRAIN_SECONDS: '2',
  }
  processes = [await serviceProcess(variables), await serviceProcess(variables)]
  await Promise.all(processes.map((each) => each.start()))
  tenants = await createTenants({
    databaseUrl: postgres.url,
    masterKeys,
    baseUrls: processes.map(({ baseUrl }) => baseUrl),
    kinds: kindsOf({ pass: gate.pass, isBack: () => isBack }),
    now: () => now(),
  })

  const stopReaders = startReaders()
  const writers = startAllWriters()
  disturbances = await disturbAll(writers)
  await writers.acknowledged(sumOf(tenants, ({ kind }) => kind.events))
  await stopReaders()
  await untilSentToHealthy()
  expect(await Promise.all(processes.map((each) => each.terminate()))).toEqual([0, 0])
  await runScheduleToItsEnd()
  deliveries = await readDeliveries()
  report()
}, 12 * minutesMs)

// Registered here, because vitest ignores hooks registered within beforeAll.
afterAll(async () => {
  await Promise.all(processes.map((each) => each.kill()))
  await postgres.remove()
})

/** Readers that follow the stream of each tenant to its end, half of them at each process. */
function startReaders(): () => Promise<void> {
  const abort = new AbortController()
  setMaxListeners(0, abort.signal)
  const failures: unknown[] = []
  readers = new Map(tenants.map((tenant) => [tenant, []]))
  const read = async ({ clients }: Tenant, seen: string[], index: number) => {
    const events = clients[index % clients.length]?.events.listen({ signal: abort.signal }) ?? []
    try {
      for await (const event of events) seen.push(event.id)
    } catch (error) {
      if (!abort.signal.aborted) failures.push(error)
    }
  }
  const reading = [...readers].map(([tenant, seen], index) => read(tenant, seen, index))
  return async () => {
    for (const [tenant, seen] of readers) {
      // Queried each time, because an event gets its position after it is written, so the last one may change.
      const isAtEnd = async () => seen.at(-1) === (await eventsOf(tenant)).at(-1)
      await until(async () => failures.length > 0 || (await isAtEnd()), { everyMs: 100 })
    }
    abort.abort()
    await Promise.all(reading)
    expect(failures).toEqual([])
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

/** Ends processes and restarts Postgres, evenly distributed over all writes. */
async function disturbAll(writers: Writers): Promise<Disturbance[]> {
  const [one, two] = processes
  const plan = [
    () => endAndStart('SIGKILL of one', one, 'kill'),
    () => restart('Postgres stopped', 'SIGINT'),
    () => endAndStart('SIGKILL of two', two, 'kill'),
    () => endAndStart('SIGKILL of one', one, 'kill'),
    () => endAndStart('SIGTERM of two', two, 'terminate'),
    () => restart('Postgres crashed', 'SIGQUIT'),
    () => endAndStart('SIGKILL of two', two, 'kill'),
    () => endAndStart('SIGKILL of one', one, 'kill'),
  ]
  const total = sumOf(tenants, ({ kind }) => kind.events)
  const done: Disturbance[] = []
  for (const [index, happen] of plan.entries()) {
    await writers.acknowledged(Math.round((total * (index + 1)) / (plan.length + 1)))
    done.push(await happen())
    writers.goOn()
  }
  return done
}

/** Answers some delayed deliveries just before the end, too late for a killed process to store the outcome. */
function endAndStart(what: string, portico: ServiceProcess, how: 'kill' | 'terminate'): Promise<Disturbance> {
  return disturb(what, async (open) => {
    gate.letThrough(answeredAtLast)
    expect(await portico[how]()).toBe(how === 'kill' ? undefined : 0)
    await until(() => open.some(({ end }) => end?.kind === 'cut'))
    gate.open()
    await portico.start()
  })
}

/** Answers all delayed deliveries while the database is down. */
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
  happen: (open: readonly Arrival[]) => Promise<void>,
): Promise<Disturbance> {
  const begun = performance.now()
  await gate.hold(heldAtOnce)
  const open = tenants
    .filter(({ kind }) => kind.isGated)
    .flatMap(({ page }) => page.arrivals.filter(({ end }) => end === undefined))
  const from = performance.now()
  await happen(open)
  const cut = open.filter(({ end }) => end?.kind === 'cut').length
  return { what, heldMs: from - begun, from, until: performance.now(), open: open.length, cut }
}

/** Waits until the processes have caught up, which takes as long as an abandoned lease. */
async function untilSentToHealthy(): Promise<void> {
  const healthy = tenants.filter(({ kind }) => kind.isGated).map(({ webhook }) => webhook.id)
  const isSent = async () => {
    const pending = `select from webhook_deliveries where webhook_id = any($1) and state = 'pending' limit 1`
    return (await postgres.query(pending, [healthy])).length === 0
  }
  await until(isSent, { withinMs: 2 * minutesMs, everyMs: 500 })
}

/** Completes the remaining deliveries with an in-process service, because the clock of a process cannot be set. */
async function runScheduleToItsEnd(): Promise<void> {
  const { clock, runJobs } = await startService({
    databaseUrl: postgres.url,
    variables: { MASTER_KEYS: masterKeys },
  })
  now = () => clock.now().getTime()
  isBack = true
  for (const wait of waitsSeconds) {
    await clock.advance(wait)
    await runJobs()
  }
}

async function eventsOf({ accountId, environment }: Tenant, code?: string): Promise<string[]> {
  const rows = await postgres.query<{ id: string }>(
    `select id from events left join event_positions place
      on place.account_id = events.account_id and place.environment = events.environment and event_id = id
    where events.account_id = $1 and events.environment = $2 and ($3::text is null or code = $3)
    order by place.position nulls last`,
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

/** The events accepted by a tenant's receiver, with counts. */
function acceptedBy({ page }: Tenant): Map<string, number> {
  return countBy(page.arrivals.filter(({ end }) => end?.kind === 'accepted'))
}

function countBy(arrivals: readonly Arrival[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const { eventId } of arrivals) times.set(eventId, (times.get(eventId) ?? 0) + 1)
  return times
}

/** Accepted events that were delivered again. */
function acceptedBefore({ page }: Tenant): Arrival[] {
  const last = new Map(page.arrivals.map((arrival) => [arrival.eventId, arrival]))
  return page.arrivals.filter(
    (arrival) => arrival.end?.kind === 'accepted' && last.get(arrival.eventId) !== arrival,
  )
}

/** Time from a moment to the nearest disturbance. */
function distanceMs(at: number): number {
  return Math.min(...disturbances.map(({ from, until: to }) => Math.max(from - at, at - to, 0)))
}

function deliveriesTo({ webhook }: Tenant, state?: string): Delivery[] {
  return deliveries.filter((each) => each.webhook_id === webhook.id && (state ?? each.state) === each.state)
}

function sumOf<Item>(items: Iterable<Item>, measure: (item: Item) => number): number {
  return [...items].reduce((sum, item) => sum + measure(item), 0)
}

function report(): void {
  console.table(
    disturbances.map(({ what, heldMs, from, until: to, open, cut }) => ({
      what,
      'held before, ms': Math.round(heldMs),
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
      'accepted again': sumOf(acceptedBy(tenant).values(), (times) => times - 1),
      'ms from a disturbance': Math.round(
        Math.max(0, ...acceptedBefore(tenant).map(({ end }) => distanceMs(end?.at ?? 0))),
      ),
      'ends not stored': sumOf(deliveriesTo(tenant), ({ taken, stored }) => taken - stored),
      read: readers.get(tenant)?.length,
    })),
  )
}

describe('a storm of 10,000 events', () => {
  test('had deliveries under way in each of five kills, a stop and two restarts of Postgres', () => {
    const times = (word: string) => disturbances.filter(({ what }) => what.startsWith(word))
    expect(times('SIGKILL')).toHaveLength(5)
    expect(times('Postgres')).toHaveLength(2)
    for (const { what, open, cut } of disturbances) {
      expect(open).toBeGreaterThanOrEqual(heldAtOnce)
      expect([what, cut > 0]).toEqual([what, what.startsWith('SIG')])
    }
  })

  test('has an event of each write that was acknowledged, and no other', async () => {
    expect(sumOf(acknowledged.values(), (ids) => ids.length)).toBe(10_000)
    for (const [{ accountId, environment }, ids] of acknowledged) {
      const events = await postgres.query<{ subject_id: string }>(
        'select subject_id from events where account_id = $1 and environment = $2 and code = $3',
        [accountId, environment, eventCode],
      )
      expect(events.map((event) => event.subject_id).sort()).toEqual(ids.toSorted())
    }
  })

  test('ends with every event either accepted by its receiver, lost or failed', async () => {
    for (const tenant of tenants) {
      const { title, end } = tenant.kind
      const committed = (await eventsOf(tenant, eventCode)).toSorted()
      const givenUp = deliveriesTo(tenant).filter(({ state }) => state === 'lost' || state === 'failed')
      const accounted = [...acceptedBy(tenant).keys(), ...givenUp.map(({ id }) => id)]
      expect([title, accounted.sort()]).toEqual([title, committed])
      expect([
        title,
        deliveriesTo(tenant, end)
          .map(({ id }) => id)
          .sort(),
      ]).toEqual([title, committed])
    }
    expect(deliveries).toHaveLength(10_000)
  })

  test('brings no event to a receiver but those of its webhook, signed with the key of that', async () => {
    for (const tenant of tenants) {
      expect(await tenant.page.faults()).toEqual([])
      const committed = new Set(await eventsOf(tenant, eventCode))
      expect(tenant.page.arrivals.filter(({ eventId }) => !committed.has(eventId))).toEqual([])
    }
  })

  test('brings an event again only where a kill or a restart kept from the service how it had ended', () => {
    for (const tenant of tenants) {
      const arrived = countBy(tenant.page.arrivals)
      const accepted = acceptedBy(tenant)
      for (const { id, taken, stored } of deliveriesTo(tenant)) {
        expect(arrived.get(id) ?? 0).toBeLessThanOrEqual(taken)
        expect(accepted.get(id) ?? 0).toBeLessThanOrEqual(1 + taken - stored)
      }
    }
    const repeated = tenants.flatMap(acceptedBefore)
    expect(repeated.length).toBeGreaterThanOrEqual(2 * heldAtOnce)
    expect(repeated.filter(({ end }) => distanceMs(end?.at ?? 0) > unstoredWithinMs)).toEqual([])
  })

  test('is read from the stream by who polls meanwhile: each event once, in their order', async () => {
    for (const [tenant, seen] of readers) {
      expect(seen).toEqual(await eventsOf(tenant))
      expect(seen.length).toBeGreaterThan(tenant.kind.events)
    }
  })
})
