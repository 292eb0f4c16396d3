import { sensitivityKey } from '@portico/contract/fields'
import { bodyOf, queryOf, takesFormAlone, type Route } from '@portico/contract/walk'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod/v4'
import { ApiError, invalid } from '../../platform/errors.js'
import { checkWellFormed } from '../../platform/well-formed.js'
import { BodyFault } from '../../platform/http/body-fault.js'
import { jsonReader, nestedFormReader } from '../../platform/http/body.js'
import { findCaller } from '../../delivery/request-context.js'
import { routeOf } from './route-of.js'

/** More than the largest body that any operation can use. */
const bounds = { values: 2000, names: 2000 }

const readBodies = readersOf(100 * 1024)
/** For the one route that takes a file, the metadata of an identity provider. */
const readFileBodies = readersOf(512 * 1024)

function readersOf(bytes: number): readonly RequestHandler[] {
  return [jsonReader({ ...bounds, bytes }), nestedFormReader(bytes)]
}

/**
 * Reads a JSON or form body.
 *
 * @throws ApiError `malformed_request`, `body_too_large`, `media_type_unsupported`; `invalid_parameters` for one of too many
 *   members or levels.
 */
export function readBody(req: Request, res: Response, next: NextFunction): void {
  if (!takesParameters(routeOf(req)) || !hasBody(req)) {
    next()
    return
  }
  const isFormAlone = takesFormAlone(routeOf(req))
  const types = ['application/x-www-form-urlencoded', ...(isFormAlone ? [] : ['application/json'])]
  if (req.is(types) === false) {
    next(new ApiError(isFormAlone ? 'malformed_request' : 'media_type_unsupported'))
    return
  }
  const [json, form] = routeOf(req).access.takesFile ? readFileBodies : readBodies
  const ended = (error?: unknown) => next(error instanceof BodyFault ? toApiError(error) : error)
  void json?.(req, res, (error?: unknown) => (error === undefined ? form?.(req, res, ended) : ended(error)))
}

/**
 * Whether the route takes parameters in its body, or for it in the query string. A GET does not, nor does a protocol
 * route without a body, which ignores any.
 */
function takesParameters(route: Route): boolean {
  return route.method !== 'GET' && (route.access.auth !== 'none' || bodyOf(route) !== undefined)
}

function toApiError(fault: BodyFault): ApiError {
  const { message, cause } = fault
  switch (fault.kind) {
    case 'too_many':
      return invalid('', 'too_big', message)
    case 'too_large':
      return new ApiError('body_too_large', { cause })
    case 'unsupported':
      return new ApiError('media_type_unsupported', { cause })
    case 'malformed':
      return new ApiError('malformed_request', { message, cause })
  }
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

/**
 * Merges the query string of a write into its body before validation; a secret is accepted only in the body. Refuses
 * text that no column can store.
 *
 * @throws ApiError `invalid_parameters` when a parameter is given twice with different values, `malformed_request` when
 *   JSON is sent as a form.
 */
export function mergeParameters(req: Request, _res: Response, next: NextFunction): void {
  const route = routeOf(req)
  checkForm(req)
  if (takesParameters(route)) req.body = mergedBody(route, req.query, req.body)
  checkEnvironment(req, route)
  next()
}

/** curl -d labels every body as a form; no parameter name begins as JSON does. */
function checkForm(req: Request): void {
  const [name = ''] = Object.keys(asObject(req.body))
  if (/^\s*\{/.test(name) && req.is('application/x-www-form-urlencoded') !== false) {
    throw new ApiError('malformed_request', {
      message: 'The body looks like JSON: send Content-Type: application/json.',
    })
  }
}

function mergedBody(route: Route, query: object, body: unknown): unknown {
  const schema = bodyOf(route)
  const given: unknown = body ?? {}
  if (takesFormAlone(route)) return given
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid('', 'invalid_type', 'must be an object with the parameters as its members')
  checkWellFormed(given)
  checkWellFormed(query)
  const fromQuery = Object.entries(query)
  if (schema === undefined) {
    const [name] = [...Object.keys(given), ...Object.keys(query)]
    if (name !== undefined) throw invalid(name, 'unrecognized_keys', 'is not a parameter of this operation')
    return given
  }
  if (fromQuery.length === 0) return given
  const merged = new Map<string, unknown>(Object.entries(given))
  for (const [name, value] of fromQuery) {
    if (isSecretMember(schema, name)) throw invalid(name, 'secret_in_query', 'must be sent in the body')
    if (merged.has(name) && !isDeepStrictEqual(merged.get(name), value))
      throw invalid(name, 'contradictory', 'is in the query string and in the body with different values')
    merged.set(name, value)
  }
  return Object.fromEntries(merged)
}

function isSecretMember(schema: z.ZodType, name: string): boolean {
  const shape = schema instanceof z.ZodObject ? schema.shape : {}
  return shape[name] !== undefined && z.globalRegistry.get(shape[name])?.[sensitivityKey] === 'secret'
}

/**
 * Older callers repeat their key's environment. Lists answer another environment with an empty page; other routes
 * refuse it.
 */
function checkEnvironment(req: Request, route: Route): void {
  const caller = findCaller(req)
  const { environment } = { ...(route.method === 'GET' ? req.query : asObject(req.body)) }
  if (caller === undefined || environment === undefined || !takesEnvironment(route)) return
  if (typeof environment === 'string' && environment.toLowerCase() === caller.environment) return
  throw invalid(
    'environment',
    'contradictory',
    `must be ${caller.environment}, the environment of the API key`,
  )
}

/** Whether the route refuses another environment. */
function takesEnvironment(route: Route): boolean {
  const schema = route.method === 'GET' ? queryOf(route) : bodyOf(route)
  return schema instanceof z.ZodObject
    ? 'environment' in schema.shape && !('page' in schema.shape)
    : schema !== undefined
}

function asObject(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}
