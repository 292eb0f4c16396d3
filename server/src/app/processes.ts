import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { refreshCredentials, writeCredentials } from '../operations/accounts/credentials-file.js'
import { createFirstAccount } from '../operations/accounts/first-account.js'
import { getAccount } from '../operations/accounts/list-accounts.js'
import { watchBacklog } from '../operations/backlog.js'
import { makeConsoleLink } from '../operations/staff/console-start.js'
import type { Config } from '../platform/config/config.js'
import { checkMasterKeys } from '../platform/db/master-key-canary.js'
import type { OpenDeps } from '../delivery/deps.js'
import { dispatcher, type ServingCell } from './cells/dispatch.js'
import { openCells, type Cells } from './open-cells.js'
import { openTools, type GivenDeps } from './open-deps.js'
import { closingMs, failureOf, lastSteps, openOrClose } from './open-process.js'
import { readinessOfCells } from './readiness-of-cells.js'
import { createApp } from './http/app.js'
import { openReadiness } from './http/health.js'
import { listen, listenForMetrics } from './http/listen.js'
import { createMetricsServer } from './http/metrics-server.js'
import { announceDrain, createHttpServer, drain, shareServer } from './http/server.js'
import type { Loop } from '../delivery/jobs/loop.js'
import { makeLogEventMonths } from '../delivery/log-events/months.js'
import { startLastUses } from './last-uses.js'
import { closeInOrder } from './shutdown.js'
import { startBackground } from './background.js'
import { untilMigrated } from './until-migrated.js'
import { causeBy } from '../platform/tenant.js'

export interface ServiceOptions extends Pick<GivenDeps, 'embedded' | 'log'> {
  /** Whether jobs run in this process too. */
  readonly worker: boolean
}

interface FirstAccount {
  readonly domain: string
  readonly credentials: 'created' | 'kept' | 'missing'
  /** Makes its first owner; undefined where it has one, and in a process that has joined the database of another. */
  readonly consoleLink: string | undefined
}

export interface RunningService {
  readonly address: string
  readonly metricsAddress: string
  /** Migrations the database lacked at the start; until they are applied the service is not ready. */
  readonly pendingMigrations: readonly string[]
  /** The evaluation account, only on the embedded database, and the state of the file with its keys. */
  readonly firstAccount: FirstAccount | undefined
  readonly log: Logger
  /** Resolves when the process cannot go on, because its embedded database has ended; the log says so. */
  readonly failed: Promise<unknown>
  /** Stops accepting requests, finishes those in progress and closes everything, within the configured time. */
  close(): Promise<void>
}

/** How long load balancers get to notice that the service is not ready, before it stops listening. */
const maxNoticeMs = 2_000
/** Time limit for storing the last use of API keys, in ms. */
const lastUseMs = 1_500

type App = ReturnType<typeof createApp>

/** One database of the service, with the app for its accounts. */
interface ServiceCell {
  readonly deps: OpenDeps
  readonly app: App
  /** Starts the worker, where the process has one and the database its tables. */
  begin(): void
  whyNotReady(): Promise<string | undefined>
  stopWorker(): Promise<void>
  storeLastUses(): Promise<unknown>
}

async function serveCell(
  deps: OpenDeps,
  { hasWorker }: { readonly hasWorker: boolean },
): Promise<ServiceCell> {
  const isMigrated = deps.pendingMigrations.length === 0
  // For the first start on a database; later the job creates the months.
  if (isMigrated) await makeLogEventMonths(deps)
  // Without its tables a worker could only fail.
  let worker: Loop | undefined
  let isClosing = false
  const startWorker = () => {
    if (hasWorker && !isClosing) worker = startBackground(deps)
  }
  const whyWaiting = untilMigrated(deps, async () => {
    await checkMasterKeys(deps.db, deps.keys.master)
    await makeLogEventMonths(deps)
    startWorker()
  })
  const lastUses = startLastUses(deps)
  return {
    deps,
    app: createApp(deps, { ...lastUses.hooks, whyWaiting }),
    begin() {
      if (isMigrated) startWorker()
    },
    whyNotReady: openReadiness(deps, whyWaiting),
    async stopWorker() {
      isClosing = true
      await worker?.stop()
    },
    storeLastUses: lastUses.stop,
  }
}

/**
 * Starts the service: the API and the pages, /metrics on its own port, and the worker.
 *
 * @throws Error with a sentence for the operator when something required is missing.
 */
