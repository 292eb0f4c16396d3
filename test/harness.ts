import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createAccount, type Account } from '@portico/server/accounts'
import { createApiKey, type NewApiKey } from '@portico/server/api-keys'
import { createApp } from '@portico/server/app'
import { readConfig } from '@portico/server/config'
import { openDeps, type OpenDeps } from '@portico/server/deps'
import { createLog } from '@portico/server/log'
import { createRecordingMailer } from '@portico/server/mailer'
import { createRecordingSmsSender } from '@portico/server/sms-sender'
import { createHttpServer, drain } from '@portico/server/server'
import { startBackground } from '@portico/server/worker'
import { createClient, type Client } from '@portico/sdk'
import pg from 'pg'
import { inject } from 'vitest'
import { freePort } from './free-port.js'
import { type Given, givenOf } from './given.js'
import { atFileEnd } from './file-end.js'

export interface ServiceOptions {
  /** Variables of the configuration beside those the harness sets. */
  readonly variables?: Record<string, string>
  /** The database of another service, to run a second process's worth beside it. */
  readonly databaseUrl?: string
}

/** A running service on a database of its own, its clock in the test's hand. */
export interface Service {
  readonly baseUrl: string
  readonly databaseUrl: string
  readonly account: Account
  readonly deps: OpenDeps
  readonly given: Given
  readonly mails: ReturnType<typeof createRecordingMailer>['sent']
  readonly texts: ReturnType<typeof createRecordingSmsSender>['sent']
  /** What the service logged, a line each. */
  readonly logLines: string[]
  readonly clock: Clock
  /** Runs every job and delivery that is due by the clock. */
  runJobs(): Promise<number>
  /** A client of the account's API key in this environment. */
  client(key?: Partial<Omit<NewApiKey, 'accountId'>> & { account?: Account }): Promise<Client>
  /** A bearer token of a new API key, for raw requests. */
  token(key?: Partial<Omit<NewApiKey, 'accountId'>> & { account?: Account }): Promise<string>
  createAccount(plan?: Account['plan']): Promise<Account>
  /** Statements that look behind the service; never to arrange. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
}

/** The service's only clock, which a test moves on. */
export interface Clock {
  now(): Date
  advance(seconds: number): void
}

/** The moment at which every test begins; real enough for other people's libraries, which ask the system. */
function createClock(): Clock {
  let offsetMs = 0
  const start = Date.now()
  const startTick = performance.now()
  return {
    now: () => new Date(start + Math.floor(performance.now() - startTick) + offsetMs),
    advance: (seconds) => {
      offsetMs += seconds * 1000
    },
  }
}

/** Starts the service for a test file; it ends with the file. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const databaseUrl = options.databaseUrl ?? (await cloneTemplate())
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const config = readConfig({
    PORT: String(port),
    BASE_URL: baseUrl,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '8',
    MASTER_KEYS: testMasterKeys,
    LOG_LEVEL: 'debug',
    // Limits that a file runs into without meaning to; one that means to sets them.
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
    // Receivers of events are servers of the tests.
    OUTBOUND_ALLOW: '127.0.0.0/8,::1',
    NODE_ENV: 'test',
    ...options.variables,
  })
  const clock = createClock()
  const mailer = createRecordingMailer()
  const smsSender = createRecordingSmsSender()
  const logLines: string[] = []
  const log = createLog(config, { write: (line: string) => void logLines.push(line) })
  const deps = await openDeps(config, { now: clock.now, mail: mailer, sms: smsSender, log })
  const server = createHttpServer(createApp(deps))
  await once(server.listen(port, '127.0.0.1'), 'listening')
  // No job runs until a test asks for it, so that a test may look at what waits.
  const runJobs = async () => {
    const worker = startBackground(deps)
    try {
      return await worker.runDue()
    } finally {
      await worker.stop()
    }
  }
  await runJobs()
  const account = await createAccount(deps, {
    name: `Acme ${randomBytes(4).toString('hex')}`,
    plan: 'unlimited',
  })
  const looker = new pg.Pool({ connectionString: databaseUrl, max: 2 })

  atFileEnd(async () => {
    await drain(server, { deadlineMs: 1000 })
    await looker.end()
    await deps.close()
  })

  const keyOf = async (key: Partial<Omit<NewApiKey, 'accountId'>> & { account?: Account } = {}) => {
    const { account: owner = account, ...rules } = key
    const credentials = await createApiKey(deps, deps.db, {
      environment: 'sandbox',
      name: 'test',
      ...rules,
      accountId: owner.id,
    })
    return { owner, credentials }
  }
  const client: Service['client'] = async (key) => {
    const { owner, credentials } = await keyOf(key)
    return createClient({
      baseUrl,
      domain: owner.domain,
      clientId: credentials.client_id,
      clientSecret: credentials.client_secret,
      maxRetries: 0,
    })
  }
  const token: Service['token'] = async (key) => {
    const { owner, credentials } = await keyOf(key)
    const answer = await fetch(`${baseUrl}/api/v2/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...credentials, domain: owner.domain, grant_type: 'client_credentials' }),
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

  return {
    baseUrl,
    databaseUrl,
    account,
    deps,
    clock,
    mails: mailer.sent,
    texts: smsSender.sent,
    logLines,
    client,
    token,
    given: givenOf(await client()),
    runJobs,
    createAccount: (plan = 'unlimited') =>
      createAccount(deps, { name: `Account ${randomBytes(4).toString('hex')}`, plan }),
    query: async <Row extends object>(text: string, values: unknown[] = []) =>
      (await looker.query<Row>(text, values)).rows,
  }
}

const testMasterKeys = `v1:${randomBytes(32).toString('base64')}`

async function cloneTemplate(): Promise<string> {
  const adminUrl = inject('adminUrl')
  const name = `t_${process.pid}_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  try {
    await admin.query(`create database ${name} template ${inject('templateName')} strategy file_copy`)
  } finally {
    await admin.end()
  }
  const url = new URL(adminUrl)
  url.pathname = name
  return url.href
}
