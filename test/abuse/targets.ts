import { anyRefusal, emulator, problemOf } from '@portico/contract/emulator'
import { errorCodes } from '@portico/contract/errors'
import { scimLimits, scimMessages } from '@portico/contract/scim'
import { bodyOf, routes, takesFormAlone, type Route } from '@portico/contract/walk'
import { createApp } from '@portico/server/app'
import { z } from 'zod/v4'
import type { Service } from '../given/harness.js'
import { pathOf, queryFor, type References } from '../given/request-of.js'
import { insideOf, jsonOf, type Answer, type Target } from './target.js'

const smallBody = 100 * 1024
const fileBody = 512 * 1024

/** Every route of the contract; writing routes get the spare objects. */
export function contractTargets(
  { world, spare }: { readonly world: References; readonly spare: References },
  token: string,
): Target[] {
  return routes().map((route) => contractTarget(route, route.method === 'GET' ? world : spare, token))
}

export function contractTarget(route: Route, world: References, token: string): Target {
  const query = new URLSearchParams(queryFor(route, world)).toString()
  const [first = ''] = route.pathParameters
  const isKeyed = route.access.auth === 'api_key'
  const takesParameters = route.method !== 'GET' && (isKeyed || bodyOf(route) !== undefined)
  return {
    name: route.name,
    method: route.method,
    path: `${pathOf(route, world)}${query === '' ? '' : `?${query}`}`,
    place: first === '' ? undefined : encodeURIComponent(world[first] ?? ''),
    headers: isKeyed ? { authorization: `Bearer ${token}` } : {},
    reads: !takesParameters ? [] : takesFormAlone(route) ? ['form'] : ['json', 'form'],
    jsonType: 'application/json',
    maxBytes: route.access.takesFile ? fileBody : smallBody,
    isStrict: isKeyed,
    faultOf: (answer) => contractFaultOf(route, answer),
  }
}

/** What the contract does not say of an answer; of 304, which every read has, its documents speak. */
function contractFaultOf({ definition, method }: Route, answer: Answer): string | undefined {
  const { responses } = definition
  if (answer.status === 304 && method === 'GET') return answer.text === '' ? undefined : '304 with a body'
  const declared: unknown = responses[answer.status]
  if (!(declared instanceof z.ZodType)) return `${answer.status} is not declared`
  const { error } = declared.safeParse(jsonOf(answer))
  return error === undefined ? insideOf(answer) : `${answer.status}: ${answer.text.slice(0, 200)}`
}

/** The control of an emulator without reset. */
export function controlTargets(): Target[] {
  return routes(emulator)
    .filter(({ name }) => name !== 'state.reset')
    .map((route) => ({
      name: route.name,
      method: route.method,
      path: route.path.replace(/:\w+/, 'acme'),
      place: route.path.includes(':') ? 'acme' : undefined,
      headers: {},
      reads: bodyOf(route) === undefined ? [] : (['json'] as const),
      jsonType: 'application/json',
      maxBytes: smallBody,
      isStrict: true,
      faultOf: (answer) =>
        Refusal.safeParse(jsonOf(answer)).data?.error.code === codeOfAny[answer.status]
          ? insideOf(answer)
          : contractFaultOf(route, answer),
    }))
}

const Refusal = problemOf(anyRefusal)
/** Error codes with which any request can be refused, by status. */
const codeOfAny: Readonly<Record<number, string>> = { 400: 'malformed_request', 413: 'body_too_large' }

const scimPaths: readonly (readonly [path: string, ...methods: string[]])[] = [
  ['/Users', 'GET', 'POST'],
  ['/Users/.search', 'POST'],
  ['/Users/:id', 'GET', 'PUT', 'PATCH', 'DELETE'],
  ['/Groups', 'GET', 'POST'],
  ['/Groups/.search', 'POST'],
  ['/Groups/:id', 'GET', 'PUT', 'PATCH', 'DELETE'],
  ['/ServiceProviderConfig', 'GET', 'POST'],
  ['/ResourceTypes', 'GET'],
  ['/ResourceTypes/:id', 'GET'],
  ['/Schemas', 'GET'],
  ['/Schemas/:id', 'GET'],
  ['/Me', 'GET'],
  ['/Bulk', 'POST'],
  ['/', 'GET'],
]

