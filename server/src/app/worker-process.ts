import type { Logger } from 'pino'
import type { OpenDeps } from '../delivery/deps.js'
import { makeLogEventMonths } from '../delivery/log-events/months.js'
import { watchBacklog } from '../operations/backlog.js'
import type { Config } from '../platform/config/config.js'
import { checkMigrated } from '../platform/db/check-migrated.js'
import { startBackground } from './background.js'
import { openReadiness } from './http/health.js'
import { listenForMetrics } from './http/listen.js'
import { createMetricsServer } from './http/metrics-server.js'
import { openCells } from './open-cells.js'
import { openTools } from './open-deps.js'
import { closingMs, failureOf, lastSteps, openOrClose } from './open-process.js'
import type { RunningService } from './processes.js'
import { closeInOrder } from './shutdown.js'

/**
 * Starts only the worker, with its own /metrics.
 *
 * @throws Error with a sentence for the operator, also when the database lacks migrations.
 */
export async function startWorkerProcess(
  config: Config,
  options: { log?: Logger } = {},
): Promise<Pick<RunningService, 'metricsAddress' | 'log' | 'failed' | 'close'>> {
  const tools = await openTools(config, { ...options, isTraced: true })
  const { log } = tools
  const run = async (deps: OpenDeps) => {
    checkMigrated(deps)
    await makeLogEventMonths(deps)
    const worker = startBackground(deps)
    const whyNotReady = openReadiness(deps)
    return {
      deps,
      worker,
      async whyNotReady() {
        if (worker.isStalled()) return 'the worker has not looked for jobs or deliveries for 15 s'
        return whyNotReady()
      },
    }
  }
  const cells = await openOrClose(tools, () => openCells(tools, config, { run }))
  const running = () => cells.all.flatMap((cell) => cell.running ?? [])
  const metricsServer = createMetricsServer(
    { ...tools, config },
    watchBacklog(tools, () => cells.all.map(({ running: cell }) => cell?.deps.db)),
    {
      async whyNotReady() {
        const reasons = await Promise.all(running().map((cell) => cell.whyNotReady()))
        return reasons.includes(undefined) ? undefined : reasons[0]
      },
    },
  )
  try {
    const metricsAddress = await listenForMetrics(metricsServer, config)
    const close = () => {
      cells.stop()
      return closeInOrder(
        [
          {
            name: 'jobs and deliveries',
            close: () => Promise.all(running().map(({ worker }) => worker.stop())),
            atMost: config.drainMs,
          },
          ...lastSteps({ metricsServer, cells, tools }),
        ],
        { within: config.drainMs + closingMs, log },
      )
    }
    const failed = Promise.race(running().map(({ deps }) => failureOf(deps)))
    return { metricsAddress, log, failed, close }
  } catch (error) {
    await closeInOrder(lastSteps({ metricsServer, cells, tools }), { within: closingMs, log })
    throw error
  }
}
