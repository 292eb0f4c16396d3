import { baseUrlOf } from './base-url.js'
import { systemClock, type Clock } from './clock.js'
import { eventStreamOperation, routeTable, type Client, type RouteRow } from './generated.js'
import { listenBy, type ReadEvents } from './listen.js'
import { everyRecord } from './pages.js'
import type { RequestOptions } from './request-options.js'
import { defaultRetries } from './retry.js'
import { createTransport, type Call } from './transport.js'

/** Which service to call, as whom, and how patiently. */
export interface ClientOptions {
  /** Address of the service: https, or http on localhost, 127.0.0.1 or [::1]. */
  readonly baseUrl: string
  /** Domain of the account that the API key belongs to. */
  readonly domain: string
  /** `client_id` of the API key. */
  readonly clientId: string
  /** `keysandbox_…` or `keyproduction_…`. Kept in a closure: printing or serializing the client does not show it. */
  readonly clientSecret: string
  /** Fewer scopes than the key has, a space between, such as `read:users`. */
  readonly scope?: string | undefined
  /** In place of the global fetch, for a proxy or a test. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Milliseconds for one attempt, answer included; 30,000 unless given. */
  readonly timeoutMs?: number | undefined
  /** Attempts after the first one, of requests that can be repeated without harm; 6 unless given, which is 8 to 16 seconds. */
  readonly maxRetries?: number | undefined
  /** In place of the system's, for tests. */
  readonly clock?: Partial<Clock> | undefined
}

/**
 * Makes a client: one method per operation, grouped by resource.
 *
 * It gets an API token with the client credentials when it first needs one and renews it in time. A method resolves
 * to the record that the service answers, whose ETag etagOf() knows.
 *
 * Repeated, after a pause that grows and heeds Retry-After, are a network failure, a timeout, 429, 502, 503 and 504,
 * and only of GET, PUT, PATCH and DELETE, and of POSTs that carry an Idempotency-Key. A 401 `invalid_token` is
 * repeated once with a new token.
 *
 * Methods reject with ApiError when the service refuses, OAuthError when an OAuth endpoint or the client's own
 * credentials are refused, ConnectionError when no answer comes, the signal's reason when it is aborted, and TypeError
 * when the input cannot be sent.
 *
 * @throws TypeError when `baseUrl` is not an address that credentials may be sent to.
 * @example
 * ```ts
 * const client = createClient({
 *   baseUrl: 'https://auth.example',
 *   domain: 'acme',
 *   clientId: process.env['PORTICO_CLIENT_ID'] ?? '',
 *   clientSecret: process.env['PORTICO_CLIENT_SECRET'] ?? '',
 * })
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const clock = { ...systemClock, ...options.clock }
  const call = createTransport({
    baseUrl: baseUrlOf(options.baseUrl),
    fetch: options.fetch,
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetries: options.maxRetries ?? defaultRetries,
    clock,
    credentials: {
      grant_type: 'client_credentials',
      domain: options.domain,
      client_id: options.clientId,
      client_secret: options.clientSecret,
      scope: options.scope,
    },
  })
  const groups: Record<string, Record<string, unknown>> = {}
  for (const [operation, route] of Object.entries(routeTable)) {
    const [resource = '', verb = ''] = operation.split('.')
    const group = (groups[resource] ??= {})
    const method = methodOf(operation, route, call)
    group[verb] = method
    // What the operation takes and answers, the generator writes from the same contract.
    if (operation === eventStreamOperation) group['listen'] = listenBy(method as ReadEvents, clock)
  }
  // The generator writes the interface and the table from the same routes.
  return groups as unknown as Client
}

function methodOf(operation: string, route: RouteRow, call: Call): unknown {
  const method = (input: object = {}, options: RequestOptions = {}) => call(operation, route, input, options)
  if (!route[2].includes('l')) return method
  const all = (input: object = {}, options: RequestOptions = {}) =>
    everyRecord((after) => method({ per_page: 100, ...input, after }, options))
  return Object.assign(method, { all })
}
