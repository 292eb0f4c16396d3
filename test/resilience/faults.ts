import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Client } from '@portico/sdk'
import { networkFaults, type DatabaseProxy, type NetworkFault } from '../given/database-proxy.js'
import { anything } from '../given/given.js'
import type { Receiver } from '../given/receiver.js'
import { mailFaults, type SmtpReceiver } from '../given/smtp-receiver.js'
import type { OwnPostgres } from './own-postgres.js'
import type { ServiceProcess } from './service-process.js'
import { until } from './until.js'
import type { VanishingAddress } from './vanishing-address.js'

/** Duration of a fault without a natural end. */
const lastsMs = 5_000
/** Longer than the time after which the worker reports that it has not looked for work. */
const stallsMs = 20_000
/** Longer than requests wait for a connection, which is 5 s. */
const crowdedMs = 7_000
/** Longer than requests wait for a connection and then for an answer, which is 8 s. */
const standsStillMs = 10_000

/** A fault of the service, its database, its clock or a called server. */
export interface Fault {
  readonly name: string
  /** Causes the fault; resolves when it is over and the processes run again. */
  readonly happen: () => Promise<void>
  /** Expected answers to requests during the fault: success, or a retryable refusal. Undefined if any outcome is permitted. */
  readonly requests?: 'answered' | 'refused'
  /** Expected log lines. */
  readonly logs?: RegExp
  /** Expected metrics: samples of one process, by name and labels, whose sum increases. */
  readonly counts?: { readonly by: 'service' | 'worker'; readonly sample: RegExp }
}

export interface Place {
  readonly proxy: DatabaseProxy
  readonly postgres: OwnPostgres
  readonly service: ServiceProcess
  readonly worker: ServiceProcess
  readonly receiver: Receiver
  readonly mailServer: SmtpReceiver
  /** A dedicated key, and a user that it may change. */
  readonly crowd: { readonly client: Client; readonly org_domain: string; readonly user_id: string }
  /** The address of the proxy; undefined if it cannot be made unreachable. */
  readonly address: VanishingAddress | undefined
  /** Moves the clock of both processes; undefined if that is not possible. */
  readonly clock: { shift(seconds: number): void } | undefined
  /** The mount of the database's files; undefined if none could be created. */
  readonly disk: string | undefined
}

