import { isAppRoute, type AppRoute, type AppRouter } from '@ts-rest/core'
import { z } from 'zod/v4'
import type { Access } from './core/access.js'
import { contract } from './contract.js'
import type { EventCode } from './events/event-catalog.js'
import { errorCodesOf, type ErrorCode } from './core/errors.js'

/** One route of the contract, in the form that generators, mock, documents and tests use. */
export interface Route {
  /** Path within the contract, such as users.create. */
  readonly name: string
  readonly resource: string
  readonly verb: string
  readonly method: AppRoute['method']
  readonly path: string
  readonly pathParameters: readonly string[]
  readonly definition: AppRoute
  readonly access: Access<EventCode>
  /** The status of its success; a route has exactly one. */
  readonly successStatus: number
  readonly success: z.ZodType
  /** The error codes it can answer, without those of OAuth endpoints (RFC 6749 section 5.2). */
  readonly errorCodes: readonly ErrorCode[]
}

/** The routes of a contract as a flat list; of the service's contract by default. */
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
    // access() or open() made the metadata of every route, and every success is a zod schema.
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

/** Whether a call of the API takes scopes of OpenID Connect, for the code that a user's sign-in ends with. */
export function takesScopes(route: Route): boolean {
  const body = bodyOf(route)
  return route.access.auth !== 'none' && body instanceof z.ZodObject && Object.hasOwn(body.shape, 'scope')
}

/** Whether the body of a route is read as a form alone, with nothing of the query string. */
export function takesFormAlone({ definition }: Route): boolean {
  return 'contentType' in definition && definition.contentType === 'application/x-www-form-urlencoded'
}

/** The schema of a route's query, or undefined when it takes none. */
export function queryOf(route: Route): z.ZodType | undefined {
  return isSchema(route.definition.query) ? route.definition.query : undefined
}

/** The query parameters that a route names, such as `page` and `filter[name]`; undefined where it takes any. */
export function queryParametersOf(route: Route): readonly string[] | undefined {
  return parametersOf(queryOf(route))
}

function parametersOf(schema: z.core.$ZodType | undefined): readonly string[] | undefined {
  let whole = schema
  while (whole instanceof z.ZodOptional || whole instanceof z.ZodCatch) whole = whole.unwrap()
  // Of other schemas nobody can say which members they have.
  if (!(whole instanceof z.ZodObject)) return undefined
  const shape: Readonly<Record<string, z.core.$ZodType>> = whole.shape
  return Object.entries(shape).flatMap(([name, member]) => {
    const inner = parametersOf(member)
    return inner === undefined ? [name] : inner.map((one) => name + one.replace(/^[^[]+/, '[$&]'))
  })
}

/** Whether a parameter as it was sent is one of those that a route names; `environment` is, which older callers repeat. */
export function isQueryParameter(known: readonly string[] | undefined, name: string): boolean {
  const sent = pathOf(name)
  if (known === undefined || sent[0] === 'environment') return true
  return known.map(pathOf).some((path) => path.every((part, at) => at >= sent.length || part === sent[at]))
}

/** The members that a name leads through: `filter[name]` has two. */
function pathOf(name: string): readonly string[] {
  const parts = name.split(/[[\]]+/).filter((part) => part !== '')
  return parts.length === 0 ? [''] : parts
}

function isSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value
}
