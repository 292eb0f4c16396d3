import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createAccount } from '@portico/server/accounts'
import { createApiKey } from '@portico/server/api-keys'
import { createApp } from '@portico/server/app'
import { readConfig } from '@portico/server/config'
import { openDeps } from '@portico/server/deps'
import { createLog } from '@portico/server/log'
import { createRecordingMailer } from '@portico/server/mailer'
import { createRecordingSmsSender } from '@portico/server/sms-sender'
import { createHttpServer, drain } from '@portico/server/server'
import { startBackground } from '@portico/server/worker'
import pg from 'pg'
import { inject } from 'vitest'
import { cheapDeps } from '../cheap-deps.js'
import { addToWorkers, dropEverywhere, inTurn, prepareCommand } from '../citus/test-cell.js'
import { portico } from '../cli/portico.js'
import { atFileEnd } from '../file-end.js'
import { freePort } from './free-port.js'
import type { Clock, Sent, ServiceOptions, ServiceUnderTest } from './harness.js'

/** A clock that starts at the real time, because third-party libraries read the system clock. */
function createClock(): Clock {
  let offsetMs = 0
  const start = Date.now()
  const startTick = performance.now()
  return {
    now: () => new Date(start + Math.floor(performance.now() - startTick) + offsetMs),
    advance: (seconds) => {
      offsetMs += seconds * 1000
      return Promise.resolve()
    },
  }
}

/** Starts the service in this process, on a database of its own. */
export async function startOwnService(
  variables: Readonly<Record<string, string>>,
  options: ServiceOptions,
): Promise<ServiceUnderTest> {
  const databaseUrl = options.databaseUrl ?? (await cloneTemplate())
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const config = readConfig({
    PORT: String(port),
    BASE_URL: baseUrl,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '8',
    MASTER_KEYS: testMasterKeys,
    // Receivers of events are servers of the tests.
    OUTBOUND_ALLOW: '127.0.0.0/8,::1',
    ...variables,
  })
  const clock = createClock()
  const mailer = createRecordingMailer()
  const smsSender = createRecordingSmsSender()
  const logLines: string[] = []
  const log = createLog(config, { write: (line: string) => void logLines.push(line) })
  const deps = await openDeps(config, {
    now: clock.now,
    mail: mailer,
    sms: smsSender,
    log,
    isTraced: true,
    ...cheapDeps,
  })
  const server = createHttpServer(createApp(deps))
  await once(server.listen(port, '127.0.0.1'), 'listening')
  // Jobs run only on request, so that a test can inspect pending ones.
  const runJobs = async () => {
    const worker = startBackground(deps)
    try {
      return await worker.runDue()
    } finally {
      await worker.stop()
    }
  }
  await runJobs()
  const sentTo = (to: string): Promise<Sent[]> => {
    const mails = mailer.sent.map(({ to, fromName, subject, text }) => ({ to, fromName, subject, text }))
    const texts = smsSender.sent.map(({ to, body }) => ({ to, subject: null, text: body }))
    return Promise.resolve([...mails, ...texts].filter((sent) => sent.to === to).toReversed())
  }

  atFileEnd(async () => {
    await drain(server, { deadlineMs: 1000 })
    await deps.close()
  })

  return {
    baseUrl,
    port,
    databaseUrl,
    deps,
    clock,
    masterKeys: config.masterKeys ?? '',
    logLines,
    runJobs,
    sentTo,
    createAccount: (name, plan) => createAccount(deps, { name, plan }),
    createKey: ({ id }, rules) => createApiKey(deps, deps.db, { ...rules, accountId: id }),
  }
}

export const testMasterKeys = `v1:${randomBytes(32).toString('base64')}`

/** The address of a new database with every migration; `npm run test:citus` makes it a schema of a cluster. */
export async function cloneTemplate(): Promise<string> {
  const url = await plainDatabase()
  const workers = inject('citusWorkers')
  if (workers.length === 0) return url
  // Their roles are of all databases of a cluster: two that are prepared at once would change one at once.
  await inTurn(inject('adminUrl'), async () => {
    await addToWorkers(url, workers)
    const { code, stderr } = await portico(prepareCommand(workers), { DATABASE_URL: url })
    if (code !== 0) throw new Error(stderr)
  })
  return url
}

/** The same, in a single Postgres in any case. */
export function plainDatabase(): Promise<string> {
  return createDatabase(`template ${inject('templateName')} strategy file_copy`)
}

/** The address of a new database without any. */
export function emptyDatabase(): Promise<string> {
  return createDatabase('')
}

async function createDatabase(how: string): Promise<string> {
  const adminUrl = inject('adminUrl')
  const name = `t_${process.pid}_${randomBytes(6).toString('hex')}`
  await asAdmin(adminUrl, `create database ${name} ${how}`)
  // The database stays until the end of the run if a killed program left a connection to it.
  atFileEnd(() => dropEverywhere(adminUrl, inject('citusWorkers'), name).catch(() => undefined))
  const url = new URL(adminUrl)
  url.pathname = name
  return url.href
}

async function asAdmin(connectionString: string, statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString })
  await admin.connect()
  try {
    await admin.query(statement)
  } finally {
    await admin.end()
  }
}
