import { createAccessTokens, type IssuedToken } from './access-token.js'
import { ApiError, ConnectionError, OAuthError } from './api-error.js'
import type { Clock } from './clock.js'
import { encodeRequest } from './encoding.js'
import { rememberEtag } from './etag.js'
import { exchange, isObject, jsonOf, type Answer } from './exchange.js'
import {
  apiTokenOperation,
  routeTable,
  type ErrorCode,
  type FieldError,
  type OAuthErrorCode,
  type RouteRow,
} from './generated.js'
import { createPositions } from './position.js'
import type { RequestOptions } from './request-options.js'
import { errorCodeOf, pauseBeforeRepeat, retryAfterSeconds, type Repeatability } from './retry.js'

/** Settings of the transport, with every default applied. */
export interface TransportSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly fetch: typeof globalThis.fetch | undefined
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly clock: Clock
  readonly onWarning: (message: string) => void
  /** Parameters of the client credentials grant. */
  readonly credentials: Readonly<Record<string, string | undefined>>
}

/** One call of an operation: resolves to the record, rejects with ApiError, OAuthError or ConnectionError. */
export type Call = (
  operation: string,
  route: RouteRow,
  input: object,
  options: RequestOptions,
) => Promise<unknown>

interface PreparedRequest extends Repeatability {
  readonly url: string
  readonly init: RequestInit & { readonly headers: Headers }
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

const maxAnswerBytes = 10_000_000

/** Makes the transport that all operations of a client share. */
export function createTransport(settings: TransportSettings): Call {
  const { baseUrl, clock, maxRetries } = settings
  const tokens = createAccessTokens(issueToken, clock.now)
  const positions = createPositions(clock.now)
  const warned = new Set<string>()

  return async (operation, route, input, options) => {
    options.signal?.throwIfAborted()
    const request = prepare(route, input, options)
    const answer = route[2].includes('o') ? await send(request) : await sendWithToken(request)
    return read(operation, answer)
  }

  function prepare(route: RouteRow, input: object, options: RequestOptions): PreparedRequest {
    const [method, , flags] = route
    const { target, body, contentType } = encodeRequest(route, input)
    const key = options.idempotencyKey ?? (flags.includes('i') ? crypto.randomUUID() : undefined)
    if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key))
      throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters')
    const headers = new Headers(options.headers)
    const own = {
      accept: 'application/json',
      'content-type': contentType,
      'idempotency-key': key,
      'if-match': options.ifMatch,
      'portico-position': method === 'GET' ? positions.current() : undefined,
    }
    for (const [name, value] of Object.entries(own)) if (value !== undefined) headers.set(name, value)
    return {
      url: baseUrl + target,
      init: { method, headers, body: body ?? null },
      timeoutMs: options.timeoutMs ?? settings.timeoutMs,
      signal: options.signal,
      idempotent: method !== 'POST' || key !== undefined,
      conditional: options.ifMatch !== undefined,
    }
  }

  /** Retries once with a new token if the token was revoked, or its signing key retired, before it expired. */
  async function sendWithToken(request: PreparedRequest): Promise<Answer> {
    const token = await tokens.get(request.signal)
    const answer = await send(request, token)
    if (answer.status !== 401 || errorCodeOf(answer) !== 'invalid_token') return answer
    tokens.discard(token)
    return send(request, await tokens.get(request.signal))
  }

  async function send(request: PreparedRequest, token?: string): Promise<Answer> {
    if (token !== undefined) request.init.headers.set('authorization', `Bearer ${token}`)
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await attemptOf(request)
      const pauseMs = attempt < maxRetries ? pauseBeforeRepeat(outcome, request, attempt, clock) : undefined
      if (pauseMs !== undefined) await clock.sleep(pauseMs, request.signal)
      else if (outcome instanceof ConnectionError) throw outcome
      else return outcome
    }
  }

  async function attemptOf(request: PreparedRequest): Promise<Answer | ConnectionError> {
    const limits = { ...request, fetch: settings.fetch, maxBytes: maxAnswerBytes }
    const learn = positions.sending()
    try {
      const answer = await exchange(request.url, request.init, limits)
      learn(answer.headers)
      return answer
    } catch (error) {
      if (error instanceof ConnectionError) return error
      throw error
    }
  }

  /** Callers share the request, so no caller's signal aborts it. The grant has no side effect and may be retried. */
  async function issueToken(): Promise<IssuedToken> {
    const answer = await send({
      ...prepare(routeTable[apiTokenOperation], settings.credentials, {}),
      idempotent: true,
    })
    const { access_token: value, expires_in: lifetimeSeconds } = read(apiTokenOperation, answer) ?? {}
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value) || typeof lifetimeSeconds !== 'number')
      throw refusal(apiTokenOperation, answer)
    return { value, lifetimeSeconds }
  }

  function read(operation: string, answer: Answer): Readonly<Record<string, unknown>> | undefined {
    const { status, headers } = answer
    if (status === 204) return undefined
    const body = jsonOf(answer)
    if (body === undefined || status < 200 || status > 299) throw refusal(operation, answer, body)
    for (const message of warningsOf(operation, headers.get('portico-warning') ?? '')) {
      if (!warned.has(message)) settings.onWarning(message)
      warned.add(message)
    }
    const etag = headers.get('etag')
    if (etag !== null) rememberEtag(body, etag)
    return body
  }

  /** An answer without an error of the service in its body is not the service's, such as the page of a proxy. */
  function refusal(
    operation: string,
    answer: Answer,
    { error, error_description: description }: Readonly<Record<string, unknown>> = {},
  ): Error {
    const { status, headers } = answer
    const requestId = headers.get('x-request-id') ?? undefined
    const facts = { operation, status, requestId, retryAfterSeconds: retryAfterSeconds(answer, clock.now()) }
    if (isOAuthErrorCode(error))
      return new OAuthError({ ...facts, code: error, description: textOr(description, '') })
    if (!isObject(error) || !isErrorCode(error['code']))
      return new ApiError({
        ...facts,
        code: 'unexpected_answer',
        message: `the answer is not one of the service (${headers.get('content-type') ?? 'no content type'})`,
      })
    return new ApiError({
      ...facts,
      code: error['code'],
      message: textOr(error['message'], ''),
      fields: Array.isArray(error['fields']) ? error['fields'].filter(isFieldError) : [],
      requestId: textOr(error['request_id'], requestId),
      docsUrl: textOr(error['docs_url'], undefined),
    })
  }
}

/** The sentences of a warning, in which lists are behind their names: `ignored parameters: a, b; ignored scopes: c`. */
function warningsOf(operation: string, warning: string): string[] {
  return [...warning.matchAll(/ignored (parameter|scope|order)s: ([^;]*)/g)].flatMap(
    ([, what = '', names = '']) =>
      names.split(', ').map((name) => `${operation} has no ${what} ${name}, and ignores it.`),
  )
}

function textOr<Otherwise>(value: unknown, otherwise: Otherwise): string | Otherwise {
  return typeof value === 'string' ? value : otherwise
}

// The list of codes is not shipped, so codes of a newer service are accepted too, as ApiError.code documents.
function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string'
}

function isOAuthErrorCode(value: unknown): value is OAuthErrorCode {
  return typeof value === 'string'
}

function isFieldError(value: unknown): value is FieldError {
  return isObject(value) && ['path', 'code', 'message'].every((member) => typeof value[member] === 'string')
}
