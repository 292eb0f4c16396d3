import { baseUrlOf } from './base-url.js'
import { systemClock, type Clock } from './clock.js'
import { eventStreamOperation, routeTable, type Client, type RouteRow } from './generated.js'
import { listenBy, type ReadEvents } from './listen.js'
import { everyRecord } from './pages.js'
import type { RequestOptions } from './request-options.js'
import { defaultRetries } from './retry.js'
import { createTransport, type Call } from './transport.js'

/** The service, the credentials, and the limits of calls. */
export interface ClientOptions {
  /** Address of the service: https, or http on localhost, 127.0.0.1 or [::1]. */
  readonly baseUrl: string
  /** Domain of the account that the API key belongs to. */
  readonly domain: string
  /** `client_id` of the API key. */
  readonly clientId: string
  /** `keysandbox_…` or `keyproduction_…`. Kept in a closure: printing or serializing the client does not reveal it. */
  readonly clientSecret: string
  /** A subset of the key's scopes, separated by spaces, such as `read:users`. */
  readonly scope?: string | undefined
  /** Replaces the global fetch, for a proxy or a test. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Timeout of one attempt in milliseconds, answer included; 30,000 by default. */
  readonly timeoutMs?: number | undefined
  /** Retries of requests that are safe to repeat; 6 by default, which takes 8 to 16 seconds. */
  readonly maxRetries?: number | undefined
  /**
   * Called with a sentence when the sandbox has ignored a parameter of a call, once for each operation and parameter;
   * `console.warn` by default.
   */
  readonly onWarning?: ((message: string) => void) | undefined
  /** Replaces the system's clock, for tests. */
  readonly clock?: Partial<Clock> | undefined
}

/**
 * Makes a client: one method per operation, grouped by resource.
 *
 * It requests an API token with the client credentials at the first call and renews it in time. A method resolves to the
 * record of the answer; etagOf() returns its ETag.
 *
 * It retries GET, PUT, PATCH, DELETE, and POSTs with an Idempotency-Key after a network failure, a timeout, 429, 502, 503
 * and 504, with exponential backoff that heeds Retry-After. A 401 `invalid_token` is retried once with a new token.
 *
 * Methods reject with ApiError when the service refuses, OAuthError when an OAuth endpoint refuses or the client's
 * credentials are invalid, ConnectionError without an answer, the signal's reason when aborted, and TypeError when the input
 * cannot be sent.
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
    onWarning: options.onWarning ?? ((message) => console.warn(message)),
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
    // The generator writes the type of this operation from the same contract.
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
