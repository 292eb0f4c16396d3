import type { Request } from 'express'
import { everyRoute } from '@portico/contract/every-route'
import type { Route } from '@portico/contract/walk'

const routeByDefinition = new Map<unknown, Route>(everyRoute.map((route) => [route.definition, route]))

/** The contract's route that a request was matched to; undefined before it is, and for paths outside the contract. */
export function findRoute(req: Request): Route | undefined {
  // ts-rest puts the matched definition on the request.
  return 'tsRestRoute' in req ? routeByDefinition.get(req.tsRestRoute) : undefined
}

export function routeOf(req: Request): Route {
  const route = findRoute(req)
  if (route === undefined) throw new Error('no route of the contract was matched')
  return route
}
