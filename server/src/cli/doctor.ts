import type { Command } from 'commander'
import { ConfigError, readConfig, type Config } from '../config.js'
import { openDeps } from '../deps.js'
import { examineDatabase, examineSurroundings, type Finding } from '../doctor/doctor.js'
import { toSentence } from './failure.js'
import { print, type OutputOptions } from './output.js'
import type { Terminal } from './terminal.js'
import { terminalLog } from './with-deps.js'

/** portico doctor */
export function define(command: Command): void {
  command.option('--json', 'answer as JSON').action(doctor)
}

async function doctor(options: OutputOptions): Promise<void> {
  const findings = await examine(options)
  print(options, findings, () =>
    findings.map(({ check, ok, detail }) => `${ok ? '✓' : '✗'} ${check}: ${detail}`),
  )
  if (findings.some(({ ok }) => !ok)) options.terminal.exitCode = 1
}

async function examine({ terminal }: OutputOptions): Promise<Finding[]> {
  const check = 'Configuration'
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
    ...(await examineSurroundings(config)),
    ...(await examineData(config, terminal)),
  ]
}

async function examineData(config: Config, terminal: Terminal): Promise<Finding[]> {
  let deps
  try {
    deps = await openDeps(config, { log: terminalLog(terminal, 'fatal') })
  } catch (error) {
    return [{ check: 'Database', ok: false, detail: toSentence(error) }]
  }
  try {
    return await examineDatabase(deps)
  } finally {
    await deps.close()
  }
}
