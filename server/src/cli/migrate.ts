import { resolve } from 'node:path'
import type { Command } from 'commander'
import { makeTriggers } from '../operations/citus/triggers.js'
import { readConfig } from '../platform/config/config.js'
import { findIsInCluster } from '../platform/db/cluster.js'
import { openDirectDatabase } from '../platform/db/direct-database.js'
import { migrateDatabase } from '../platform/db/migrate.js'
import {
  newerMigrations,
  planMigrations,
  type LockedTable,
  type PlannedMigration,
} from '../platform/db/migration-plan.js'
import { withClient } from '../platform/db/one-client.js'
import { grouped, print, table, type OutputOptions } from './output.js'
import { toDurationMs } from './values.js'
import { checkEmbedded, lacksEmbedded } from './with-deps.js'

interface MigrateCommand extends OutputOptions {
  readonly plan?: boolean
  /** In ms. */
  readonly wait?: number
}

/** portico migrate */
export function define(command: Command): void {
  command
    .option('--plan', 'only say what would be applied, what it locks, and whom that stops')
    .option('--wait <time>', 'how long a migration asks for its locks, such as 30s; 10s', toDurationMs)
    .option('--json', 'answer as JSON')
    .action(migrate)
}

async function migrate(options: MigrateCommand): Promise<void> {
  const config = readConfig(options.terminal.variables)
  if (options.plan === true) await checkEmbedded(config)
  const isNew = await lacksEmbedded(config)
  const database = await openDirectDatabase(config)
  try {
    if (isNew && !options.json)
      options.terminal.write(
        `Made a database in ${resolve(config.dataDir)}, because DATABASE_URL is not set.\n`,
      )
    await (options.plan ? printPlan(database.url, options) : apply(database.url, options))
  } finally {
    await database.close()
  }
}

async function apply(url: string, options: MigrateCommand): Promise<void> {
  const applied = await applyPending(url, options)
  const newer = await withClient(url, (_client, db) => newerMigrations(db))
  print(options, { applied, newer }, () =>
    applied.length === 0
      ? [nothingPending(newer)]
      : ['Processes that said "not ready", if there are any, take part now, as soon as they are asked.'],
  )
}

async function applyPending(url: string, options: MigrateCommand): Promise<readonly string[]> {
  try {
    return await migrateDatabase(url, {
      patienceMs: options.wait,
      // A later one may fail: what is applied until then is told.
      onApplied: (name) => {
        if (!options.json) options.terminal.write(`Applied ${name}.\n`)
      },
    })
  } finally {
    await mendTriggers(url)
  }
}

/** In a cluster: what migrations make for a single Postgres, also where a later one has failed, or the run before has stopped. */
async function mendTriggers(url: string): Promise<void> {
  await withClient(url, async (_client, db) => {
    if (await findIsInCluster(db)) await makeTriggers(db)
  })
}

async function printPlan(url: string, options: MigrateCommand): Promise<void> {
  const { pending, newer } = await withClient(url, async (_client, db) => ({
    pending: await planMigrations(db),
    newer: await newerMigrations(db),
  }))
  print(options, { pending, newer }, () =>
    pending.length === 0 ? [nothingPending(newer)] : pending.flatMap(toLines),
  )
}

function nothingPending(newer: readonly string[]): string {
  const more = newer.length === 0 ? '' : `, and ${newer.length} of a newer version`
  return `The database has every migration${more}.`
}

function toLines({ name, locks, onlyAdds }: PlannedMigration): string[] {
  const effect = onlyAdds
    ? 'only adds'
    : 'adds, and fills or replaces what the running version can do without'
  const lines =
    locks.length === 0
      ? ['locks no table that there is']
      : table(['TABLE', 'ROWS', 'DURING', 'LOCK', 'STOPS', 'READS ALL OF IT'], locks.map(toCells))
  return [`${name}: ${effect}`, ...lines.map((line) => `  ${line}`)]
}

function toCells({ table: name, estimatedRows, during, lock, stops, work }: LockedTable): string[] {
  return [
    name,
    estimatedRows < 0 ? 'not known yet' : `about ${grouped(estimatedRows)}`,
    during,
    lock,
    stops,
    { none: 'no', scans: 'yes', rewrites: 'and writes it anew' }[work],
  ]
}
