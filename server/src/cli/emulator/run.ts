import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { startLastUses } from '../../app/last-uses.js'
import type { Config } from '../../platform/config/config.js'
import type { OpenDeps } from '../../delivery/deps.js'
import type { ReadTxt } from '../../platform/outbound/txt.js'
import { openDeps } from '../../app/open-deps.js'
import { createApp } from '../../app/http/app.js'
import { startBackground } from '../../app/background.js'

/** The service on one copy of the seeded database, until the next reset. */
export interface Run {
  readonly deps: OpenDeps
  readonly handle: RequestHandler
  /** Runs everything that is due. @returns How many jobs and deliveries ended. */
  runDue(): Promise<number>
  /** Waits for the requests under way, and closes everything. */
  close(): Promise<void>
}

interface RunOptions {
  readonly now: () => Date
  readonly log: Logger
  /** Handles a request before the service does. */
  readonly faults: RequestHandler
  readonly readTxt: ReadTxt
  /** Whether jobs run by themselves, as in a service. */
  readonly runsJobs: boolean
}

/** A hanging request does not keep a reset from ending. */
const patienceMs = 5_000

export async function startRun(config: Config, options: RunOptions): Promise<Run> {
  const { now, log, faults, readTxt, runsJobs } = options
  const deps = await openDeps(config, { now, log, readTxt })
  const lastUses = startLastUses(deps)
  const app = createApp(deps, { ...lastUses.hooks, faults })
  const worker = runsJobs ? startBackground(deps) : undefined
  let underWay = 0

  async function runDue(): Promise<number> {
    const own = worker ?? startBackground(deps)
    try {
      return await own.runDue()
    } finally {
      if (own !== worker) await own.stop()
    }
  }

  return {
    deps,
    runDue,
    handle(req, res, next) {
      underWay += 1
      res.once('close', () => (underWay -= 1))
      app(req, res, next)
    },
    async close() {
      for (const start = performance.now(); underWay > 0 && performance.now() - start < patienceMs;)
        await sleep(5)
      await worker?.stop()
      await lastUses.stop()
      await deps.close()
    },
  }
}
