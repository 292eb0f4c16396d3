import type { Command } from 'commander'
import { purgeDeleted } from '../operations/purge/purge.js'
import { grouped, print, withProgress, type OutputOptions } from './output.js'
import { toCount } from './values.js'
import { withDeps } from './with-deps.js'

const dayMs = 86_400_000

/** portico purge */
export function define(command: Command): void {
  command
    .option(
      '--older-than-days <days>',
      'what was deleted so many days ago or earlier; DELETED_RETENTION_DAYS when not given',
      toCount,
    )
    .option('--json', 'answer as JSON')
    .action(purge)
}

async function purge(options: OutputOptions & { olderThanDays?: number }): Promise<void> {
  const { rows, ...records } = await withDeps(options, (deps, cause) => {
    const { olderThanDays = deps.config.deletedRetentionDays } = options
    const before = new Date(deps.now().getTime() - olderThanDays * dayMs)
    return withProgress(options, 'Purge', (onErased) => purgeDeleted(deps, cause, { before, onErased }))
  })
  const { users, applications, organizations } = records
  print(options, { ...records, rows }, () => [
    `Erased ${grouped(users)} users, ${grouped(applications)} applications and ${grouped(organizations)} organizations.`,
    ...rowLines(rows),
  ])
}

/** The number of rows of each table, a line each. */
export function rowLines(rows: Readonly<Record<string, number>>): string[] {
  return Object.entries(rows).map(([table, count]) => `  ${table}: ${grouped(count)} rows`)
}
