import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created } from '../../delivery/events/answer.js'
import { callerOf } from '../../delivery/request-context.js'
import { createDiscoveryChallenge } from './challenge.js'
import { enterDiscovery } from './enter.js'
import { exchangeDiscoveryCode } from './exchange.js'

const s = initServer()

export function discoveryRoutes(deps: Deps) {
  return s.router(contract.discovery, {
    createChallenge: async ({ req, res, body }) =>
      created(res, await createDiscoveryChallenge(deps, callerOf(req), body)),
    exchange: async ({ req, res, body }) =>
      created(res, await exchangeDiscoveryCode(deps, callerOf(req), body)),
    enter: async ({ req, res, body }) => created(res, await enterDiscovery(deps, callerOf(req), body)),
  })
}
