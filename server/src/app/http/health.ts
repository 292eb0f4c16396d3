import express, { type RequestHandler } from 'express'
import { ping, pingByCommit } from '../../platform/db/ping.js'
import type { OpenDeps } from '../../delivery/deps.js'

/** In ms. Anybody may ask whether the service is ready, and not each time does the database write its log. */
const commitsEvery = 1_000

/** Whether the process lives, and whether it should get requests. Exempt from https, for probes beside the process. */
export function health(deps: OpenDeps): RequestHandler {
  const whyNotReady = openReadiness(deps)
  const router = express.Router()
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'up' })
  })
  router.get('/readyz', async (req, res) => {
    if (req.app.enabled('draining')) {
      res.status(503).json(readinessOf('the service is stopping'))
      return
    }
    const reason = await whyNotReady()
    res.status(reason === undefined ? 200 : 503).json(readinessOf(reason))
  })
  // Every request comes by here, and almost none is for it.
  return (req, res, next) => {
    if (req.path === '/healthz' || req.path === '/readyz') router(req, res, next)
    else next()
  }
}

/** Tells what no request and no job can do without; undefined when it is there. */
export function openReadiness({ db, pendingMigrations, log }: OpenDeps): () => Promise<string | undefined> {
  let commitsAgainAt = 0
  return async () => {
    if (pendingMigrations.length > 0)
      return `${pendingMigrations.length} pending migrations: run portico migrate, then restart`
    try {
      if ((await ping(db)).isReadOnly) return 'the database takes no writes'
      if (performance.now() < commitsAgainAt) return undefined
      await pingByCommit(db)
      commitsAgainAt = performance.now() + commitsEvery
      return undefined
    } catch (error) {
      commitsAgainAt = 0
      log.warn({ err: error }, 'the database cannot be reached')
      return 'the database cannot be reached'
    }
  }
}

/** The body of an answer of /readyz. */
export function readinessOf(reason: string | undefined) {
  return reason === undefined ? { status: 'up' } : { status: 'down', reason }
}
