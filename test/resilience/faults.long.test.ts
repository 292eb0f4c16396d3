import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '@portico/server/accounts'
import { createApiKey } from '@portico/server/api-keys'
import { readConfig } from '@portico/server/config'
import { openDeps } from '@portico/server/deps'
import { migrateDatabase } from '@portico/server/migrate'
import { createClient } from '@portico/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDatabaseProxy } from '../database-proxy.js'
import { givenOf } from '../given.js'
import { startReceiver, type Receiver } from '../receiver.js'
import { startLoad, type Load } from './fault-load.js'
import { faultsOf, mountDisk, type Fault } from './faults.js'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.js'
import { serviceProcess, type ServiceProcess } from './service-process.js'
import { until } from './until.js'

// Each fault in turn while requests, jobs and deliveries go on. FAULT_MINUTES repeats them, in an order that FAULT_SEED decides,
// for so long; without it each one comes once.

const minutesMs = 60_000
const minutes = Number(process.env.FAULT_MINUTES ?? '0')
const seed = Number(process.env.FAULT_SEED ?? String(Date.now() % 1_000_000))
/** From the end of a fault until requests are answered again. */
const recoveryMs = 5_000
/** Deliveries that a killed process had under way, from its end: their lease, and 2 s. */
const leaseMs = 32_000
const code = 'user.user.create.success'

let postgres: OwnPostgres
let service: ServiceProcess
let worker: ServiceProcess
let receiver: Receiver
let load: Load
let faults: Fault[]
let disk: ReturnType<typeof mountDisk>
const clockFile = join(mkdtempSync(join(tmpdir(), 'portico-clock-')), 'clock')

beforeAll(async () => {
  const masterKeys = `v1:${randomBytes(32).toString('base64')}`
  disk = mountDisk(500 + 20 * minutes)
  postgres = await startOwnPostgres({ maxConnections: 100, ...(disk && { parent: disk.path }) })
  await migrateDatabase(postgres.url)
  const proxy = await startDatabaseProxy(postgres.url)
  receiver = await startReceiver()
  const clock = clockThatMoves()
  const variables = {
    ...clock?.variables,
    DATABASE_URL: proxy.url,
    MASTER_KEYS: masterKeys,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    DRAIN_SECONDS: '2',
    MAILS_PER_ADDRESS: '1000000',
    SIGN_IN_ATTEMPTS_PER_IP: '1000000',
  }
  service = await serviceProcess(variables, ['serve', '--no-worker'])
  worker = await serviceProcess(variables, ['worker'])
  await Promise.all([service.start(), worker.start()])
  const { account, credentials } = await givenAccount(masterKeys)
  const client = createClient({
    baseUrl: service.baseUrl,
    domain: account,
    clientId: credentials.client_id,
    clientSecret: credentials.client_secret,
  })
  const { domain: org_domain } = await client.organizations.create({ name: 'Faults' })
  await givenOf(client).application({ org_domain })
  await client.webhooks.create({
    name: 'Receiver',
    target_url: receiver.url,
    event_codes: [code],
    retry_on_timeout: true,
  })
  faults = faultsOf({ proxy, postgres, service, worker, receiver, clock, disk: disk?.path })
  load = startLoad({ baseUrl: service.baseUrl, account, credentials, org_domain })
  await load.succeeds(20_000)
}, minutesMs)

// Registered here: what beforeAll registers while it runs is never called.
afterAll(async () => {
  await Promise.all([service.kill(), worker.kill()])
  await postgres.remove()
  disk?.remove()
  rmSync(join(clockFile, '..'), { recursive: true, force: true })
})

async function givenAccount(masterKeys: string) {
  const deps = await openDeps(
    readConfig({ DATABASE_URL: postgres.url, MASTER_KEYS: masterKeys, LOG_LEVEL: 'warn' }),
  )
  const { id, domain } = await createAccount(deps, { name: 'Faults', plan: 'unlimited' })
  const credentials = await createApiKey(deps, deps.db, {
    accountId: id,
    environment: 'sandbox',
    name: 'faults',
  })
  await deps.close()
  return { account: domain, credentials }
}

