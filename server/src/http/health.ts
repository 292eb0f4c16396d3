import express, { type RequestHandler } from 'express'
import { ping } from '../db/ping.js'
import type { OpenDeps } from '../deps.js'

/** Whether the process lives, and whether it should get requests. Exempt from https, for probes beside the process. */
export function health({ db, pendingMigrations, log }: OpenDeps): RequestHandler {
  const router = express.Router()
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'up' })
  })
  router.get('/readyz', async (req, res) => {
    if (req.app.enabled('draining')) {
      res.status(503).json({ status: 'down', reason: 'the service is stopping' })
      return
    }
    if (pendingMigrations.length > 0) {
      res.status(503).json({
        status: 'down',
        reason: `${pendingMigrations.length} pending migrations: run portico migrate, then restart`,
      })
      return
    }
    try {
      await ping(db)
      res.json({ status: 'up' })
    } catch (error) {
      log.warn({ err: error }, 'the database cannot be reached')
      res.status(503).json({ status: 'down', reason: 'the database cannot be reached' })
    }
  })
  // Every request comes by here, and almost none is for it.
  return (req, res, next) => {
    if (req.path === '/healthz' || req.path === '/readyz') router(req, res, next)
    else next()
  }
}
