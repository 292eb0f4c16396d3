import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbedded } from '@portico/server/embedded'
import { copyTemplate, digestOfMigrations } from '@portico/server/embedded-template'
import { migrateDatabase } from '@portico/server/migrate'
import pg from 'pg'

/** A Postgres with a migrated database that tests copy. */
interface Prepared {
  readonly adminUrl: string
  readonly templateName: string
  readonly close: () => Promise<void>
}

/**
 * Starts Postgres with a migrated database. The cluster comes from the template cache of the emulator, so only the first run
 * after a change of the migrations creates one.
 */
export async function startTemplate(): Promise<Prepared> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-test-'))
  await mkdir(cacheDir, { recursive: true })
  await copyTemplate(cacheDir, dataDir, new Date())
  const postgres = await startEmbedded({ dataDir, throwaway: true, maxConnections: 300 })
  const url = new URL(postgres.url)
  const name = url.pathname.slice(1)
  // A database cannot be copied while connections to it are open.
  url.pathname = 'postgres'
  const templateName = nameOfMigrations()
  await run(url.href, `alter database ${name} rename to ${templateName}`)
  return { adminUrl: url.href, templateName, close: () => postgres.stop() }
}

/**
 * Takes the migrated database of a running Postgres, or makes one. A run inside of another, with a guard removed, takes that of the
 * outer one unless it has other migrations.
 */
export async function templateIn(adminUrl: string): Promise<Prepared> {
  const known = nameOfMigrations()
  if (await isThere(adminUrl, known)) return { adminUrl, templateName: known, close: () => Promise.resolve() }
  const templateName = `portico_template_${process.pid}`
  await run(adminUrl, `create database ${templateName}`)
  const templateUrl = new URL(adminUrl)
  templateUrl.pathname = templateName
  await migrateDatabase(templateUrl.href)
  return { adminUrl, templateName, close: () => drop(adminUrl, templateName) }
}

async function drop(adminUrl: string, name: string): Promise<void> {
  await run(adminUrl, `drop database ${name}`)
}

/** The name of a database that has these migrations and nothing else. */
function nameOfMigrations(): string {
  return `portico_migrated_${digestOfMigrations()}`
}

const cacheDir = fileURLToPath(new URL('../node_modules/.cache/portico', import.meta.url))

async function isThere(url: string, name: string): Promise<boolean> {
  const { rows } = await run(url, `select 1 from pg_database where datname = '${name}'`)
  return rows.length > 0
}

async function run(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
