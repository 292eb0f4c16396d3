import { sampleBody } from '@portico/contract/samples'
import { bodyOf, queryOf, takesFormAlone, type Route } from '@portico/contract/walk'
import { z } from 'zod/v4'

/** Values of the references to objects, by the parameter names of routes. */
export type References = Readonly<Record<string, string>>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: unknown
}

export interface RouteRequest {
  readonly baseUrl: string
  readonly token?: string | undefined
  readonly references: References
  /** Instead of the sample body; merged over it when `isMerged`. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: Record<string, string> | undefined
}

/** The route's path with its parameters filled in. */
export function pathOf(route: Route, references: References): string {
  return route.path.replace(/:(\w+)/g, (_match, name: string) => {
    const value = references[name]
    if (value === undefined) throw new Error(`${route.name}: no reference is called ${name}`)
    return encodeURIComponent(value)
  })
}

/** A valid body of the route that refers to these objects; undefined where the only parameter may also be in a header. */
export function bodyFor(route: Route, references: References): Record<string, unknown> | undefined {
  const sample = takesFormAlone(route) ? undefined : sampleOf(route)
  if (sample === undefined) return undefined
  const schema = bodyOf(route)
  const members = schema instanceof z.ZodObject ? Object.keys(schema.shape) : Object.keys(sample)
  const referred = Object.entries(references)
    .filter(([name]) => members.includes(name))
    .map(([name, value]) => [name, name === 'credential' ? (JSON.parse(value) as unknown) : value] as const)
  return { ...sample, ...Object.fromEntries(referred) }
}

/** A copy of the route's sample body, which is cached because composing it walks every schema of the contract. */
function sampleOf(route: Route): ReturnType<typeof sampleBody> {
  const known = samples.get(route.definition) ?? { body: sampleBody(route) }
  samples.set(route.definition, known)
  return structuredClone(known.body)
}

const samples = new WeakMap<Route['definition'], { readonly body: ReturnType<typeof sampleBody> }>()

/** The references in the query string of a route, except filters of a list. */
export function queryFor(route: Route, references: References): Record<string, string> {
  const schema = queryOf(route)
  if (route.method !== 'GET' || !(schema instanceof z.ZodObject) || 'page' in schema.shape) return {}
  return Object.fromEntries(Object.entries(references).filter(([name]) => name in schema.shape))
}

/** Sends the sample request of a route with references to these objects. */
export async function send(route: Route, request: RouteRequest): Promise<Answer> {
  const body = route.method === 'GET' ? undefined : (request.body ?? bodyFor(route, request.references))
  const query = new URLSearchParams(queryFor(route, request.references)).toString()
  const path = `${pathOf(route, request.references)}${query === '' ? '' : `?${query}`}`
  const response = await fetch(`${request.baseUrl}${path}`, {
    method: route.method,
    redirect: 'manual',
    headers: {
      ...(request.token !== undefined && { authorization: `Bearer ${request.token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** An error answer without its request id, for comparison. */
export function withoutRequestId(answer: Answer): string {
  return `${answer.status} ${answer.text.replace(/"request_id":"[^"]*"/, '"request_id":""')}`
}
