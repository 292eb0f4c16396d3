import { limits } from '@portico/contract/limits'
import { people } from '@portico/contract/people'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { callerOf } from '../../delivery/request-context.js'
import { diagnosePerson } from './diagnose.js'
import { unlockPerson } from './unlock.js'

const s = initServer()

export function peopleRoutes(deps: Deps) {
  return s.router(people, {
    diagnose: async ({ req, query }) => ({
      status: 200,
      body: await diagnosePerson(deps, callerOf(req), query),
    }),
  })
}

export function limitRoutes(deps: Deps) {
  return s.router(limits, {
    unlock: async ({ req, body }) => ({ status: 200, body: await unlockPerson(deps, callerOf(req), body) }),
  })
}
