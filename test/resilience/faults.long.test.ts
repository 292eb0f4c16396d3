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
import { startDatabaseProxy } from '../given/database-proxy.js'
import { givenOf } from '../given/given.js'
import { startReceiver, type Receiver } from '../given/receiver.js'
import { startSmtpReceiver, type SmtpReceiver } from '../given/smtp-receiver.js'
import { startLoad, type Load } from './fault-load.js'
import { statusOf, witnessOf } from './fault-witness.js'
import { faultsOf, mountDisk, type Fault } from './faults.js'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.js'
import { outOfMemoryVariables, serviceProcess, type ServiceProcess } from './service-process.js'
import { until } from './until.js'
import { addVanishingAddress } from './vanishing-address.js'

// Causes each fault in turn while requests, jobs and deliveries continue. FAULT_MINUTES repeats them in an order given by
// FAULT_SEED; by default each fault occurs once.

const minutesMs = 60_000
const minutes = Number(process.env.FAULT_MINUTES ?? '0')
const seed = Number(process.env.FAULT_SEED ?? String(Date.now() % 1_000_000))
/** Maximum time from the end of a fault until requests are answered again. */
const recoveryMs = 5_000
/** Maximum time from the end of a killed process until its deliveries are resumed: their lease and 2 s. */
const leaseMs = 32_000
/** How long a mailed link is valid. */
const linkMs = 15 * minutesMs
const code = 'user.user.create.success'

let postgres: OwnPostgres
let service: ServiceProcess
let worker: ServiceProcess
let receiver: Receiver
let mailServer: SmtpReceiver
let load: Load
let witness: ReturnType<typeof witnessOf>
let faults: Fault[]
let disk: ReturnType<typeof mountDisk>
/** The links whose mail was not sent in time, as the worker logs them. */
const expired = new Set<string>()
let address: ReturnType<typeof addVanishingAddress>
const clockFile = join(mkdtempSync(join(tmpdir(), 'portico-clock-')), 'clock')

beforeAll(async () => {
  const masterKeys = `v1:${randomBytes(32).toString('base64')}`
  disk = mountDisk(500 + 20 * minutes)
  postgres = await startOwnPostgres({ maxConnections: 100, ...(disk && { parent: disk.path }) })
  await migrateDatabase(postgres.url)
  address = addVanishingAddress()
  const proxy = await startDatabaseProxy(postgres.url, address?.host)
  receiver = await startReceiver()
  mailServer = await startSmtpReceiver()
  const clock = clockThatMoves()
  const variables = {
    ...clock?.variables,
    ...outOfMemoryVariables,
    DATABASE_URL: proxy.url,
    MASTER_KEYS: masterKeys,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    DRAIN_SECONDS: '2',
    SMTP_URL: mailServer.url,
    SANDBOX_MAIL: 'send',
    MAILS_PER_ADDRESS: '1000000',
    SIGN_IN_ATTEMPTS_PER_IP: '1000000',
  }
  service = await serviceProcess(variables, ['serve', '--no-worker'])
  worker = await serviceProcess(variables, ['worker'], {
    onLog(line) {
      const [, id] = /"challenge_id":"([^"]+)".*a link expired/.exec(line) ?? []
      if (id !== undefined) expired.add(id)
    },
  })
  await Promise.all([service.start(), worker.start()])
  const { account, keys } = await givenAccount(masterKeys)
  const clientOf = ({ client_id: clientId, client_secret: clientSecret }: typeof keys.load) =>
    createClient({ baseUrl: service.baseUrl, domain: account, clientId, clientSecret, maxRetries: 0 })
  const client = clientOf(keys.load)
  const { domain: org_domain } = await client.organizations.create({ name: 'Faults' })
  await givenOf(client).application({ org_domain })
  await client.webhooks.create({
    name: 'Receiver',
    target_url: receiver.url,
    event_codes: [code],
    retry_on_timeout: true,
  })
  load = startLoad({ baseUrl: service.baseUrl, account, credentials: keys.load, org_domain })
  await load.succeeds(20_000)
  const { domain: of_witness } = await client.organizations.create({ name: 'Witness' })
  witness = witnessOf({ service, worker, client: clientOf(keys.witness), org_domain: of_witness })
  const user_id = load.writes[0]?.id ?? ''
  faults = faultsOf({
    ...{ proxy, postgres, service, worker, receiver, mailServer, address, clock },
    disk: disk?.path,
    crowd: { client: clientOf(keys.crowd), org_domain, user_id },
  })
}, minutesMs)

// Registered here, because vitest ignores hooks registered within beforeAll.
afterAll(async () => {
  await Promise.all([service.kill(), worker.kill()])
  await postgres.remove()
  disk?.remove()
  address?.remove()
  rmSync(join(clockFile, '..'), { recursive: true, force: true })
})

