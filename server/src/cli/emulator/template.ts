import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { cp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeFolder } from '../../platform/data-dir.js'
import { findPostgresVersion, renameUnlessTaken } from '../../platform/db/embedded-binaries.js'
import { startEmbedded } from '../../platform/db/embedded.js'
import { migrateDatabase } from '../../platform/db/migrate.js'
import { migrations } from '../../platform/db/migrations.js'
import { packageRoot } from '../../platform/package-root.js'

/** A template unused for so long is of an old version. */
const staleAfterMs = 30 * 86_400_000

/** The mark of startEmbedded() by which a directory may be removed when Postgres stops. */
const throwawayMark = 'throwaway'

/**
 * Fills a directory with a Postgres cluster that has every migration. It is made once for a version of Postgres and of
 * the migrations, which takes seconds, and copied from the cache afterwards.
 *
 * @param at The present, to find stale templates in the cache.
 */
export async function copyTemplate(cacheDir: string, dataDir: string, at: Date): Promise<void> {
  const template = join(cacheDir, `emulator-${findPostgresVersion()}-${digestOfMigrations()}`)
  if (!existsSync(template)) await makeTemplate(template)
  await utimes(template, at, at)
  await copyFolder(template, dataDir)
  await writeFile(join(dataDir, throwawayMark), '')
  await removeStale(cacheDir, at)
}

/** Of several processes that make the template at once, the first one's is kept; it appears whole or not at all. */
async function makeTemplate(template: string): Promise<void> {
  const workshop = `${template}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await makeFolder(workshop)
    const postgres = await startEmbedded({ dataDir: workshop })
    try {
      await migrateDatabase(postgres.url)
    } finally {
      await postgres.stop()
    }
    await renameUnlessTaken(workshop, template)
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

/** For 1,600 files Node's own cp takes 1.3 seconds, and the system's almost no time. */
async function copyFolder(from: string, to: string): Promise<void> {
  if (process.platform === 'win32') await cp(from, to, { recursive: true })
  else await promisify(execFile)('cp', ['-a', `${from}/.`, to])
}

/** A digest of 16 characters of the migrations and what follows them: another one whenever any of them changes. */
export function digestOfMigrations(): string {
  const folder = new URL('src/platform/db/migrations/', packageRoot)
  // A migration that is there and not listed has no effect yet.
  const digest = createHash('sha256').update(Object.keys(migrations).join())
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts'))
  for (const name of [...names.sort(), '../concurrent-index.ts', '../seed-statistics.ts'])
    digest.update(name).update(readFileSync(new URL(name, folder)))
  return digest.digest('hex').slice(0, 16)
}

async function removeStale(cacheDir: string, at: Date): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!name.startsWith('emulator-')) continue
    const place = join(cacheDir, name)
    // Another process may be faster.
    const found = await stat(place).catch(() => undefined)
    if (found !== undefined && at.getTime() - found.mtimeMs > staleAfterMs)
      await rm(place, { recursive: true, force: true })
  }
}
