import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { refreshCredentials, writeCredentials } from './accounts/credentials-file.js'
import { createFirstAccount } from './accounts/first-account.js'
import { startLastUse } from './api-keys/last-use.js'
import type { Config } from './config.js'
import { checkMigrated } from './db/check-migrated.js'
import { openDeps, type GivenDeps, type OpenDeps } from './deps.js'
import { createApp } from './http/app.js'
import { createMetricsServer } from './http/metrics-server.js'
import { createHttpServer, drain } from './http/server.js'
import { makeLogEventMonths } from './log-events/months.js'
import { startBackground } from './worker.js'

export interface ServiceOptions extends Pick<GivenDeps, 'embedded' | 'log'> {
  /** Whether jobs run in this process too. */
  readonly worker: boolean
}

export interface RunningService {
  /** Where it listens. */
  readonly address: string
  readonly metricsAddress: string
  /** Migrations the database lacks; until they are applied the service is not ready. */
  readonly pendingMigrations: readonly string[]
  /** The account made for evaluation, on the embedded database alone; where its keys are, if they still are. */
  readonly firstAccount: { domain: string; credentials: 'created' | 'kept' | 'missing' } | undefined
  /** Stops taking requests, ends what is under way, and closes everything, within the configured time. */
  close(): Promise<void>
}

/** How long other machines get to see that a public service is not ready any more, before it stops to listen. */
const maxNoticeMs = 2_000

/**
 * Starts the service: the API and the pages, /metrics on its own port, and the worker.
 *
 * @throws Error a sentence when something it needs is not there.
 */
export async function startService(
  config: Config,
  { worker: hasWorker, ...given }: ServiceOptions,
): Promise<RunningService> {
  const deps = await openDeps(config, given)
  const metricsServer = createMetricsServer(deps)
  try {
    const isMigrated = deps.pendingMigrations.length === 0
    // The first start on a database; later the months are there, made by the job.
    if (isMigrated) await makeLogEventMonths(deps)
    const firstAccount =
      config.database.url === undefined && isMigrated ? await ensureFirstAccount(deps) : undefined

    const lastUse = startLastUse(deps)
    const app = createApp(deps, { onKeyUse: lastUse.note })
    const server = createHttpServer(app)
    const metricsAddress = await listen(metricsServer, '127.0.0.1', config.metricsPort, 'METRICS_PORT')
    const address = await listen(server, config.host, config.port, 'PORT')
    // Without its tables a worker could only fail.
    const worker = hasWorker && isMigrated ? startBackground(deps) : undefined

    const close = async () => {
      app.enable('draining')
      if (config.isProduction) await sleep(Math.min(maxNoticeMs, config.drainMs / 5))
      const ended = Promise.all([drain(server, { deadlineMs: config.drainMs }), worker?.stop()])
      await within(config.drainMs, ended)
      await lastUse.stop()
      await closeBoth(metricsServer, deps)
    }
    return { address, metricsAddress, pendingMigrations: deps.pendingMigrations, firstAccount, close }
  } catch (error) {
    await closeBoth(metricsServer, deps)
    throw error
  }
}

/**
 * Starts the worker alone, with its own /metrics.
 *
 * @throws Error a sentence, also when the database lacks migrations.
 */
export async function startWorkerProcess(
  config: Config,
  options: { log?: Logger } = {},
): Promise<Pick<RunningService, 'metricsAddress' | 'close'>> {
  const deps = await openDeps(config, options)
  const metricsServer = createMetricsServer(deps)
  try {
    checkMigrated(deps)
    await makeLogEventMonths(deps)
    const metricsAddress = await listen(metricsServer, '127.0.0.1', config.metricsPort, 'METRICS_PORT')
    const worker = startBackground(deps)
    const close = async () => {
      await within(config.drainMs, worker.stop())
      await closeBoth(metricsServer, deps)
    }
    return { metricsAddress, close }
  } catch (error) {
    await closeBoth(metricsServer, deps)
    throw error
  }
}

async function closeBoth(metricsServer: Server, deps: OpenDeps): Promise<void> {
  await drain(metricsServer, { deadlineMs: 0 })
  await deps.close()
}

async function ensureFirstAccount(deps: OpenDeps): Promise<RunningService['firstAccount']> {
  const { dataDir, baseUrl } = deps.config
  const cause = {
    requestId: 'first-start',
    actor: { type: 'system' as const, id: 'first-start' },
    params: () => ({}),
  }
  const { domain, isNew } = await createFirstAccount(deps, cause, (madeDomain, credentials) =>
    writeCredentials(dataDir, { base_url: baseUrl, domain: madeDomain, ...credentials }),
  )
  if (isNew) return { domain, credentials: 'created' }
  // The examples that read the file go on calling the process that was here first.
  const address = deps.isAttached ? undefined : baseUrl
  return { domain, credentials: await refreshCredentials(dataDir, address) }
}

async function listen(server: Server, host: string, port: number, variable: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenFault(error, { host, port, variable })))
    server.listen(port, host, resolve)
  })
  // The address of a TCP server is never a string; that is for pipes.
  const bound = server.address() as AddressInfo
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}

function toListenFault(error: Error, at: { host: string; port: number; variable: string }): Error {
  const { host, port, variable } = at
  const code = 'code' in error ? error.code : undefined
  const another = variable === 'METRICS_PORT' ? 'another one, or to 0 for any that is free' : 'another one'
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use: stop the process that has it, or set ${variable} to ${another}.`,
    EACCES: `Port ${port} is not open to this user: set ${variable} to one above 1023.`,
    EADDRNOTAVAIL: `${host} is no address of this machine: set HOST to one that is, or to 0.0.0.0 for all.`,
    ENOTFOUND: `${host} is no address: set HOST to one of this machine.`,
  }
  return new Error(sentences[String(code)] ?? error.message, { cause: error })
}

/** Waits for work, but not longer than this. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const deadline = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { signal: deadline.signal, ref: false })])
  deadline.abort()
}
