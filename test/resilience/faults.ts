import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { networkFaults, type DatabaseProxy } from '../database-proxy.js'
import type { Receiver } from '../receiver.js'
import type { OwnPostgres } from './own-postgres.js'
import type { ServiceProcess } from './service-process.js'

/** How long a fault lasts that has no end of its own. */
const lastsMs = 5_000

/** Something that befalls the service, its database, its clock or whom it calls. */
export interface Fault {
  readonly name: string
  /** Resolves when it is over, and its processes run again. */
  readonly happen: () => Promise<void>
}

export interface Place {
  readonly proxy: DatabaseProxy
  readonly postgres: OwnPostgres
  readonly service: ServiceProcess
  readonly worker: ServiceProcess
  readonly receiver: Receiver
  /** What moves the clock of both processes; undefined where it cannot be moved. */
  readonly clock: { shift(seconds: number): void } | undefined
  /** The mount that the database's files are on; undefined where none could be made. */
  readonly disk: string | undefined
}

/** Every fault that can be made here. */
export function faultsOf({ proxy, postgres, service, worker, receiver, clock, disk }: Place): Fault[] {
  return [
    ...networkFaults.map((fault) => ({
      name: `network: ${fault}`,
      happen: () => proxy.during(fault, () => pause(lastsMs)),
    })),
    ...(['service', 'worker'] as const).flatMap((which) => {
      const portico = which === 'service' ? service : worker
      return [
        { name: `SIGKILL of the ${which}`, happen: () => portico.kill().then(portico.start) },
        { name: `SIGTERM of the ${which}`, happen: () => terminated(portico).then(portico.start) },
        { name: `SIGSTOP of the ${which}`, happen: () => stopped((name) => portico.signal(name)) },
      ]
    }),
    { name: 'Postgres stops', happen: () => postgres.whileStopped('SIGINT', () => pause(1_000)) },
    { name: 'Postgres crashes', happen: () => postgres.whileStopped('SIGQUIT', () => pause(1_000)) },
    { name: 'SIGSTOP of Postgres', happen: () => stopped((name) => postgres.signalAll(name)) },
    { name: 'a primary that only takes reads', happen: () => readOnly(postgres) },
    { name: 'all connections are ended', happen: () => endSessions(postgres) },
    { name: 'one key asks for one row', happen: () => heldRow(postgres) },
    { name: 'receivers that hang', happen: () => hanging(receiver) },
    ...(clock === undefined
      ? []
      : [3600, -3600].map((seconds) => ({
          name: `a clock that jumps ${seconds / 60} minutes, and back`,
          happen: async () => {
            clock.shift(seconds)
            await pause(lastsMs)
            clock.shift(0)
          },
        }))),
    ...(disk === undefined ? [] : [{ name: 'a full disk', happen: () => fullDisk(disk, postgres) }]),
  ]
}

/** @throws Error unless it ends by itself, in order, within DRAIN_SECONDS=2 and 5 s. */
async function terminated(portico: ServiceProcess): Promise<void> {
  const begun = performance.now()
  const code = await portico.terminate()
  const ms = performance.now() - begun
  if (code !== 0 || ms > 7_500) throw new Error(`SIGTERM ended it with ${code} after ${Math.round(ms)} ms`)
}

async function stopped(signal: (name: NodeJS.Signals) => unknown): Promise<void> {
  await signal('SIGSTOP')
  await pause(lastsMs)
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

/** Every user's row is held, so that whoever signs one in waits. */
async function heldRow(postgres: OwnPostgres): Promise<void> {
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  await admin.query('begin')
  await admin.query('select from users for update')
  await pause(lastsMs)
  await admin.query('rollback')
  await admin.end()
}

async function hanging(receiver: Receiver): Promise<void> {
  receiver.answer(() => undefined)
  await pause(lastsMs)
  receiver.answer(204)
  receiver.hangUp()
}

/** Nothing more can be written, until what has filled it is gone. */
async function fullDisk(disk: string, postgres: OwnPostgres): Promise<void> {
  const filler = join(disk, 'filler')
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - 200_000)))
  await pause(lastsMs)
  rmSync(filler)
  await postgres.ensureRunning()
}

/** A small file system of its own, not among other temporary files; undefined where none can be mounted. */
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
