import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import type { Kysely } from 'kysely'
import { pino, type Logger } from 'pino'
import { readConfig, type Config } from '../platform/config/config.js'
import { checkMigrated } from '../platform/db/check-migrated.js'
import type { OpenDeps } from '../delivery/deps.js'
import { namesOf } from '../app/cells/names.js'
import { openDeps } from '../app/open-deps.js'
import { closePool, connect } from '../platform/db/connect.js'
import type { DB } from '../platform/db/schema.js'
import { createLog } from '../platform/observability/log.js'
import { causeBy, type Cause } from '../platform/tenant.js'
import type { OutputOptions } from './output.js'
import type { ChosenCell, Terminal } from './terminal.js'

/**
 * Runs an operator's work on the configured database and closes it. The embedded Postgres is started for the duration,
 * unless a running service has it already.
 *
 * @throws Error a sentence when the database lacks migrations.
 */
export async function withDeps<Result>(
  { terminal }: Pick<OutputOptions, 'terminal'>,
  work: (deps: OpenDeps, cause: Cause) => Promise<Result>,
): Promise<Result> {
  const log = terminalLog(terminal, 'warn')
  const deps = await openDeps(readConfig(terminal.variables), { ...terminal.given, log })
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
