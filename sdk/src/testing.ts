import { createClient, type ClientOptions } from './client.js'
import { createControl, EmulatorError } from './emulator-control.js'
import { startChild, type PorticoOptions } from './emulator-process.js'
import type {
  EmulatorAccount,
  EmulatorControl,
  EmulatorKey,
  EmulatorState,
  Fault,
  FaultsAddInput,
  OutboxMessage,
} from './generated-emulator.js'
import type { Client, OAuthErrorCode, OAuthOperationName, OperationName, Operations } from './generated.js'

export { EmulatorError }
export type {
  EmulatorAccount,
  EmulatorControl,
  EmulatorKey,
  EmulatorState,
  Fault,
  OutboxMessage,
  PorticoOptions,
}

/** A duration: `30s`, `15m`, `2h` or `90d`. */
export type Duration = `${number}${'s' | 'm' | 'h' | 'd'}`

/** Selects the API key of a client: the first one that matches. */
export interface KeyChoice {
  /** Domain of the account; by default the first one of the seed. */
  readonly account?: string | undefined
  /** sandbox by default. */
  readonly environment?: 'sandbox' | 'production' | undefined
  /** Name of the key in the seed. */
  readonly name?: string | undefined
}

/** A fault to inject into an operation; its codes are those that the operation declares. */
export type NewFault<Name extends OperationName = OperationName> = Omit<
  FaultsAddInput,
  'operation' | 'code'
> & {
  readonly operation: Name
  readonly code?:
    | Operations[Name]['code']
    | (Name extends OAuthOperationName ? OAuthErrorCode : 'internal_error')
}

/** A running emulator: the service itself, on a temporary database. */
export interface Portico {
  readonly baseUrl: string
  /** The URL of its Postgres, for direct inspection; different after each reset. */
  readonly databaseUrl: string
  /** The accounts with their API keys, seeded or created since the last reset. */
  readonly accounts: readonly EmulatorAccount[]
  /** A client of one of the API keys. Throws when none matches. */
  client(key?: KeyChoice, options?: Partial<ClientOptions>): Client
  readonly clock: {
    /** The time of the emulator, which keeps running after advance(). */
    now(): Date
    /** Advances the clock by seconds or a duration such as `15m`, and waits for the jobs that became due. */
    advance(by: number | Duration): Promise<Date>
  }
  readonly outbox: {
    /** The sent messages, the newest first, after all due jobs have run. */
    list(to?: string): Promise<OutboxMessage[]>
    /** The newest message to an address or number. Rejects without one. */
    latest(to: string): Promise<OutboxMessage>
    clear(): Promise<void>
  }
  readonly faults: {
    /** Makes an operation fail, hang or answer late. Rejects for an answer that the operation does not declare. */
    add<Name extends OperationName>(fault: NewFault<Name>): Promise<Fault>
    list(): Promise<Fault[]>
    clear(): Promise<void>
  }
  /** Runs every due job and delivery, and returns how many ended. */
  runJobs(): Promise<number>
  /** The log of the service, a line of JSON per entry. */
  readonly logLines: readonly string[]
  /** Every operation of the control. */
  readonly control: EmulatorControl
  /** Restores the seeded state: data, clock, outbox and faults. */
  reset(): Promise<void>
  /** Stops it. It also stops with this process, even if that is killed. */
  stop(): Promise<void>
}

/**
 * Starts an emulator for tests, in any test runner: call it once before all tests, `reset()` before each, and `stop()`
 * after all.
 *
 * @throws Error when the command is missing, the seed is invalid, or the emulator is not ready in time.
 * @example
 * ```ts
 * const emulated = await startPortico({ seed: 'seed.yaml' })
 * await emulated.clock.advance('15m')
 * await emulated.stop()
 * ```
 */
export async function startPortico(options: PorticoOptions = {}): Promise<Portico> {
  const child = await startChild(options)
  let { state } = child
  let offsetMs = 0
  const control = createControl(state.base_url)
  const accept = (next: EmulatorState) => {
    state = next
    offsetMs = Date.parse(next.now) - Date.now()
  }
  accept(state)

  // client() also finds accounts and keys that were created later.
  const refresh = async () => accept(await control.state.get())
  const moving: EmulatorControl['clock'] = {
    ...control.clock,
    async move(input, requestOptions) {
      const moved = await control.clock.move(input, requestOptions)
      offsetMs = Date.parse(moved.now) - Date.now()
      return moved
    },
  }
  const making: EmulatorControl['accounts'] = {
    async create(input, requestOptions) {
      const made = await control.accounts.create(input, requestOptions)
      await refresh()
      return made
    },
    async createKey(input, requestOptions) {
      const made = await control.accounts.createKey(input, requestOptions)
      await refresh()
      return made
    },
  }

  return {
    get baseUrl() {
      return state.base_url
    },
    get databaseUrl() {
      return state.database_url
    },
    get accounts() {
      return state.accounts
    },
    client(key = {}, clientOptions = {}) {
      const { account, credentials } = findKey(state, key)
      return createClient({
        baseUrl: state.base_url,
        domain: account.domain,
        clientId: credentials.client_id,
        clientSecret: credentials.client_secret,
        ...clientOptions,
      })
    },
    clock: {
      now: () => new Date(Date.now() + offsetMs),
      async advance(by) {
        const { now } = await moving.move({ by_seconds: typeof by === 'number' ? by : toSeconds(by) })
        return new Date(now)
      },
    },
    outbox: {
      list: async (to) => (await control.outbox.list(to === undefined ? {} : { to })).data,
      async latest(to) {
        const [message] = (await control.outbox.list({ to })).data
        if (message === undefined) throw new Error(`Nothing was sent to ${to}.`)
        return message
      },
      clear: async () => void (await control.outbox.clear()),
    },
    faults: {
      add: (fault) => control.faults.add(fault),
      list: async () => (await control.faults.list()).data,
      clear: async () => void (await control.faults.clear()),
    },
    runJobs: async () => (await control.jobs.run()).jobs_run,
    logLines: child.logLines,
    control: { ...control, accounts: making, clock: moving },
    reset: async () => accept(await control.state.reset()),
    stop: child.stop,
  }
}

function findKey(
  { accounts }: EmulatorState,
  { account: domain, environment = 'sandbox', name }: KeyChoice,
): { account: EmulatorAccount; credentials: EmulatorKey } {
  for (const account of accounts) {
    if (domain !== undefined && account.domain !== domain) continue
    const credentials = account.api_keys.find(
      (key) => key.environment === environment && (name ?? key.name) === key.name,
    )
    if (credentials !== undefined) return { account, credentials }
  }
  const there = accounts.flatMap((account) =>
    account.api_keys.map((key) => `${account.domain} ${key.environment} (${key.name})`),
  )
  throw new Error(
    `The emulator has no such key: add it to api_keys of the account in the seed. It has ${there.join(', ') || 'none'}.`,
  )
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

function toSeconds(text: string): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? []
  const seconds = unitSeconds[unit]
  if (count === undefined || seconds === undefined)
    throw new TypeError(`${text} is no length of time: write 30s, 15m, 2h or 90d`)
  return Number(count) * seconds
}
