import { randomBytes } from 'node:crypto'
import { scopes } from '@portico/contract/access'
import type { Account } from '@portico/server/accounts'
import type { ApiKeyCredentials, NewApiKey } from '@portico/server/api-keys'
import type { OpenDeps } from '@portico/server/deps'
import { createClient, type Client } from '@portico/sdk'
import pg from 'pg'
import { type Given, givenOf } from './given.js'
import { atFileEnd } from '../file-end.js'

export interface ServiceOptions {
  /** Configuration variables in addition to those of the harness. */
  readonly variables?: Record<string, string>
  /** The database of another service, to run this one like a second process of it. */
  readonly databaseUrl?: string
}

/** Permissions and owner of a key; default: the whole sandbox of the service's first account, by every scope. */
export type KeyRules = Partial<Omit<NewApiKey, 'accountId'>> & { readonly account?: Account }

/** A mail, or a text message, which has no subject. */
export interface Sent {
  readonly to: string
  readonly subject: string | null
  readonly text: string
  /** The name of its sender, of a mail; null: as the settings say. */
  readonly fromName?: string | null
}

/** A running service, in this process or as an emulator. */
export interface ServiceUnderTest {
  readonly baseUrl: string
  /** The port it listens on, independent of its base URL. */
  readonly port: number
  readonly databaseUrl: string
  /** The dependencies of the service; not available with an emulator. */
  readonly deps: OpenDeps
  /** The master keys, as operators pass them to commands; not available with an emulator. */
  readonly masterKeys: string
  /** The log of the service, by line. */
  readonly logLines: readonly string[]
  readonly clock: Clock
  /** Runs every job and delivery that is due. */
  runJobs(): Promise<number>
  /** The messages sent to an address or number, newest first; without those of the sandbox, which stay in its outbox. */
  sentTo(to: string): Promise<readonly Sent[]>
  createAccount(name: string, plan: Account['plan']): Promise<Account>
  createKey(of: Account, rules: Omit<NewApiKey, 'accountId'>): Promise<ApiKeyCredentials>
}

/** A running service on a database of its own, with a clock that the test controls. */
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
  /** Queries the database of the service; for assertions, never to arrange. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
}

/** The only clock of the service, moved by the test. */
export interface Clock {
  now(): Date
  advance(seconds: number): Promise<void>
}

/** Limits raised so that files do not reach them by accident; files that test a limit set it. */
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
 * Starts the service for a test file; it ends with the file. `npm run test:emulator` runs the same tests through an
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

/** Adds the helpers of tests to a running service. */
export async function serviceOf(started: ServiceUnderTest): Promise<Service> {
  const { baseUrl, databaseUrl, createKey, createAccount: open } = started
  const createAccount: Service['createAccount'] = (plan = 'unlimited') =>
    open(`Account ${randomBytes(4).toString('hex')}`, plan)
  const account = await open(`Acme ${randomBytes(4).toString('hex')}`, 'unlimited')
  const looker = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  // A test may end its Postgres, or this connection.
  looker.on('error', () => undefined)
  atFileEnd(() => looker.end())

  const apiKey: Service['apiKey'] = ({ account: owner = account, ...rules } = {}) =>
    createKey(owner, { environment: 'sandbox', name: 'test', scopes, ...rules })
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

  // Not spread, because members that an emulator lacks are getters that throw.
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