/** The clock of processes with these variables, by libfaketime. */
function clockThatMoves() {
  const folder = ['/usr/lib', '/usr/lib64'].flatMap((root) =>
    existsSync(root) ? readdirSync(root).map((name) => join(root, name, 'faketime', 'libfaketime.so.1')) : [],
  )
  const library = folder.find((path) => existsSync(path))
  if (library === undefined) {
    console.warn('No fault moves the clock: libfaketime is missing (Debian package libfaketime).')
    return undefined
  }
  const shift = (seconds: number) => writeFileSync(clockFile, `${seconds < 0 ? '' : '+'}${seconds}s\n`)
  shift(0)
  const variables = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
  return { shift, variables }
}

/** The same numbers for the same seed (mulberry32). */
function randomOf(from: number): () => number {
  let state = from
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Every fault once, and then any of them until the time is over. */
function* planned(): Generator<Fault> {
  yield* faults
  const random = randomOf(seed)
  const end = performance.now() + minutes * minutesMs
  while (performance.now() < end) {
    const next = faults[Math.floor(random() * faults.length)]
    if (next !== undefined) yield next
  }
}

async function status(url: string): Promise<number> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ status }) => status,
    () => 0,
  )
}

describe(`faults (FAULT_SEED=${seed})`, () => {
  const missed: string[] = []
  const recoveries = new Map<string, number>()

  test(
    'are over for requests within 5 s of their end, and /readyz of service and worker says so',
    async () => {
      for (const fault of planned()) {
        await fault.happen().catch((error: unknown) => missed.push(`${fault.name}: ${String(error)}`))
        const over = performance.now()
        const ready = async () =>
          (await status(`${service.baseUrl}/readyz`)) === 200 &&
          (await status(new URL('/readyz', worker.metricsUrl).href)) === 200
        await Promise.all([load.succeeds(20_000), until(ready, { withinMs: 20_000 })]).catch(
          (error: unknown) => missed.push(`${fault.name}: ${String(error)}`),
        )
        const ms = performance.now() - over
        recoveries.set(fault.name, Math.max(ms, recoveries.get(fault.name) ?? 0))
        if (ms > recoveryMs) missed.push(`${fault.name}: ${Math.round(ms)} ms`)
      }
      console.table([...recoveries].map(([fault, ms]) => ({ fault, 'recovered after, ms': Math.round(ms) })))
      expect(missed).toEqual([])
    },
    (minutes + 15) * minutesMs,
  )

  test(
    'lose and double no write, and leave no key in flight',
    async () => {
      await load.settle()
      const { writes, counts } = load
      console.log({ writes: writes.length, ...counts })

      const users = await postgres.query<{ id: string; email: string }>('select id, email from users')
      const acknowledged = new Map(writes.map(({ email, id }) => [email, id]))
      expect(users.filter(({ id, email }) => acknowledged.get(email) !== id)).toEqual([])
      expect(users).toHaveLength(writes.length)
      const events = await postgres.query<{ subject_id: string }>(
        'select subject_id from events where code = $1',
        [code],
      )
      expect(events.map((event) => event.subject_id).toSorted()).toEqual(
        users.map((user) => user.id).toSorted(),
      )
      const inFlight = await postgres.query(
        'select key_hash from idempotency_keys where answer_sealed is null',
      )
      expect(inFlight).toEqual([])
    },
    2 * minutesMs,
  )

  test(
    'lose no delivery: each event comes to its receiver',
    async () => {
      const pending = () => postgres.query(`select from webhook_deliveries where state = 'pending' limit 1`)
      await until(async () => (await pending()).length === 0, {
        withinMs: leaseMs + 8 * minutesMs,
        everyMs: 500,
      })

      const states = await postgres.query(
        'select state, count(*)::integer as count from webhook_deliveries group by state',
      )
      expect(states).toEqual([{ state: 'delivered', count: load.writes.length }])
      const arrived = new Set(receiver.received.map(({ event }) => event.id))
      expect(arrived.size).toBe(load.writes.length)
    },
    10 * minutesMs,
  )

  test('keep no caller waiting, and answer nothing that cannot be acted on', () => {
    expect(load.wrong).toEqual([])
    expect(load.counts.refused).toBeGreaterThan(0)
  })
})
