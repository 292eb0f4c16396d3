import express, { type RequestHandler } from 'express'
import { promptly } from '../../platform/db/connect.js'
import { ping, pingByCommit } from '../../platform/db/ping.js'
import type { OpenDeps } from '../../delivery/deps.js'

/** In ms. /readyz is public, so it must not make the database write to its log on each request. */
const commitIntervalMs = 1_000

/** Why the process has not begun its work, such as for want of migrations; undefined once it has. */
export type WhyWaiting = () => Promise<string | undefined> | undefined

/** Serves the liveness and readiness probes. Exempt from https, for probes on the same machine. */
export function health(deps: OpenDeps, whyWaiting?: WhyWaiting): RequestHandler {
  const whyNotReady = openReadiness(deps, whyWaiting)
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
  // Almost no request is a probe: the router is skipped for the others.
  return (req, res, next) => {
    if (req.path === '/healthz' || req.path === '/readyz') router(req, res, next)
    else next()
  }
}

/**
 * Makes a function that gives the reason why the process cannot do its work; undefined when it can. Probes at once share
 * one look at the database, so that they take one connection.
 */
export function openReadiness(opened: OpenDeps, whyWaiting?: WhyWaiting): () => Promise<string | undefined> {
  // A look that waited as background work does would answer the probes of half a minute.
  const { db, log } = promptly(opened)
  let nextCommitAt = 0
  let underWay: Promise<string | undefined> | undefined
  return () => {
    underWay ??= look().finally(() => (underWay = undefined))
    return underWay
  }

  async function look(): Promise<string | undefined> {
    const waiting = await whyWaiting?.()
    if (waiting !== undefined) return waiting
    try {
      if ((await ping(db)).isReadOnly) return 'the database takes no writes'
      if (performance.now() < nextCommitAt) return undefined
      await pingByCommit(db)
      nextCommitAt = performance.now() + commitIntervalMs
      return undefined
    } catch (error) {
      nextCommitAt = 0
      log.warn({ err: error }, 'the database cannot be reached')
      return 'the database cannot be reached'
    }
  }
}

/** The body of an answer of /readyz. */
export function readinessOf(reason: string | undefined) {
  return reason === undefined ? { status: 'up' } : { status: 'down', reason }
}
