import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { isAlive } from '../db/embedded-binaries.js'
import { startEmbedded } from '../db/embedded.js'
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

/** Starts the Postgres of an emulator, for the speed of tests: what it holds is gone when the machine fails. */
export async function openDatabases(cacheDir: string, at: Date): Promise<Databases> {
  await removeAbandoned()
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

/** What emulators left behind that were killed. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^portico-emulator-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1])
    // Another user's is not ours to remove.
    if (pid > 0 && !isAlive(pid))
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}