export async function startService(
  config: Config,
  { worker: hasWorker, embedded, log: givenLog }: ServiceOptions,
): Promise<RunningService> {
  const tools = await openTools(config, { ...(givenLog && { log: givenLog }), isTraced: true })
  const { log } = tools
  let listening: App | undefined
  const run = async (deps: OpenDeps) => {
    const cell = await serveCell(deps, { hasWorker })
    if (listening !== undefined) {
      shareServer(listening, cell.app)
      cell.begin()
    }
    return cell
  }
  const cells = await openOrClose(tools, () => openCells(tools, config, { embedded, run }))
  const running = () => cells.all.flatMap((cell) => cell.running ?? [])
  const metricsServer = createMetricsServer(
    { ...tools, config },
    watchBacklog(tools, () => cells.all.map(({ running: cell }) => cell?.deps.db)),
  )
  try {
    const [{ deps, app }] = running() as [ServiceCell, ...ServiceCell[]]
    const isMigrated = deps.pendingMigrations.length === 0
    const firstAccount =
      config.database.url === undefined && isMigrated ? await ensureFirstAccount(deps) : undefined
    const server =
      config.cells === undefined ? createHttpServer(app) : createDispatchingServer(cells, { deps, app })
    const metricsAddress = await listenForMetrics(metricsServer, config)
    const address = await listen(
      server,
      { name: 'PORT', port: config.port },
      { name: 'HOST', host: config.host },
    )
    listening = app
    for (const cell of running()) {
      shareServer(app, cell.app)
      cell.begin()
    }

    const drained = async () => {
      app.enable('draining')
      announceDrain(server)
      const noticeMs = config.isProduction ? Math.min(maxNoticeMs, config.drainMs / 5) : 0
      await sleep(noticeMs)
      await drain(server, {
        deadlineMs: config.drainMs - noticeMs,
        onCut: (connections) => log.warn({ connections }, 'requests were left unfinished'),
      })
    }
    const close = () => {
      cells.stop()
      return closeInOrder(
        [
          {
            name: 'requests, jobs and deliveries',
            close: () => Promise.all([drained(), ...running().map((cell) => cell.stopWorker())]),
            atMost: config.drainMs,
          },
          {
            name: 'the last use of API keys and secrets',
            close: () => Promise.all(running().map((cell) => cell.storeLastUses())),
            atMost: lastUseMs,
          },
          ...lastSteps({ metricsServer, cells, tools }),
        ],
        { within: config.drainMs + closingMs, log },
      )
    }
    const { pendingMigrations } = deps
    return { address, metricsAddress, pendingMigrations, firstAccount, log, failed: failureOf(deps), close }
  } catch (error) {
    await closeInOrder(lastSteps({ metricsServer, cells, tools }), { within: closingMs, log })
    throw error
  }
}

/** A server that hands requests to the cells of their accounts. */
function createDispatchingServer(
  cells: Cells<ServiceCell>,
  { deps, app }: Pick<ServiceCell, 'deps' | 'app'>,
): Server {
  const serving = cells.all.map((cell): ServingCell => ({
    name: cell.name ?? '',
    get db() {
      return cell.running?.deps.db
    },
    get app() {
      return cell.running?.app
    },
  }))
  const unavailable = createApp(deps, { whyWaiting: () => Promise.resolve('a database cannot be reached') })
  const dispatch = dispatcher(serving, {
    isHttps: deps.config.isHttps,
    unavailable,
    log: deps.log,
    readiness(_req, res) {
      void readinessOfCells(cells, app.enabled('draining')).then((body) => {
        const isUp = body.status === 'up'
        res.writeHead(isUp ? 200 : 503, { 'Content-Type': 'application/json; charset=utf-8' })
        res.end(JSON.stringify(body))
      })
    },
  })
  const server = createHttpServer(app, dispatch)
  shareServer(app, unavailable)
  return server
}

async function ensureFirstAccount(deps: OpenDeps): Promise<FirstAccount> {
  const { dataDir, baseUrl } = deps.config
  const cause = causeBy('first-start', 'system', 'first-start')
  const { domain, isNew } = await createFirstAccount(deps, cause, (madeDomain, credentials) =>
    writeCredentials(dataDir, { base_url: baseUrl, domain: madeDomain, ...credentials }),
  )
  // With an attached database the file keeps the address of the first process, which the examples call; so does the console.
  const address = deps.isAttached ? undefined : baseUrl
  const credentials = isNew ? 'created' : await refreshCredentials(dataDir, address)
  const { id } = await getAccount(deps, domain)
  const consoleLink = deps.isAttached ? undefined : await makeConsoleLink(deps, id)
  return { domain, credentials, consoleLink }
}
