import type { Command } from 'commander'
import { readConfig } from '../platform/config/config.js'
import { startWorkerProcess } from '../app/worker-process.js'
import { switchLevelOnSignal } from './log-level.js'
import { print, type OutputOptions } from './output.js'
import { closeOnSignal } from './until-signal.js'
import { stderrLog } from './with-deps.js'

/** portico worker */
export function define(command: Command): void {
  command.option('--json', 'tell the address of /metrics as JSON on stdout, and log to stderr').action(work)
}

async function work(options: OutputOptions): Promise<void> {
  const config = readConfig(options.terminal.variables)
  const worker = await startWorkerProcess(config, options.json ? { log: stderrLog(config) } : {})
  const metrics = `${worker.metricsAddress}/metrics`
  // Before the output: a signal may follow it at once.
  switchLevelOnSignal(worker.log)
  const closed = closeOnSignal(worker.close, options.terminal.tell, worker.failed)
  print(options, { metrics }, () => ['The worker runs.', `Metrics   ${metrics}`])
  await closed
}
