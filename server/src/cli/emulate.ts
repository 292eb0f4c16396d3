import { readFile } from 'node:fs/promises'
import { InvalidArgumentError, type Command } from 'commander'
import { pino } from 'pino'
import { readConfig, readVariables } from '../config.js'
import { defaultSeed } from '../emulator/default-seed.js'
import { openSeeding } from '../emulator/derived-randomness.js'
import { startEmulator } from '../emulator/emulator.js'
import { readSeed } from '../emulator/read-seed.js'
import { createLog } from '../log.js'
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
  openSeeding()
  const variables = readVariables()
  const { seed: file, port, worker: runsJobs } = options
  const seed =
    file === undefined ? readSeed(defaultSeed, 'default') : readSeed(await readSeedFile(file), file)
  const { logLevel } = readConfig({ LOG_LEVEL: variables['LOG_LEVEL'] ?? 'warn' })
  const log = createLog({ logLevel }, pino.destination({ dest: 2, sync: true }))
  const emulator = await startEmulator({ seed, port, runsJobs, variables, log })
  const state = emulator.state()
  print(options, state, () => [
    `Emulator  ${state.base_url} (ready in ${(performance.now() / 1000).toFixed(1)} s; what is in it goes when it stops)`,
    `Docs      ${state.base_url}/docs`,
    `Outbox    ${state.base_url}/outbox`,
    `Control   ${state.base_url}/_emulator/state`,
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
  if (options.withParent) process.stdin.resume().once('end', () => process.emit('SIGTERM', 'SIGTERM'))
  await closeOnSignal(emulator.close, (line) => process.stderr.write(`${line}\n`))
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
