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
  /** Copies the seeded database, which must have no connections then. @returns The address of the copy. */
  copySeeded(): Promise<string>
  /** Begins to remove an unused copy. */
  drop(url: string): void
  /** Ends Postgres and removes all of it. */
  close(): Promise<void>
}

const prefix = 'portico-emulator-'

/** How often an emulator marks its directory, and after how long without a mark it counts as killed. */
const markMs = 60_000
const abandonedAfterMs = 10 * markMs

/** Starts the Postgres of an emulator, for the speed of tests: its data is lost when the machine fails. */
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

/** Over a connection of its own: Postgres waits for connections that are ending, and others should not. */
async function dropDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(`drop database if exists ${name}`)
  } catch {
    // It still has a connection, and is removed with the emulator.
  } finally {
    await client.end()
  }
}

function withName(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = name
  return address.href
}

/** Marks the directory of a live emulator for other processes that cannot see its process. */
async function mark(dataDir: string): Promise<void> {
  const at = systemClock()
  // The directory was removed: requests will fail and show it.
  await utimes(dataDir, at, at).catch(() => undefined)
}

/**
 * Removes the leftovers of killed emulators: without a recent mark, and without a process. The process is not enough,
 * because containers that share a directory do not see each other's processes.
 */
export async function removeAbandoned(folder: string, at: Date): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/^portico-emulator-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1])
    if (!(pid > 0) || isAlive(pid)) continue
    const place = join(folder, name)
    // Another process may be faster.
    const found = await stat(place).catch(() => undefined)
    // Another user's directory is not ours to remove.
    if (found !== undefined && at.getTime() - found.mtimeMs > abandonedAfterMs)
      await rm(place, { recursive: true, force: true }).catch(() => undefined)
  }
}
