import { resolve } from 'node:path'
import type { Command } from 'commander'
import { ConfigError, readConfig, type Config } from '../platform/config/config.js'
import { openDeps } from '../app/open-deps.js'
import { examineDatabase, examineSurroundings, type Examination } from '../operations/doctor/doctor.js'
import type { Finding } from '../operations/doctor/finding.js'
import { isWritable } from '../platform/data-dir.js'
import { toSentence } from './failure.js'
import { print, type OutputOptions } from './output.js'
import type { Terminal } from './terminal.js'
import { lacksEmbedded, terminalLog } from './with-deps.js'

interface DoctorOptions extends OutputOptions {
  readonly beforeStart?: boolean
}

/** portico doctor */
export function define(command: Command): void {
  command
    .option('--before-start', 'only what has to be right before a process starts; for an init container')
    .option('--json', 'answer as JSON')
    .action(doctor)
}

async function doctor(options: DoctorOptions): Promise<void> {
  const findings = await examine(options)
  print(options, findings, () => findings.flatMap(toLines))
  if (findings.some(({ ok }) => !ok)) options.terminal.exitCode = 1
}

/** In lines with our own ends: names from tenants could have line breaks, or move the cursor. */
function toLines({ check, ok, detail, remedy, sql }: Finding): string[] {
  const lines = [
    `${ok ? '✓' : '✗'} ${check}: ${detail}`,
    ...(remedy === undefined ? [] : [`  ${remedy}${sql === undefined ? '' : ':'}`]),
    ...(sql === undefined ? [] : [`  ${sql}`]),
  ]
  return lines.map((line) => line.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD'))
}

async function examine({ terminal, beforeStart = false }: DoctorOptions): Promise<Finding[]> {
  const check = 'Configuration'
  const examination = { isBeforeStart: beforeStart }
  let config
  try {
    config = readConfig(terminal.variables)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map((detail) => ({ check, ok: false, detail }))
  }
  const rules = config.isProduction
    ? 'production rules hold'
    : 'for evaluation, reachable from this machine alone'
  return [
    { check, ok: true, detail: `${config.baseUrl}; ${rules}` },
    ...(await examineSurroundings(config, examination)),
    ...(await examineData(config, terminal, examination)),
  ]
}

/** Where the embedded database will be. */
async function examinePlace(dataDir: string): Promise<Finding> {
  const place = `${resolve(dataDir)}, which is DATA_DIR`
  const check = 'Database'
  if (await isWritable(dataDir))
    return { check, ok: true, detail: `none in ${place}: the first start of the service makes it` }
  return {
    check,
    ok: false,
    detail: `none in ${place}, and this user cannot make it there`,
    remedy: 'set DATA_DIR to a folder of the user who runs the service, or set DATABASE_URL',
  }
}

async function examineData(config: Config, terminal: Terminal, examination: Examination): Promise<Finding[]> {
  const failed = (error: unknown): Finding[] => [
    { check: 'Database', ok: false, detail: toSentence(error, terminal.cell?.name) },
  ]
  let deps
  try {
    // Starting the embedded database to examine it would create it.
    if (await lacksEmbedded(config)) return [await examinePlace(config.dataDir)]
    deps = await openDeps(config, { log: terminalLog(terminal, 'fatal'), onlyLooks: true })
  } catch (error) {
    return failed(error)
  }
  try {
    return await examineDatabase(deps, examination)
  } catch (error) {
    return failed(error)
  } finally {
    await deps.close()
  }
}
