import { health, statistics } from '@portico/contract/health'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { callerOf } from '../../delivery/request-context.js'
import { createHealthReader } from './health.js'
import { getStatistics } from './statistics.js'

const s = initServer()

export function healthRoutes(deps: Deps) {
  const readHealth = createHealthReader(deps)
  return s.router(health, {
    get: async ({ req }) => ({ status: 200, body: await readHealth(callerOf(req)) }),
  })
}

export function statisticsRoutes(deps: Deps) {
  return s.router(statistics, {
    get: async ({ req, query }) => ({ status: 200, body: await getStatistics(deps, callerOf(req), query) }),
  })
}
