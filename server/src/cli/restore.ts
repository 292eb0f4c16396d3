import { existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { restoreBackup } from '../operations/backup/restore.js'
import { readConfig } from '../platform/config/config.js'
import { readOrMakeMasterKeys } from '../platform/crypto/master-keys-file.js'
import { parseMasterKeys } from '../platform/crypto/seal.js'
import { openDirectDatabase } from '../platform/db/direct-database.js'
import { grouped, print, withProgress, type OutputOptions } from './output.js'

/** portico restore */
export function define(command: Command): void {
  command
    .argument('<file>', 'a file that portico backup wrote')
    .option('--json', 'answer as JSON')
    .action(restore)
}

async function restore(path: string, options: OutputOptions): Promise<void> {
  const config = readConfig(options.terminal.variables)
  await access(path)
  const hasKeys = config.masterKeys !== undefined || existsSync(join(config.dataDir, 'master-keys'))
  const masterKeys = hasKeys
    ? parseMasterKeys(config.masterKeys ?? (await readOrMakeMasterKeys(config.dataDir)))
    : undefined
  const database = await openDirectDatabase(config)
  try {
    const { rows, masterKeyVersions, migrated } = await withProgress(options, 'Restore', (onProgress) =>
      restoreBackup(database.url, path, { masterKeys, onProgress }),
    )
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
    print(options, { file: path, rows, master_key_versions: masterKeyVersions, migrated }, () => [
      `Restored ${grouped(total)} rows of ${Object.keys(rows).length} tables from ${path}.`,
      ...(migrated.length === 0 ? [] : [`Applied ${migrated.join(', ')}, which it lacked.`]),
      ...(masterKeys === undefined
        ? [
            `Before the first start set the MASTER_KEYS (${masterKeyVersions.join(', ')}) of the service it was made on,`,
            'or copy its file master-keys into DATA_DIR.',
          ]
        : []),
    ])
  } finally {
    await database.close()
  }
}
