import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { controlDocumentPath } from '@portico/contract/emulator'
import { InvalidArgumentError, type Command } from 'commander'
import { pino } from 'pino'
import { ConfigError, readConfig } from '../platform/config/config.js'
import { openDatabases } from './emulator/databases.js'
import { defaultSeed } from './emulator/default-seed.js'
import { cacheFolder, faultsForEmulator } from './emulator/settings.js'
import { createLog } from '../platform/observability/log.js'
import { print, type OutputOptions } from './output.js'
import { closeOnSignal } from './until-signal.js'

interface EmulateOptions extends OutputOptions {
  readonly seed?: string
  readonly port: number
  readonly worker: boolean
  readonly withParent?: boolean
}

/** portico emulate */
export function define(command: Command): void {
  command
    .option('--seed <file>', 'YAML of the accounts, organizations, users and so on to begin with')
    .option('--port <port>', 'where it listens on this machine; 0: any free port', toPort, 3000)
    .option('--no-worker', 'run jobs when they are asked for alone')
    .option('--with-parent', 'end when stdin ends, and so with the process that started it')
    .option('--json', 'tell the state as one line of JSON on stdout')
    .action(emulate)
}

async function emulate(options: EmulateOptions): Promise<void> {
  const { variables } = options.terminal
  const faults = faultsForEmulator(variables)
  if (faults.length > 0) throw new ConfigError(faults)
  const { seed: file, port, worker: runsJobs } = options
  const { readSeed } = await import('./emulator/read-seed.js')
  const seed =
    file === undefined ? readSeed(defaultSeed, 'default') : readSeed(await readSeedFile(file), file)
  const { logLevel } = readConfig({ LOG_LEVEL: variables['LOG_LEVEL'] ?? 'warn' })
  const log = createLog({ logLevel }, pino.destination({ dest: 2, sync: true }))
  // Either takes most of a second, and they run in parallel: Postgres is another process.
  const [databases, { startEmulator }] = await Promise.all([
    openDatabases(cacheFolder(variables)),
    import('./emulator/emulator.js'),
  ])
  const emulator = await startEmulator({ databases, seed, port, runsJobs, variables, log })
  if (options.withParent) followParent()
  const state = emulator.state()
  // Before the output: a signal may follow it at once.
  const closed = closeOnSignal(emulator.close, options.terminal.tell)
  print(options, state, () => [
    `Emulator  ${state.base_url} (ready in ${(performance.now() / 1000).toFixed(1)} s; what is in it goes when it stops)`,
    `Docs      ${state.base_url}/docs`,
    `Outbox    ${state.base_url}/outbox`,
    `Control   ${state.base_url}${controlDocumentPath} (OpenAPI: clock, faults, reset and more)`,
    ...(file === undefined
      ? ['Seed      the default one, as YAML:', '', defaultSeed]
      : [`Seed      ${file}`]),
    ...state.accounts.flatMap(({ domain, api_keys }) =>
      api_keys.map(
        (key) =>
          `Key       ${domain} ${key.environment} (${key.name}): ${key.client_id} ${key.client_secret}`,
      ),
    ),
  ])
  await closed
}

/** Leaves the folder of the parent, which may remove it now, and ends when the parent does. */
function followParent(): void {
  process.chdir(tmpdir())
  // With the parent its output is closed, and a broken pipe would end this process before it has cleaned up.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  process.stdin.resume().once('end', () => process.emit('SIGTERM', 'SIGTERM'))
}

async function readSeedFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`The seed ${file} cannot be read: give --seed a YAML file.`, { cause: error })
  }
}

function toPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('It is 0 to 65535.')
  return Number(text)
}
