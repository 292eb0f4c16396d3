import type { Command } from 'commander'
import { readConfig } from '../platform/config/config.js'
import { openDirectDatabase } from '../platform/db/direct-database.js'
import { migrateDatabase } from '../platform/db/migrate.js'
import { planMigrations, type PlannedMigration } from '../platform/db/migration-plan.js'
import { withClient } from '../platform/db/one-client.js'
import { grouped, print, type OutputOptions } from './output.js'

/** A statement that waits longer for a lock would block all others behind it. */
const lockTimeout = '5s'

/** portico migrate */
export function define(command: Command): void {
  command
    .option('--plan', 'only say what would be applied, and what it touches')
    .option('--json', 'answer as JSON')
    .action(migrate)
}

async function migrate(options: OutputOptions & { plan?: boolean }): Promise<void> {
  const database = await openDirectDatabase(readConfig(options.terminal.variables))
  try {
    if (options.plan) {
      const pending = await withClient(database.url, (_client, db) => planMigrations(db))
      print(options, { pending }, () =>
        pending.length === 0 ? ['The database has every migration.'] : pending.flatMap(toLines),
      )
      return
    }
    const url = new URL(database.url)
    url.searchParams.set('options', `-c lock_timeout=${lockTimeout}`)
    const applied = await migrateDatabase(url.href)
    print(options, { applied }, () =>
      applied.length === 0
        ? ['The database has every migration.']
        : [
            ...applied.map((name) => `Applied ${name}.`),
            'Services that said "not ready" must be started again.',
          ],
    )
  } finally {
    await database.close()
  }
}

function toLines({ name, tables, onlyAdds }: PlannedMigration): string[] {
  const effect = onlyAdds
    ? 'only adds: the running release goes on working'
    : 'changes or removes: read it before you apply it, and expect waits'
  const touched = tables.map(({ name: table, estimatedRows }) =>
    estimatedRows < 0 ? `${table} (rows not known yet)` : `${table} (about ${grouped(estimatedRows)} rows)`,
  )
  return [
    `${name}: ${effect}`,
    `  touches ${touched.length === 0 ? 'no table that there is' : touched.join(', ')}`,
  ]
}