/** The supported and unsupported SCIM endpoints of a directory. */
export function scimTargets(baseUrl: string, secret: string, id: string): Target[] {
  const { pathname } = new URL(baseUrl)
  return scimPaths.flatMap(([path, ...methods]) =>
    methods.map((method) => ({
      name: `SCIM ${method} ${path}`,
      method,
      path: `${pathname}${path.replace(':id', id)}`,
      place: path.includes(':id') ? id : pathname.split('/').at(-1),
      headers: { authorization: `Bearer ${secret}` },
      reads: /^(POST|PUT|PATCH)$/.test(method) && /Users|Groups/.test(path) ? (['json'] as const) : [],
      jsonType: 'application/scim+json',
      maxBytes: scimLimits.bodyBytes,
      isStrict: method !== 'GET',
      faultOf: scimFaultOf,
    })),
  )
}

const ScimError = z.object({
  schemas: z.tuple([z.literal(scimMessages.error)]),
  status: z.string(),
  detail: z.string(),
  scimType: z.string().optional(),
})

function scimFaultOf(answer: Answer): string | undefined {
  const { status } = answer
  if (status < 400 || status === 304) return insideOf(answer)
  const { data, error } = ScimError.safeParse(jsonOf(answer))
  if (error !== undefined || !String(answer.headers['content-type']).startsWith('application/scim+json'))
    return `${status} is no error of SCIM`
  if (data.status !== String(status)) return `${status} calls itself ${data.status}`
  // 501 is the answer for unsupported parts of RFC 7644.
  return status >= 500 && status !== 501 ? `${status} ${data.detail}` : insideOf(answer)
}

/** The members of an Express router layer that contain its path. */
interface Layer {
  readonly route?: { readonly path: string | string[]; readonly methods: Readonly<Record<string, boolean>> }
  readonly handle?: { readonly stack?: readonly Layer[] }
}

/** Every path of the app outside of the contract and SCIM, read from its routers: pages, files and documents. */
export function pageTargets(service: Service, world: References): Target[] {
  const found = new Map<string, Target>()
  for (const { method, pattern } of pagePatterns(service)) {
    const target = pageTarget(method, pattern, world)
    found.set(target.name, target)
  }
  return [...found.values()]
}

/** The same as patterns, such as `/t/:org_domain/account`. */
export function pagePatterns(service: Service): { readonly method: string; readonly pattern: string }[] {
  const { router } = createApp(service.deps) as unknown as { router: { stack: readonly Layer[] } }
  return patternsIn(router.stack)
}

function patternsIn(stack: readonly Layer[]): { readonly method: string; readonly pattern: string }[] {
  return stack.flatMap(({ route, handle }) => {
    if (route === undefined) return patternsIn(handle?.stack ?? [])
    const methods = route.methods['_all'] === true ? ['PUT'] : Object.keys(route.methods)
    return [route.path]
      .flat()
      .flatMap((pattern) => methods.map((method) => ({ method: method.toUpperCase(), pattern })))
  })
}

const inPaths: Readonly<Record<string, string>> = {
  flow_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
  attempt_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
  id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
  token: 'no-such-token',
  hash: 'no-such-hash',
  page: 'metadata',
  name: 'deadLink',
  environment: 'sandbox',
  action: 'unlock',
  section: 'password',
}

function pageTarget(method: string, pattern: string, world: References): Target {
  const parameters = [...pattern.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const valueOf = (name: string) => {
    const value = world[name] ?? inPaths[name]
    if (value === undefined) throw new Error(`${pattern}: nothing is known for ${name}`)
    return encodeURIComponent(value)
  }
  const [first] = parameters
  return {
    name: `${method} ${pattern}`,
    method,
    path: pattern.replace(/:(\w+)/g, (_match, name: string) => valueOf(name)),
    place: first === undefined ? undefined : valueOf(first),
    headers: {},
    reads: method === 'POST' ? ['form'] : [],
    jsonType: 'application/json',
    // More than any page accepts.
    maxBytes: 700_000,
    isStrict: false,
    faultOf: pageFaultOf,
  }
}

const NotFound = z.object({
  error: z.object({
    code: z.enum(['route_not_found', 'method_not_allowed', 'malformed_request']),
    request_id: z.string(),
  }),
})

/** The fault of a page's answer: a refusal must be a page, or a 404. */
function pageFaultOf(answer: Answer): string | undefined {
  const { status, text } = answer
  if (status >= 500) return `${status}`
  if (status < 400) return undefined
  if (/^text\/html/.test(String(answer.headers['content-type'])))
    return text.includes('<h1') ? insideOf(answer) : 'a page without a heading'
  const { data } = NotFound.safeParse(jsonOf(answer))
  return data !== undefined && errorCodes[data.error.code].status === status
    ? insideOf(answer)
    : `${status} is no page: ${text.slice(0, 200)}`
}
