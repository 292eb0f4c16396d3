import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import type { Kysely } from 'kysely'
import { pino, type Logger } from 'pino'
import { readConfig, type Config } from '../platform/config/config.js'
import { checkMigrated } from '../platform/db/check-migrated.js'
import type { OpenDeps } from '../delivery/deps.js'
import { namesOf } from '../app/cells/names.js'
import { openDeps } from '../app/open-deps.js'
import { closePool, connect } from '../platform/db/connect.js'
import { hasEmbedded } from '../platform/db/embedded.js'
import type { DB } from '../platform/db/schema.js'
import { createLog } from '../platform/observability/log.js'
import { causeBy, type Cause } from '../platform/tenant.js'
import type { OutputOptions } from './output.js'
import type { ChosenCell, Terminal } from './terminal.js'

/**
 * Runs an operator's work on the configured database and closes it. The embedded Postgres is started for the duration,
 * unless a running service has it already.
 *
 * @throws Error a sentence when the database lacks migrations, or when there is none yet.
 */
export async function withDeps<Result>(
  { terminal }: Pick<OutputOptions, 'terminal'>,
  work: (deps: OpenDeps, cause: Cause) => Promise<Result>,
): Promise<Result> {
  const log = terminalLog(terminal, 'warn')
  const config = readConfig(terminal.variables)
  await checkEmbedded(config)
  const deps = await openDeps(config, { ...terminal.given, log })
  const namesDb = openNamesOf(terminal.cell, log)
  try {
    checkMigrated(deps)
    const names = namesDb && namesOf(terminal.cell?.name ?? '', () => ({ db: namesDb }))
    return await work({ ...deps, names }, causeBy(randomUUID(), 'operator', operatorName()))
  } finally {
    if (namesDb !== undefined) await closePool(namesDb)
    await deps.close()
  }
}

/** Whether the database is the embedded one, and nothing has made it yet. */
export async function lacksEmbedded({ database, dataDir }: Config): Promise<boolean> {
  return database.url === undefined && !(await hasEmbedded(dataDir))
}

/**
 * A command finds the database that the service has made. To make one here would hide that DATA_DIR is not the service's.
 *
 * @throws Error a sentence where there is none.
 */
export async function checkEmbedded(config: Config): Promise<void> {
  const { dataDir } = config
  if (!(await lacksEmbedded(config))) return
  throw new Error(
    `There is no database in ${resolve(dataDir)}: set the DATA_DIR or DATABASE_URL that the service has. Where there is none yet, portico serve or portico migrate makes it.`,
  )
}

/** The database that has the names of all; undefined where the command works on it, or on the only one. */
function openNamesOf(cell: ChosenCell | undefined, log: Logger): Kysely<DB> | undefined {
  const { url, hasNamedStatements } = cell?.first ?? {}
  if (url === undefined) return undefined
  return connect({ url, poolSize: 1, named: hasNamedStatements ?? false, log })
}

/** The log of a command, on stderr. */
export function terminalLog({ tell }: Terminal, level: Config['logLevel']): Logger {
  return createLog({ logLevel: level }, { write: tell })
}

/** A log on stderr: stdout has the command's answer. */
export function stderrLog(config: Pick<Config, 'logLevel' | 'traces'>): Logger {
  return createLog(config, pino.destination({ fd: 2, sync: true }))
}

function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a number without a name.
    return 'operator'
  }
}
