import { consoleContract } from './console/console.js'
import { contract } from './contract.js'
import { routes, type Route } from './walk.js'

/** The routers of both contracts: what the API serves, and what the console alone calls. */
export const everyRouter = { ...contract, ...consoleContract }

/** The routes of both contracts. */
export const everyRoute: readonly Route[] = routes(everyRouter)

const byName = new Map(everyRoute.map((route) => [route.name, route]))

/** @throws Error when neither contract has a route of this name, which is a mistake of the caller. */
export function routeNamed(name: string): Route {
  const route = byName.get(name)
  if (route === undefined) throw new Error(`the contract has no route ${name}`)
  return route
}