async function givenAccount(masterKeys: string) {
  const deps = await openDeps(
    readConfig({ DATABASE_URL: postgres.url, MASTER_KEYS: masterKeys, LOG_LEVEL: 'warn' }),
  )
  const { id, domain } = await createAccount(deps, { name: 'Faults', plan: 'unlimited' })
  const key = (name: string) => createApiKey(deps, deps.db, { accountId: id, environment: 'sandbox', name })
  const keys = { load: await key('load'), witness: await key('witness'), crowd: await key('crowd') }
  await deps.close()
  return { account: domain, keys }
}

/** A clock of processes with these variables, through libfaketime. */
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

/** A seeded random generator (mulberry32). */
function randomOf(from: number): () => number {
  let state = from
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Every fault once, and then random ones until the time is over. */
function* planned(): Generator<Fault> {
  yield* faults
  const random = randomOf(seed)
  const end = performance.now() + minutes * minutesMs
  while (performance.now() < end) {
    const next = faults[Math.floor(random() * faults.length)]
    if (next !== undefined) yield next
  }
}

describe(`faults (FAULT_SEED=${seed})`, () => {
  const missed: string[] = []
  const recoveries = new Map<string, number>()
  const past: { fault: Fault; from: number; to: number }[] = []
  const isReady = async () =>
    (await statusOf(`${service.baseUrl}/readyz`, 2_000)) === 200 &&
    (await statusOf(new URL('/readyz', worker.metricsUrl).href, 2_000)) === 200

  test(
    'are over for requests within 5 s of their end, and /readyz of service and worker says so',
    async () => {
      for (const fault of planned()) {
        const begun = performance.now()
        const before = missed.length
        const told = await witness.watch(fault, async () => {
          const over = performance.now()
          const recovered = async (what: string, work: Promise<unknown>) => {
            const last = await work.catch(String)
            const ms = performance.now() - over
            recoveries.set(fault.name, Math.max(ms, recoveries.get(fault.name) ?? 0))
            if (ms > recoveryMs)
              missed.push(`${fault.name}: ${what} after ${Math.round(ms)} ms (${String(last)})`)
          }
          await Promise.all([
            recovered('requests', load.succeeds(20_000)),
            recovered('/readyz', until(isReady, { withinMs: 20_000 })),
          ])
        })
        missed.push(...told)
        // Printed immediately, because the run may take an hour.
        for (const each of missed.slice(before)) console.warn(each)
        past.push({ fault, from: begun, to: performance.now() })
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

  test(
    'lose no mail, and double none but where the process or its database went before it could store that it was sent',
    async () => {
      const waiting = () =>
        postgres.query(`select from jobs where name = 'send_magic_link' and run_at <> 'infinity' limit 1`)
      await until(async () => (await waiting()).length === 0, { withinMs: 8 * minutesMs, everyMs: 500 })

      const { received } = mailServer
      const during = (at: number, kind: RegExp) =>
        past.some(({ fault, from, to }) => kind.test(fault.name) && at > from - 2_000 && at < to + 2_000)
      const firsts = new Map(received.toReversed().map((mail) => [mail.to, mail]))
      expect(await postgres.query(`select from jobs where name = 'send_magic_link'`)).toEqual([])
      // A link may expire before it is sent where a clock jumps while its mail waits, and then the log says so.
      const unsent = load.mails.filter(({ to }) => !firsts.has(to))
      const jumps = past.filter(({ fault }) => fault.name.startsWith('a clock'))
      const isByClock = ({ id, at }: (typeof unsent)[number]) =>
        expired.has(id) && jumps.some(({ from, to }) => at < to + 2_000 && from - at < linkMs)
      const lost = unsent.filter((mail) => !isByClock(mail))
      expect(
        lost.map((mail) => ({
          ...mail,
          faults: past.filter(({ to, from }) => to > mail.at && from - mail.at < linkMs),
        })),
      ).toEqual([])
      const again = received.filter((mail) => firsts.get(mail.to) !== mail)
      const doubled = again.filter(({ to, messageId }) => {
        const first = firsts.get(to)
        const isUnavoidable = !first?.isAcknowledged || during(first.at, /^(?!mail server|receivers)/)
        return !isUnavoidable || messageId !== first?.messageId
      })
      console.log({ mails: load.mails.length, again: again.length })
      expect(doubled).toEqual([])
      expect(load.mails.length).toBeGreaterThan(past.length)
    },
    10 * minutesMs,
  )

  test('keep no caller waiting, and answer nothing that cannot be acted on', () => {
    expect(load.wrong).toEqual([])
    expect(load.counts.refused).toBeGreaterThan(0)
  })
})
