import { randomBytes } from 'node:crypto'
import type { Account } from '@portico/server/accounts'
import type { ApiKeyCredentials, NewApiKey } from '@portico/server/api-keys'
import type { OpenDeps } from '@portico/server/deps'
import { createClient, type Client } from '@portico/sdk'
import pg from 'pg'
import { type Given, givenOf } from './given.js'
import { atFileEnd } from '../file-end.js'

export interface ServiceOptions {
  /** Variables of the configuration beside those the harness sets. */
  readonly variables?: Record<string, string>
  /** The database of another service, to run a second process's worth beside it. */
  readonly databaseUrl?: string
}

/** What a key may do, and whose it is: all of the sandbox of the service's first account unless said. */
export type KeyRules = Partial<Omit<NewApiKey, 'accountId'>> & { readonly account?: Account }

/** A mail or, without a subject, a text message. */
export interface Sent {
  readonly to: string
  readonly subject: string | null
  readonly text: string
}

/** A service as it was started, in this process or as an emulator. */
export interface ServiceUnderTest {
  readonly baseUrl: string
  /** Where it listens, whatever its address is called. */
  readonly port: number
  readonly databaseUrl: string
  /** What the service is made of; an emulator shows it to nobody. */
  readonly deps: OpenDeps
  /** As operators give them to its commands; an emulator tells nobody its own. */
  readonly masterKeys: string
  /** What the service logged, a line each. */
  readonly logLines: readonly string[]
  readonly clock: Clock
  /** Runs every job and delivery that is due by the clock. */
  runJobs(): Promise<number>
  /** What has left for an address or a number, newest first: no message of the sandbox, whose outbox keeps it. */
  sentTo(to: string): Promise<readonly Sent[]>
  createAccount(name: string, plan: Account['plan']): Promise<Account>
  createKey(of: Account, rules: Omit<NewApiKey, 'accountId'>): Promise<ApiKeyCredentials>
}

/** A running service on a database of its own, its clock in the test's hand. */
export interface Service extends Omit<ServiceUnderTest, 'createAccount' | 'createKey'> {
  readonly account: Account
  readonly given: Given
  /** The credentials of a new API key. */
  apiKey(key?: KeyRules): Promise<ApiKeyCredentials>
  /** A client of a new API key. */
  client(key?: KeyRules): Promise<Client>
  /** A bearer token of a new API key, for raw requests. */
  token(key?: KeyRules): Promise<string>
  createAccount(plan?: Account['plan']): Promise<Account>
  /** Statements that look behind the service; never to arrange. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
}

/** The service's only clock, which a test moves on. */
export interface Clock {
  now(): Date
  advance(seconds: number): Promise<void>
}

/** Limits that a file runs into without meaning to; one that means to sets them. */
const variables = {
  LOG_LEVEL: 'debug',
  API_RATE_PER_MINUTE: '1000000',
  SCIM_RATE_PER_SECOND: '1000000',
  SIGN_IN_ATTEMPTS_PER_ADDRESS: '1000000',
  SIGN_IN_RATE_PER_MINUTE: '1000000',
  SIGN_IN_ATTEMPTS_PER_IP: '1000000',
  SIGN_INS_BEGUN_PER_IP: '1000000',
  SAML_FAILURES_PER_IP: '1000000',
  MAILS_PER_ADDRESS: '1000000',
  MAILS_PER_IP: '1000000',
  SMS_PER_HOUR: '1000000',
  SMS_PER_ORGANIZATION_PER_HOUR: '1000000',
  FAILED_GRANTS_PER_MINUTE: '1000000',
  NODE_ENV: 'test',
}

/**
 * Starts the service for a test file; it ends with the file. `npm run test:emulator` has the same tests go through an
 * emulator and the packed SDK.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const settings = { ...variables, ...options.variables }
  if (process.env.PORTICO_TEST_SERVICE === 'emulator') {
    const { startEmulatedService } = await import('../clients/emulated/emulated-service.js')
    return startEmulatedService(settings, options)
  }
  const { startOwnService } = await import('./own-service.js')
  return serviceOf(await startOwnService(settings, options))
}

/** What tests do with a service, however it was started. */
export async function serviceOf(started: ServiceUnderTest): Promise<Service> {
  const { baseUrl, databaseUrl, createKey, createAccount: open } = started
  const createAccount: Service['createAccount'] = (plan = 'unlimited') =>
    open(`Account ${randomBytes(4).toString('hex')}`, plan)
  const account = await open(`Acme ${randomBytes(4).toString('hex')}`, 'unlimited')
  const looker = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  atFileEnd(() => looker.end())

  const apiKey: Service['apiKey'] = ({ account: owner = account, ...rules } = {}) =>
    createKey(owner, { environment: 'sandbox', name: 'test', ...rules })
  const client: Service['client'] = async (key) => {
    const credentials = await apiKey(key)
    return createClient({
      baseUrl,
      domain: (key?.account ?? account).domain,
      clientId: credentials.client_id,
      clientSecret: credentials.client_secret,
      maxRetries: 0,
    })
  }
  const token: Service['token'] = async (key) => {
    const grant = { ...(await apiKey(key)), grant_type: 'client_credentials' }
    const answer = await fetch(`${baseUrl}/api/v2/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...grant, domain: (key?.account ?? account).domain }),
    })
    const body: unknown = await answer.json()
    if (
      typeof body !== 'object' ||
      body === null ||
      !('access_token' in body) ||
      typeof body.access_token !== 'string'
    )
      throw new Error(`no token: ${JSON.stringify(body)}`)
    return body.access_token
  }

  // Not spread, because a member that an emulator does not have says so when it is read.
  return Object.assign(started, {
    account,
    apiKey,
    client,
    token,
    given: givenOf(await client()),
    createAccount,
    query: async <Row extends object>(text: string, values: unknown[] = []) =>
      (await looker.query<Row>(text, values)).rows,
  })
}
