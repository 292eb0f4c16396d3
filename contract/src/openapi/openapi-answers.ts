import { z } from 'zod/v4'
import { allErrorCodes, errorCodesOf, type ErrorCode } from '../core/errors.js'
import type { JsonSchema, SchemaWriter } from './json-schema.js'
import { takesScopes, type Route } from '../walk.js'

export interface Answer {
  description: string
  'x-error-codes'?: readonly string[]
  headers: Record<string, Reference>
  /** Undefined for an answer without a body. */
  content?: Record<string, { schema: JsonSchema; example?: object }>
}

export interface Reference {
  $ref: string
}

export interface Header {
  description: string
  schema: JsonSchema
}

/** Answers by name that many routes share: the failures and 304. */
export type SharedAnswers = Record<string, Answer>

/** Every answer of a route by its status. A failure is added to the shared answers, named after its codes. */
export function answersOf(
  route: Route,
  schemas: SchemaWriter,
  shared: SharedAnswers,
): Record<string, Answer | Reference> {
  function share(codes: readonly ErrorCode[], answer: Answer): Reference {
    // A deprecated route has other headers.
    const name = [...codes, ...(route.access.deprecated ? ['deprecated'] : [])].join('.')
    shared[name] = { ...answer, 'x-error-codes': codes }
    return { $ref: `#/components/responses/${name}` }
  }

  const answers = Object.entries(route.definition.responses).flatMap(([status, body]: [string, unknown]) => {
    if (!(body instanceof z.ZodType)) return []
    const codes = errorCodesOf(body)
    const answer = {
      description: codes.map(meaning).join('\n') || (Number(status) < 300 ? 'Success' : 'Failure'),
      headers: Object.fromEntries(headersOf(route, Number(status)).map(headerReference)),
      content: { 'application/json': { schema: schemas.output(body), ...ownExampleOf(route, body) } },
    }
    return [[status, codes.length > 0 ? share(codes, answer) : answer] as const]
  })
  return { ...Object.fromEntries(answers), ...(isConditional(route) && notModified(shared)) }
}

/** Whether the answer has an ETag for conditional requests. */
function isConditional({ method, definition }: Route): boolean {
  return method === 'GET' && definition.responses[200] instanceof z.ZodType
}

function notModified(shared: SharedAnswers): Record<string, Reference> {
  shared['not_modified'] = {
    description:
      'If-None-Match matches the ETag of the answer, which is therefore sent without a body (RFC 9110 section 15.4.5)',
    headers: Object.fromEntries(['X-Request-Id'].map(headerReference)),
  }
  return { 304: { $ref: '#/components/responses/not_modified' } }
}

/** The example of an answer that replaces its record's. */
function ownExampleOf({ access, success }: Route, body: z.ZodType): { example?: object } {
  return body === success && access.example !== undefined ? { example: access.example } : {}
}

function headerReference(name: string): [string, Reference] {
  return [name, { $ref: `#/components/headers/${name}` }]
}

function meaning(code: ErrorCode): string {
  return `- \`${code}\`: ${allErrorCodes[code].message}`
}

/** The headers of an answer by its route and status. */
export function headersOf(route: Route, status: number): string[] {
  const { access, method } = route
  const isSuccess = status < 300
  const isCounted = isSuccess && access.limited !== false
  return [
    'X-Request-Id',
    ...(access.deprecated ? Object.keys(deprecationHeaders) : []),
    ...(isSuccess && access.versioned !== false && method !== 'DELETE' ? ['ETag'] : []),
    ...(isSuccess && access.idempotent ? ['Idempotent-Replayed'] : []),
    ...(isSuccess && mayWarn(route) ? ['Portico-Warning'] : []),
    ...(isSuccess && access.auth === 'api_key' && method !== 'GET' ? ['Portico-Position'] : []),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(status === 429 || isCounted ? ['RateLimit', 'RateLimit-Policy'] : []),
    ...(status === 429 || status === 503 || isCounted ? ['Retry-After'] : []),
  ]
}

/** Whether a route names parameters or scopes that it ignores, in the sandbox. */
export function mayWarn(route: Route): boolean {
  return (route.method === 'GET' && route.access.auth !== 'none') || takesScopes(route)
}

/** The header components that the answers of some routes refer to. */
export function headersFor(routes: readonly Route[]): Record<string, Header> {
  return routes.some(({ access }) => access.deprecated) ? { ...headers, ...deprecationHeaders } : headers
}

const deprecationHeaders: Record<string, Header> = {
  Deprecation: {
    description: 'Start of the deprecation: @ and seconds since 1970 (RFC 9745)',
    schema: { type: 'string' },
  },
  Sunset: {
    description: 'Time from which on the operation may be removed (RFC 8594)',
    schema: { type: 'string' },
  },
  Link: { description: 'Documentation of the deprecation', schema: { type: 'string' } },
}

const headers: Record<string, Header> = {
  ETag: { description: 'The version of the record, for If-Match', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: 'true if this answer repeats an earlier one for the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  'Portico-Position': {
    description: 'For lists that follow, which then have the change; only where they come from a replica',
    schema: { type: 'string' },
  },
  'Portico-Warning': {
    description:
      'In the sandbox: the query parameters and orders that the operation does not have, and the scopes that are not granted, five of each at most: ignored parameters: a, b; ignored orders: c',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'Remaining requests of each limit, and seconds until it is reset: "api";r=5999;t=60, "mail";r=2;t=900',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'Quota of each limit, and its window in seconds: "api";q=6000;w=60, "mail";q=3;w=900',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait; after a success, until the next one is possible',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': { description: 'RFC 6750 section 3', schema: { type: 'string' } },
  'X-Request-Id': {
    description: 'Identifier of this request in the logs of the service',
    schema: { type: 'string' },
  },
}
