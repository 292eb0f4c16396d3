import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { catalogKinds, readCatalog } from './src/platform/db/catalog.js'
import { startEmbedded } from './src/platform/db/embedded.js'
import { withClient } from './src/platform/db/one-client.js'

/**
 * Writes the list of the migrations, the locks that each takes, and from a database that has them all the table types and the
 * schema that portico doctor expects; with --verify only compares.
 */
const isVerifying = process.argv.includes('--verify')
writeMigrations()
const { migrateDatabase } = await import('./src/platform/db/migrate.js')
const { observedLocks } = await import('./observed-locks.js')
const dataDir = mkdtempSync(join(tmpdir(), 'portico-schema-'))
const postgres = await startEmbedded({ dataDir, throwaway: true })
try {
  await migrateDatabase(postgres.url)
  writeTypes(postgres.url)
  await writeCatalog(postgres.url)
  await writeLocks(postgres.url)
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

function writeMigrations(): void {
  const names = readdirSync(new URL('src/platform/db/migrations', import.meta.url))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, ''))
    .toSorted()
  const identifier = (name: string) => `m${name.slice(0, 4)}`
  write(
    'migrations.ts',
    `${names.map((name) => `import * as ${identifier(name)} from './migrations/${name}.js'\n`).join('')}import type { SchemaMigration } from './schema-migration.js'

/** Every migration by name, in the order in which they are applied. */
export const migrations: Readonly<Record<string, SchemaMigration>> = {
${names.map((name) => `  '${name}': ${identifier(name)},\n`).join('')}}
`,
  )
}

function writeTypes(url: string): void {
  const out = fileURLToPath(new URL('src/platform/db/schema.ts', import.meta.url))
  execFileSync(
    'kysely-codegen',
    [
      '--dialect',
      'postgres',
      '--url',
      url,
      '--out-file',
      out,
      '--exclude-pattern',
      'kysely_*',
      ...(isVerifying ? ['--verify'] : []),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
}

async function writeCatalog(url: string): Promise<void> {
  const objects = await withClient(url, (_client, db) => readCatalog(db))
  const unused = objects.find(({ state }) => state !== 'used')
  if (unused !== undefined) throw new Error(`the migrations leave ${unused.name} ${unused.state}`)
  const kinds = catalogKinds.slice(1).map((kind) => {
    const lines = objects
      .filter((object) => object.kind === kind)
      .map(({ table, name, definition }) => `    ${JSON.stringify([table, name, definition])},\n`)
    return `  ${JSON.stringify(kind)}: [\n${lines.join('')}  ],\n`
  })
  const text = `import { catalogKinds, type CatalogObject } from './catalog.js'

type Parts = readonly (readonly [table: string, name: string, definition: string])[]

const byKind: Readonly<Record<Exclude<CatalogObject['kind'], 'table'>, Parts>> = {
${kinds.join('')}}

/** Every table has columns, which name it. */
const tables: Parts = [...new Set(byKind.column.map(([table]) => table))].map((name) => [name, name, ''])

/** The schema that the migrations make, in the order in which it can be made again. */
export const migratedCatalog: readonly CatalogObject[] = catalogKinds.flatMap((kind) =>
  (kind === 'table' ? tables : byKind[kind]).map(([table, name, definition]) => ({ kind, table, name, definition })),
)
`
  write('migrated-catalog.ts', text)
}

async function writeLocks(url: string): Promise<void> {
  const lines = Object.entries(await observedLocks(url)).map(
    ([name, locks]) =>
      `  ${JSON.stringify(name)}: [\n${locks.map((lock) => `    ${JSON.stringify(lock)},\n`).join('')}  ],\n`,
  )
  const text = `import type { ObservedLock } from './table-locks.js'

/** The locks that each migration takes on tables which exist before it. */
export const migrationLocks: Readonly<Record<string, readonly ObservedLock[]>> = {
${lines.join('')}}
`
  write('migration-locks.ts', text)
}

function write(name: string, text: string): void {
  const out = new URL(`src/platform/db/${name}`, import.meta.url)
  const written = `/**
 * This file was generated from the migrations by \`npm run generate\`.
 * Please do not edit it manually.
 */
${text}`
  if (!isVerifying) writeFileSync(out, written)
  else if (readFileSync(out, 'utf8') !== written)
    throw new Error(`server/src/platform/db/${name} is not what the migrations make: run npm run generate`)
}
