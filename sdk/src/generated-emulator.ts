// Written by sdk/generate.ts from the contract; do not edit.

import type { RequestOptions } from './request-options.js'
import { readRoutes } from './route-lines.js'

/** Answered by `state.get`, `state.reset`. */
export interface EmulatorState {
  base_url: string
  /** Of the present run: after a reset it is another one. */
  database_url: string
  /** RFC 3339 in UTC with milliseconds. */
  now: string
  /** Whether jobs run by themselves, or when they are asked for alone. */
  runs_jobs: boolean
  accounts: EmulatorAccount[]
}

/** Answered by `accounts.create`. */
export interface EmulatorAccount {
  /** UUID in lower case. */
  id: string
  domain: string
  /** Those that the seed or this API made, with their secrets. */
  api_keys: EmulatorKey[]
}

/** Answered by `accounts.createKey`. */
export interface EmulatorKey {
  name: string
  environment: 'sandbox' | 'production'
  client_id: string
  client_secret: string
}

/** Answered by `clock.get`, `clock.move`. */
export interface EmulatorClock {
  /** RFC 3339 in UTC with milliseconds. */
  now: string
  /** Jobs and deliveries that ended on the way. */
  jobs_run: number
}

/** Answered by `jobs.run`. */
export interface JobsRun {
  /** Jobs and deliveries that ended, well or not. */
  jobs_run: number
}

/** Answered by `faults.add`. */
export interface Fault {
  operation: string
  code: string | null
  status: number | null
  latency_ms: number
  reset: boolean
  retry_after_seconds: number | null
  /** Requests that it still waits for; null: all. */
  remaining: number | null
  /** Requests that have met it. */
  met: number
}

/** Answered by `faults.list`. */
export interface FaultList {
  data: Fault[]
}

/** Answered by `faults.clear`, `outbox.clear`. */
export interface Cleared {
  /** How many there were. */
  cleared: number
}

/** Answered by `outbox.list`. */
export interface EmulatorOutbox {
  /** The newest first, of both environments and all accounts. */
  data: OutboxMessage[]
}

/** Part of `EmulatorOutbox`. */
export interface OutboxMessage {
  __type__: 'OutboxMessage'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  channel: 'mail' | 'sms'
  /** Personal data. */
  to: string
  subject: string | null
  /** Personal data. */
  text: string
  /** Personal data. */
  html: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** What `state.get` takes. */
export interface StateGetInput {}

/** What `state.reset` takes. */
export interface StateResetInput {}

/** What `clock.get` takes. */
export interface ClockGetInput {}

/** What `clock.move` takes. */
export interface ClockMoveInput {
  /** How far ahead, from now; this or to is needed. */
  by_seconds?: number
  /** The moment itself, in place of by_seconds. */
  to?: string
  /** Whether what comes due on the way runs, each at its own time, before the answer. */
  run_jobs?: boolean
}

/** What `jobs.run` takes. */
export interface JobsRunInput {}

/** What `faults.add` takes. */
export interface FaultsAddInput {
  /** Its name in the contract, resource and verb with a dot between. */
  operation: string
  /** An error code that the operation declares; of an OAuth endpoint one of RFC 6749. */
  code?: string
  /** The status of the answer, where code is not given; its first code is answered. */
  status?: number
  /** How long the request waits first. */
  latency_ms?: number
  /** true: the connection ends without an answer. */
  reset?: boolean
  /** Retry-After of the answer. */
  retry_after_seconds?: number
  /** Requests that meet it; every one when left out. */
  times?: number
}

/** What `faults.list` takes. */
export interface FaultsListInput {}

/** What `faults.clear` takes. */
export interface FaultsClearInput {}

/** What `outbox.list` takes. */
export interface OutboxListInput {
  /** Address or number of the recipient. */
  to?: string
}

/** What `outbox.clear` takes. */
export interface OutboxClearInput {}

/** What `accounts.create` takes. */
export interface AccountsCreateInput {
  name: string
  plan?: 'free' | 'unlimited'
}

/** What `accounts.createKey` takes. */
export interface AccountsCreateKeyInput {
  account_domain: string
  name?: string
  environment?: 'sandbox' | 'production'
  /** What it may do; all unless given. */
  scopes?: Array<
    | 'read:organizations'
    | 'write:organizations'
    | 'read:users'
    | 'write:users'
    | 'read:applications'
    | 'write:applications'
    | 'read:token_customization'
    | 'write:token_customization'
    | 'read:sso_connections'
    | 'write:sso_connections'
    | 'read:admins'
    | 'write:admins'
    | 'read:directories'
    | 'write:directories'
    | 'read:magic_links'
    | 'write:magic_links'
    | 'read:passwords'
    | 'write:passwords'
    | 'read:totp'
    | 'write:totp'
    | 'read:relays'
    | 'write:relays'
    | 'read:webhooks'
    | 'write:webhooks'
    | 'read:events'
    | 'write:events'
    | 'read:log_events'
    | 'write:log_events'
    | 'read:sessions'
    | 'write:sessions'
  >
  /** The only organizations it may see. */
  organization_ids?: string[]
  expires_at?: string
}

/** The methods of `portico.control.state`. */
export interface StateMethods {
  /**
   * Tell where the emulator is, and its accounts with their keys.
   * `GET /_emulator/state`. Sends no API token.
   *
   * @example
   * ```ts
   * const emulatorState = await portico.control.state.get()
   * ```
   */
  get(input?: StateGetInput, options?: RequestOptions): Promise<EmulatorState>

