import { isAppRoute, type AppRoute, type AppRouter } from '@ts-rest/core'
import type { z } from 'zod/v4'
import type { Access } from './core/access.js'
import { contract } from './contract.js'
import type { EventCode } from './events/event-catalog.js'
import { errorCodesOf, type ErrorCode } from './core/errors.js'

/** One route of the contract, with what everything derived needs to know of it. */
export interface Route {
  /** Its place in the contract, such as users.create. */
  readonly name: string
  readonly resource: string
  readonly verb: string
  readonly method: AppRoute['method']
  readonly path: string
  readonly pathParameters: readonly string[]
  readonly definition: AppRoute
  readonly access: Access<EventCode>
  /** The one status of its success. */
  readonly successStatus: number
  readonly success: z.ZodType
  /** The error codes it can answer. Not those of the OAuth endpoints, which have a vocabulary of their own. */
  readonly errorCodes: readonly ErrorCode[]
}

/** A contract as a flat list of its routes: the service's unless another one is given. */
export function routes(of: Readonly<Record<string, AppRouter>> = contract): readonly Route[] {
  return Object.entries(of).flatMap(([resource, router]) => routesOf(resource, router))
}

function routesOf(resource: string, router: AppRouter): Route[] {
  return Object.entries(router).flatMap(([verb, definition]) =>
    isAppRoute(definition) ? [toRoute(resource, verb, definition)] : [],
  )
}

function toRoute(resource: string, verb: string, definition: AppRoute): Route {
  const name = `${resource}.${verb}`
  const successes = Object.keys(definition.responses)
    .map(Number)
    .filter((status) => status < 300)
  const [successStatus] = successes
  if (successStatus === undefined || successes.length !== 1) throw new Error(`${name} must have one success`)
  return {
    name,
    resource,
    verb,
    method: definition.method,
    path: definition.path,
    pathParameters: [...definition.path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter ?? ''),
    definition,
    // Every route of the contract has metadata made by access() or open(), and its successes are zod schemas.
    access: definition.metadata as Access<EventCode>,
    successStatus,
    success: definition.responses[successStatus] as z.ZodType,
    errorCodes: Object.values(definition.responses).flatMap(errorCodesOf),
  }
}

/** The schema of a route's body, or undefined when it takes none. */
export function bodyOf(route: Route): z.ZodType | undefined {
  return 'body' in route.definition && isSchema(route.definition.body) ? route.definition.body : undefined
}

/** The schema of a route's query, or undefined when it takes none. */
export function queryOf(route: Route): z.ZodType | undefined {
  return isSchema(route.definition.query) ? route.definition.query : undefined
}

function isSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value
}