/** Expectations of any fault with retryable refusals. */
const refused = {
  requests: 'refused',
  counts: { by: 'service', sample: /^portico_http_request_duration_seconds_count\{.*status="503"/ },
} as const
const away = { ...refused, logs: /"msg":"the database cannot be reached"/ }
const answered = { requests: 'answered' } as const

/** Expectations of network faults during which the database stays reachable. */
const passable: Partial<Record<NetworkFault, Partial<Fault>>> = { late: answered, slow: {} }

/** Every fault that this machine supports. */
export function faultsOf(place: Place): Fault[] {
  const { proxy, postgres, service, worker, receiver, mailServer, address, clock, disk } = place
  return [
    ...mailFaults.map((fault) => ({
      name: `mail server: ${fault}`,
      happen: () => mailServer.during(fault, () => pause(lastsMs)),
      ...answered,
      ...(fault !== 'slow' && {
        logs: /"message":"the mail server does not take a mail: .*"a job failed and will be tried again"/,
        counts: {
          by: 'worker' as const,
          sample: /^portico_jobs_total\{name="send_magic_link",outcome="failed"\}/,
        },
      }),
    })),
    ...networkFaults.map((fault) => ({
      name: `network: ${fault}`,
      happen: () => proxy.during(fault, () => pause(lastsMs)),
      ...(passable[fault] ?? away),
    })),
    {
      name: 'network: silent for long',
      happen: () => proxy.during('silent', () => pause(stallsMs)),
      ...refused,
      logs: /"the loop has not looked for work for long"/,
      counts: { by: 'worker', sample: /^portico_loop_stalls_total/ },
    },
    ...(address === undefined
      ? []
      : [{ name: 'network: unreachable', happen: () => address.during(() => pause(lastsMs)), ...away }]),
    ...(['service', 'worker'] as const).flatMap((which) => {
      const portico = which === 'service' ? service : worker
      const meanwhile = which === 'worker' ? answered : {}
      return [
        { name: `SIGKILL of the ${which}`, happen: () => portico.kill().then(portico.start), ...meanwhile },
        {
          name: `no memory left for the ${which}`,
          happen: () => portico.exhaust().then(portico.start),
          logs: /JavaScript heap out of memory/,
          ...meanwhile,
        },
        {
          name: `SIGTERM of the ${which}`,
          happen: () => terminated(portico),
          ...meanwhile,
        },
        {
          name: `SIGSTOP of the ${which}`,
          happen: () => stopped((name) => portico.signal(name)),
          ...meanwhile,
        },
      ]
    }),
    { name: 'Postgres stops', happen: () => postgres.whileStopped('SIGINT', () => pause(lastsMs)), ...away },
    {
      name: 'Postgres crashes',
      happen: () => postgres.whileStopped('SIGQUIT', () => pause(lastsMs)),
      ...away,
    },
    {
      name: 'SIGKILL of Postgres',
      happen: () => postgres.whileStopped('SIGKILL', () => pause(lastsMs)),
      ...away,
    },
    {
      name: 'SIGKILL of one process of Postgres',
      happen: () => oneKilled(postgres),
      logs: /connection was lost/,
    },
    {
      name: 'SIGTERM of Postgres, which then takes no other connection',
      happen: () => postgres.whileClosing(() => pause(lastsMs)),
    },
    {
      name: 'SIGSTOP of Postgres',
      happen: () => stopped((name) => postgres.signalAll(name), standsStillMs),
      ...away,
    },
    {
      name: 'a primary that only takes reads',
      happen: () => readOnly(postgres),
      ...refused,
      logs: /"sqlstate":"25006".*"a request failed"/,
    },
    { name: 'all connections are ended', happen: () => endSessions(postgres), logs: /connection was lost/ },
    {
      name: 'one key asks for one row',
      happen: () => crowdedRow(place),
      ...answered,
      logs: /"a request failed"/,
      counts: { by: 'service', sample: /^portico_db_connections_refused_total\{.*reason="share"/ },
    },
    {
      name: 'receivers that hang',
      happen: () => hanging(receiver),
      ...answered,
      counts: { by: 'worker', sample: /^portico_webhook_attempts_total\{outcome="(?!delivered)/ },
    },
    ...(disk === undefined
      ? []
      : [{ name: 'a full disk', happen: () => fullDisk(disk, postgres), logs: /"a request failed"/ }]),
    ...(clock === undefined
      ? []
      : [3600, -3600].map((seconds) => ({
          name: `a clock that jumps ${seconds / 60} minutes, and back`,
          happen: () => jump(seconds, clock, postgres),
        }))),
  ]
}

/**
 * Terminates and restarts a process.
 *
 * @throws Error unless it exits gracefully within DRAIN_SECONDS=2 and 5 s.
 */
async function terminated(portico: ServiceProcess): Promise<void> {
  const begun = performance.now()
  const code = await portico.terminate()
  const ms = performance.now() - begun
  await portico.start()
  if (code !== 0 || ms > 7_500) throw new Error(`SIGTERM ended it with ${code} after ${Math.round(ms)} ms`)
}

async function stopped(signal: (name: NodeJS.Signals) => unknown, ms = lastsMs): Promise<void> {
  await signal('SIGSTOP')
  await pause(ms)
  await signal('SIGCONT')
}

async function readOnly(postgres: OwnPostgres): Promise<void> {
  const name = new URL(postgres.url).pathname.slice(1)
  await postgres.query(`alter database ${name} set default_transaction_read_only = on`)
  await endSessions(postgres)
  await pause(lastsMs)
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  await admin.query('set default_transaction_read_only = off')
  await admin.query(`alter database ${name} reset default_transaction_read_only`)
  await admin.end()
  await endSessions(postgres)
}

async function endSessions(postgres: OwnPostgres): Promise<void> {
  await postgres.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'portico' and pid <> pg_backend_pid()`,
  )
}

/** Kills one process of Postgres, as the kernel does without memory: Postgres ends the others and recovers from its log. */
async function oneKilled(postgres: OwnPostgres): Promise<void> {
  const [one] = await postgres.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'portico' limit 1`,
  )
  if (one === undefined) throw new Error('the service has no connection')
  process.kill(one.pid, 'SIGKILL')
  await pause(lastsMs)
  await postgres.ensureRunning()
}

/** Sends many concurrent requests of one key for one locked row, for longer than they wait for a connection. */
async function crowdedRow({ postgres, crowd: { client, ...user } }: Place): Promise<void> {
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  await admin.query('begin')
  await admin.query('select from users where id = $1 for update', [user.user_id])
  const end = performance.now() + crowdedMs
  const one = async () => {
    while (performance.now() < end)
      await client.users.update({ ...user, family_name: anything() }).catch(() => undefined)
  }
  const all = Array.from({ length: 40 }, one)
  await pause(crowdedMs)
  await admin.query('rollback')
  await admin.end()
  await Promise.all(all)
}

/** Moves the clock after all pending mails are sent, because their links would expire. */
async function jump(
  seconds: number,
  clock: { shift(seconds: number): void },
  postgres: OwnPostgres,
): Promise<void> {
  const waiting = () => postgres.query(`select from jobs where name = 'send_magic_link' and attempt > 0`)
  await until(async () => (await waiting()).length === 0, { withinMs: 480_000, everyMs: 200 })
  clock.shift(seconds)
  await pause(lastsMs)
  clock.shift(0)
}

/** Timeout of a delivery's answer (decision 11). */
const waitedForMs = 15_000

async function hanging(receiver: Receiver): Promise<void> {
  receiver.answer(() => undefined)
  // Deliveries of a previously killed process are leased, and not attempted until the lease has expired.
  await receiver.arrived(receiver.received.length + 1)
  await pause(waitedForMs + 2_000)
  receiver.answer(204)
  receiver.hangUp()
  // Waits for the end of the attempts.
  await pause(500)
}

/** Fills the disk until the work is done. */
async function fullDisk(disk: string, postgres: OwnPostgres): Promise<void> {
  const filler = join(disk, 'filler')
  try {
    fill(disk, filler)
    await pause(lastsMs)
  } finally {
    rmSync(filler, { force: true })
  }
  await postgres.ensureRunning()
}

/** Fills the disk in small pieces, because Postgres writes at the same time. */
function fill(disk: string, filler: string): void {
  const left = () => {
    const { bavail, bsize } = statfsSync(disk)
    return bavail * bsize - 200_000
  }
  try {
    for (let bytes = left(); bytes > 0; bytes = left())
      appendFileSync(filler, Buffer.alloc(Math.min(bytes, 4_000_000)))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}

/** Mounts a small separate file system; undefined if that is not possible. */
export function mountDisk(megabytes: number): { path: string; remove(): void } | undefined {
  const path = mkdtempSync('/var/tmp/portico-disk-')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'pipe' })
  } catch {
    rmSync(path, { recursive: true })
    return undefined
  }
  return {
    path,
    remove() {
      execFileSync('umount', [path])
      rmSync(path, { recursive: true })
    },
  }
}
