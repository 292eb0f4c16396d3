import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { isAlive } from '../../platform/db/embedded-binaries.js'
import { startEmbedded } from '../../platform/db/embedded.js'
import { systemClock } from '../../platform/system-clock.js'
import { copyTemplate } from './template.js'

/** The databases of one emulator, in a Postgres of its own that goes with it. */
export interface Databases {
  /** Migrated, and empty until it is seeded. */
  readonly seedUrl: string
  /** Copies the seeded database, to which nobody may be connected then. @returns The address of the copy. */
  copySeeded(): Promise<string>
  /** Begins to remove a copy that nobody uses any more. */
  drop(url: string): void
  /** Ends Postgres and removes all of it. */
  close(): Promise<void>
}

const prefix = 'portico-emulator-'

/** How often an emulator marks its directory, and after how long without a mark it counts as killed. */
const markMs = 60_000
const abandonedAfterMs = 10 * markMs

/** Starts the Postgres of an emulator, for the speed of tests: what it holds is gone when the machine fails. */
export async function openDatabases(cacheDir: string): Promise<Databases> {
  const at = systemClock()
  await removeAbandoned(tmpdir(), at)
  const dataDir = join(tmpdir(), `${prefix}${process.pid}-${randomBytes(4).toString('hex')}`)
  await mkdir(dataDir, { mode: 0o700 })
  let postgres
  try {
    await copyTemplate(cacheDir, dataDir, at)
    postgres = await startEmbedded({ dataDir, throwaway: true })
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true })
    throw error
  }

  const marks = setInterval(() => void mark(dataDir), markMs).unref()
  const { url: seedUrl, stop } = postgres
  const seeded = new URL(seedUrl).pathname.slice(1)
  const admin = new pg.Client({ connectionString: withName(seedUrl, 'postgres') })
  // A connection that breaks rejects the statement under way; without a listener it would end the process.
  admin.on('error', () => undefined)
  await admin.connect()
  const drops = new Set<Promise<void>>()
  let copies = 0
  return {
    seedUrl,
    async copySeeded() {
      copies += 1
      const name = `run_${copies}`
      await admin.query(`create database ${name} template ${seeded} strategy file_copy`)
      return withName(seedUrl, name)
    },
    drop(url) {
      const drop = dropDatabase(withName(seedUrl, 'postgres'), new URL(url).pathname.slice(1))
      drops.add(drop)
      void drop.finally(() => drops.delete(drop))
    },
    async close() {
      clearInterval(marks)
      await Promise.all(drops)
      await admin.end()
      await stop()
    },
  }
}

/** Over a connection of its own: Postgres waits for connections that are ending, and nobody else should. */
async function dropDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(`drop database if exists ${name}`)
  } catch {
    // Somebody looks into it. It goes with the emulator.
  } finally {
    await client.end()
  }
}

function withName(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = name
  return address.href
}

/** Says that the emulator of a directory is alive, to those that cannot see its process. */
async function mark(dataDir: string): Promise<void> {
  const at = systemClock()
  // Somebody has removed it: requests tell.
  await utimes(dataDir, at, at).catch(() => undefined)
}

/**
 * Removes what emulators left behind that were killed: nobody has marked it for a while, and its process is not there.
 * The process alone says nothing, because containers that share a directory do not see those of one another.
 */
export async function removeAbandoned(folder: string, at: Date): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/^portico-emulator-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1])
    if (!(pid > 0) || isAlive(pid)) continue
    const place = join(folder, name)
    // Another process may be faster.
    const found = await stat(place).catch(() => undefined)
    // Another user's is not ours to remove.
    if (found !== undefined && at.getTime() - found.mtimeMs > abandonedAfterMs)
      await rm(place, { recursive: true, force: true }).catch(() => undefined)
  }
}
