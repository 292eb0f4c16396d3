// Written by sdk/generate.ts from the contract; do not edit.

import type { RequestOptions } from './request-options.js'
import { readRoutes } from './route-lines.js'

/** Answered by `state.get`, `state.reset`. */
export interface EmulatorState {
  base_url: string
  /** Database of the current run; a reset replaces it. */
  database_url: string
  /** RFC 3339 in UTC with milliseconds. */
  now: string
  /** true: jobs run automatically; false: only on request. */
  runs_jobs: boolean
  accounts: EmulatorAccount[]
}

/** Answered by `accounts.create`. */
export interface EmulatorAccount {
  /** UUID in lower case. */
  id: string
  domain: string
  /** API keys that the seed or this API created, with their secrets. */
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
  /** Jobs and deliveries that ended while the clock moved. */
  jobs_run: number
}

/** Answered by `jobs.run`. */
export interface JobsRun {
  /** Jobs and deliveries that ended, successfully or not. */
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
  /** Number of requests that it will still affect; null: all. */
  remaining: number | null
  /** Number of requests that it has affected. */
  met: number
}

/** Answered by `faults.list`. */
export interface FaultList {
  data: Fault[]
}

/** Answered by `faults.clear`, `outbox.clear`. */
export interface Cleared {
  /** Number of removed entries. */
  cleared: number
}

/** Answered by `outbox.list`. */
export interface EmulatorOutbox {
  /** Newest first, from both environments and all accounts. */
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

/** Answered by `dns.set`. */
export interface DnsAnswer {
  name: string
  texts: string[] | null
  answer: 'none' | 'no_answer' | null
}

/** What `state.get` takes. */
export interface StateGetInput {}

/** What `state.reset` takes. */
export interface StateResetInput {}

/** What `clock.get` takes. */
export interface ClockGetInput {}

/** What `clock.move` takes. */
export interface ClockMoveInput {
  /** Seconds to move ahead; required without to. */
  by_seconds?: number
  /** Time to move to, instead of by_seconds. */
  to?: string
  /** Whether jobs that become due run before the answer, each at its own time. */
  run_jobs?: boolean
}

/** What `jobs.run` takes. */
export interface JobsRunInput {}

/** What `faults.add` takes. */
export interface FaultsAddInput {
  /** Name of the operation in the contract: resource and verb, separated by a dot. */
  operation: string
  /** Error code that the operation declares; for an OAuth endpoint one of RFC 6749. */
  code?: string
  /** Status of the answer if code is omitted; its first declared code is answered. */
  status?: number
  /** Delay before the answer, in milliseconds. */
  latency_ms?: number
  /** true: the connection is closed without an answer. */
  reset?: boolean
  /** Value of Retry-After in the answer. */
  retry_after_seconds?: number
  /** Number of requests that it affects; default: all. */
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

/** What `dns.set` takes. */
export interface DnsSetInput {
  name: string
  /** TXT records of the name. */
  texts?: string[]
  /** Instead of texts: the name has no record, or no server answers. */
  answer?: 'none' | 'no_answer'
}

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
  /** Scopes of the key; default: all. */
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
    | 'read:passkeys'
    | 'write:passkeys'
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
    | 'read:account'
    | 'write:account'
    | 'read:impersonations'
    | 'write:impersonations'
    | 'read:discovery'
    | 'write:discovery'
    | 'read:domains'
    | 'write:domains'
    | 'read:roles'
    | 'write:roles'
    | 'read:memberships'
    | 'write:memberships'
    | 'read:social'
    | 'write:social'
  >
  /** Organizations to which the key is limited; default: all. */
  organization_ids?: string[]
  expires_at?: string
}

/** The methods of `portico.control.state`. */
export interface StateMethods {
  /**
   * Get the addresses of the emulator, and its accounts with their keys.
   * `GET /_emulator/state`. Sends no API token.
   *
   * @example
   * ```ts
   * const emulatorState = await portico.control.state.get()
   * ```
   */
  get(input?: StateGetInput, options?: RequestOptions): Promise<EmulatorState>

  /**
   * Restore the seeded state: data, clock, outbox and faults.
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
   * Get the time of the emulator.
   * `GET /_emulator/clock`. Sends no API token.
   *
   * @example
   * ```ts
   * const emulatorClock = await portico.control.clock.get()
   * ```
   */
  get(input?: ClockGetInput, options?: RequestOptions): Promise<EmulatorClock>

  /**
   * Move the clock ahead, and run the jobs that become due.
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
   * Run every job and delivery that is due, and wait for completion.
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
   * Make an operation fail, hang or answer late.
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
   * List the faults in the order in which they apply.
   * `GET /_emulator/faults`. Sends no API token.
   *
   * @example
   * ```ts
   * const faultList = await portico.control.faults.list()
   * ```
   */
  list(input?: FaultsListInput, options?: RequestOptions): Promise<FaultList>

  /**
   * Remove all faults.
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
   * Run the jobs that are due, then list the mails and text messages that were sent.
   * `GET /_emulator/outbox`. Sends no API token.
   *
   * @example
   * ```ts
   * const emulatorOutbox = await portico.control.outbox.list()
   * ```
   */
  list(input?: OutboxListInput, options?: RequestOptions): Promise<EmulatorOutbox>

  /**
   * Delete all messages.
   * `DELETE /_emulator/outbox`. Sends no API token.
   *
   * @example
   * ```ts
   * const cleared = await portico.control.outbox.clear()
   * ```
   */
  clear(input?: OutboxClearInput, options?: RequestOptions): Promise<Cleared>
}

/** The methods of `portico.control.dns`. */
export interface DnsMethods {
  /**
   * Set what a name has as TXT records; other names have none, and no name server is asked.
   * `PUT /_emulator/dns/:name`. Sends no API token.
   *
   * @throws EmulatorError 422 `invalid_parameters`.
   * @example
   * ```ts
   * const dnsAnswer = await portico.control.dns.set({
   *   name: '_portico-challenge.corp.test',
   *   texts: ['token=k3vq7m2xw5ta4hzj6ybr2n5cdpfg3e7s'],
   * })
   * ```
   */
  set(input: DnsSetInput, options?: RequestOptions): Promise<DnsAnswer>
}

/** The methods of `portico.control.accounts`. */
export interface AccountsMethods {
  /**
   * Create an account with a key for each environment.
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
   * Create an API key of an account.
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
  readonly dns: DnsMethods
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
  | 'dns.set'
  | 'accounts.create'
  | 'accounts.createKey'
>({
  state: `/_emulator/state get GETo
/_emulator/reset reset POSTo`,
  clock: `/_emulator/clock get GETo move POSTbfo`,
  jobs: `/_emulator/jobs run POSTo`,
  faults: `/_emulator/faults add POSTbfo list GETo clear DELETEo`,
  outbox: `/_emulator/outbox list GETo clear DELETEo`,
  dns: `/_emulator/dns/:name set PUTbfo`,
  accounts: `/_emulator/accounts create POSTbfo
/_emulator/accounts/:account_domain/api-keys createKey POSTbfo`,
})
