import type { Command } from 'commander'
import { writeBackup } from '../operations/backup/backup.js'
import { readConfig } from '../platform/config/config.js'
import { openDirectDatabase } from '../platform/db/direct-database.js'
import { grouped, print, withProgress, type OutputOptions } from './output.js'
import { checkEmbedded } from './with-deps.js'

/** portico backup */
export function define(command: Command): void {
  command
    .argument('<file>', 'a file that does not exist yet')
    .option('--json', 'answer as JSON')
    .action(backup)
}

async function backup(path: string, options: OutputOptions): Promise<void> {
  const config = readConfig(options.terminal.variables)
  await checkEmbedded(config)
  const database = await openDirectDatabase(config)
  try {
    const { rows, masterKeyVersions } = await withProgress(options, 'Backup', (onProgress) =>
      writeBackup(database.url, path, onProgress),
    )
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
    print(options, { file: path, rows, master_key_versions: masterKeyVersions }, () => [
      `Wrote ${grouped(total)} rows of ${Object.keys(rows).length} tables to ${path}.`,
      `Keep MASTER_KEYS (${masterKeyVersions.join(', ')}) apart from it: without them a restored database cannot be used.`,
      'On the embedded default they are the file master-keys in DATA_DIR.',
    ])
  } finally {
    await database.close()
  }
}