  /**
   * Put everything back as it was seeded: data, clock, outbox and faults.
   * `POST /_emulator/reset`. Sends no API token.
   *
   * @example
   * ```ts
   * const emulatorState = await portico.control.state.reset()
   * ```
   */
  reset(input?: StateResetInput, options?: RequestOptions): Promise<EmulatorState>
}

/** The methods of `portico.control.clock`. */
export interface ClockMethods {
  /**
   * Tell the time of the emulator.
   * `GET /_emulator/clock`. Sends no API token.
   *
   * @example
   * ```ts
   * const emulatorClock = await portico.control.clock.get()
   * ```
   */
  get(input?: ClockGetInput, options?: RequestOptions): Promise<EmulatorClock>

  /**
   * Move the clock ahead, and run what comes due on the way.
   * `POST /_emulator/clock`. Sends no API token.
   *
   * @throws EmulatorError 409 `clock_behind`; 422 `invalid_parameters`.
   * @example
   * ```ts
   * const emulatorClock = await portico.control.clock.move({ by_seconds: 960 })
   * ```
   */
  move(input?: ClockMoveInput, options?: RequestOptions): Promise<EmulatorClock>
}

/** The methods of `portico.control.jobs`. */
export interface JobsMethods {
  /**
   * Run every job and delivery that is due, and wait for their end.
   * `POST /_emulator/jobs`. Sends no API token.
   *
   * @example
   * ```ts
   * const jobsRun = await portico.control.jobs.run()
   * ```
   */
  run(input?: JobsRunInput, options?: RequestOptions): Promise<JobsRun>
}

/** The methods of `portico.control.faults`. */
export interface FaultsMethods {
  /**
   * Have an operation fail, hang or answer late.
   * `POST /_emulator/faults`. Sends no API token.
   *
   * @throws EmulatorError 422 `invalid_parameters`, `fault_not_declared`.
   * @example
   * ```ts
   * const fault = await portico.control.faults.add({
   *   operation: 'users.list',
   *   code: 'unavailable',
   *   retry_after_seconds: 0,
   *   times: 2,
   * })
   * ```
   */
  add(input: FaultsAddInput, options?: RequestOptions): Promise<Fault>

  /**
   * List the faults, in the order in which requests meet them.
   * `GET /_emulator/faults`. Sends no API token.
   *
   * @example
   * ```ts
   * const faultList = await portico.control.faults.list()
   * ```
   */
  list(input?: FaultsListInput, options?: RequestOptions): Promise<FaultList>

  /**
   * Take all faults away.
   * `DELETE /_emulator/faults`. Sends no API token.
   *
   * @example
   * ```ts
   * const cleared = await portico.control.faults.clear()
   * ```
   */
  clear(input?: FaultsClearInput, options?: RequestOptions): Promise<Cleared>
}

/** The methods of `portico.control.outbox`. */
export interface OutboxMethods {
  /**
   * Run what is due, then list the mails and text messages that were sent.
   * `GET /_emulator/outbox`. Sends no API token.
   *
   * @example
   * ```ts
   * const emulatorOutbox = await portico.control.outbox.list()
   * ```
   */
  list(input?: OutboxListInput, options?: RequestOptions): Promise<EmulatorOutbox>

  /**
   * Forget all messages.
   * `DELETE /_emulator/outbox`. Sends no API token.
   *
   * @example
   * ```ts
   * const cleared = await portico.control.outbox.clear()
   * ```
   */
  clear(input?: OutboxClearInput, options?: RequestOptions): Promise<Cleared>
}

/** The methods of `portico.control.accounts`. */
export interface AccountsMethods {
  /**
   * Make an account, with a key for each environment.
   * `POST /_emulator/accounts`. Sends no API token.
   *
   * @throws EmulatorError 422 `invalid_parameters`.
   * @example
   * ```ts
   * const emulatorAccount = await portico.control.accounts.create({ name: 'Second account' })
   * ```
   */
  create(input: AccountsCreateInput, options?: RequestOptions): Promise<EmulatorAccount>

  /**
   * Make an API key of an account.
   * `POST /_emulator/accounts/:account_domain/api-keys`. Sends no API token.
   *
   * @throws EmulatorError 404 `account_not_found`; 422 `invalid_parameters`.
   * @example
   * ```ts
   * const emulatorKey = await portico.control.accounts.createKey({
   *   account_domain: 'acme',
   *   name: 'Reader',
   *   environment: 'sandbox',
   *   scopes: ['read:users'],
   * })
   * ```
   */
  createKey(input: AccountsCreateKeyInput, options?: RequestOptions): Promise<EmulatorKey>
}

/** What tests can do to an emulator. */
export interface EmulatorControl {
  readonly state: StateMethods
  readonly clock: ClockMethods
  readonly jobs: JobsMethods
  readonly faults: FaultsMethods
  readonly outbox: OutboxMethods
  readonly accounts: AccountsMethods
}

export const emulatorRoutes = /* @__PURE__ */ readRoutes<
  | 'state.get'
  | 'state.reset'
  | 'clock.get'
  | 'clock.move'
  | 'jobs.run'
  | 'faults.add'
  | 'faults.list'
  | 'faults.clear'
  | 'outbox.list'
  | 'outbox.clear'
  | 'accounts.create'
  | 'accounts.createKey'
>({
  state: `/_emulator/state get GETo
/_emulator/reset reset POSTo`,
  clock: `/_emulator/clock get GETo move POSTbfo`,
  jobs: `/_emulator/jobs run POSTo`,
  faults: `/_emulator/faults add POSTbfo list GETo clear DELETEo`,
  outbox: `/_emulator/outbox list GETo clear DELETEo`,
  accounts: `/_emulator/accounts create POSTbfo
/_emulator/accounts/:account_domain/api-keys createKey POSTbfo`,
})
