import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbedded } from './src/db/embedded.js'
import { migrateDatabase } from './src/db/migrate.js'

/** Writes the table types from a database that has all migrations; with --verify only compares. */
const dataDir = mkdtempSync(join(tmpdir(), 'portico-schema-'))
const postgres = await startEmbedded({ dataDir, throwaway: true })
try {
  await migrateDatabase(postgres.url)
  const out = fileURLToPath(new URL('src/db/schema.ts', import.meta.url))
  const mode = process.argv.includes('--verify') ? ['--verify'] : []
  execFileSync(
    'kysely-codegen',
    [
      '--dialect',
      'postgres',
      '--url',
      postgres.url,
      '--out-file',
      out,
      '--exclude-pattern',
      'kysely_*',
      ...mode,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
