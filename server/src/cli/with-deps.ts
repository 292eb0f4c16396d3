import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { pino, type Logger } from 'pino'
import { readConfig, type Config } from '../platform/config/config.js'
import { checkMigrated } from '../platform/db/check-migrated.js'
import type { OpenDeps } from '../delivery/deps.js'
import { openDeps } from '../app/open-deps.js'
import { createLog } from '../platform/observability/log.js'
import { causeBy, type Cause } from '../platform/tenant.js'
import type { OutputOptions } from './output.js'
import type { Terminal } from './terminal.js'

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
  try {
    checkMigrated(deps)
    return await work(deps, causeBy(randomUUID(), 'operator', operatorName()))
  } finally {
    await deps.close()
  }
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
