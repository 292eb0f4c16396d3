import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { catalogKinds, readCatalog } from './src/platform/db/catalog.js'
import { startEmbedded } from './src/platform/db/embedded.js'
import { migrateDatabase } from './src/platform/db/migrate.js'
import { withClient } from './src/platform/db/one-client.js'

/**
 * Writes the table types, and the schema that portico doctor expects, from a database that has all migrations; with
 * --verify only compares.
 */
const isVerifying = process.argv.includes('--verify')
const dataDir = mkdtempSync(join(tmpdir(), 'portico-schema-'))
const postgres = await startEmbedded({ dataDir, throwaway: true })
try {
  await migrateDatabase(postgres.url)
  writeTypes(postgres.url)
  await writeCatalog(postgres.url)
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
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
  const text = `/**
 * This file was generated from the migrations by \`npm run generate\`.
 * Please do not edit it manually.
 */
import { catalogKinds, type CatalogObject } from './catalog.js'

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
  const out = new URL('src/platform/db/migrated-catalog.ts', import.meta.url)
  if (!isVerifying) writeFileSync(out, text)
  else if (readFileSync(out, 'utf8') !== text)
    throw new Error(
      'server/src/platform/db/migrated-catalog.ts is not what the migrations make: run npm run generate',
    )
}
