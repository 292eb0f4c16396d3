import { http, HttpResponse, type HttpHandler } from 'msw'
import {
  errorTable,
  examples,
  exampleTable,
  oauthTable,
  queryTable,
  type ExampleRow,
} from './generated-examples.js'
import {
  routeTable,
  type ErrorCode,
  type OAuthErrorCode,
  type OperationName,
  type Operations,
  type RouteRow,
} from './generated.js'

/** A request to the mock, as an override sees it. */
export interface MockRequest {
  readonly request: Request
  /** The parameters in the path, decoded. */
  readonly params: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** An answer that replaces the example: a record, or a function that returns one or any response. */
export type Override<Output> =
  | Output
  | ((call: MockRequest) => Output | Response | Promise<Output | Response>)

/** Answers of some operations by their names, such as `users.get`. */
export type Overrides = { readonly [Name in OperationName]?: Override<Operations[Name]['output']> }

/** Delay in milliseconds of every answer, or of some operations. */
export type Latency = number | { readonly [Name in OperationName]?: number }

/** The address of the mock, and its answers. */
export interface MockOptions {
  /** The address that the client under test calls. */
  readonly baseUrl: string
  /** Answers by operation; any other operation answers the contract's example. */
  readonly overrides?: Overrides | undefined
  /** 0 by default. */
  readonly latencyMs?: Latency | undefined
}

/** A recorded request. */
export interface MockCall<Name extends OperationName = OperationName> {
  readonly operation: Name
  /** The parameters in the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** As sent, as text. */
  readonly query: Readonly<Record<string, string>>
  /** The JSON or form; empty without a body. */
  readonly body: Partial<Operations[Name]['input']>
  /** In lower case, without credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

/** A mock that records its requests. */
export interface Mock {
  /** For `setupServer()` or `setupWorker()` of msw. */
  readonly handlers: HttpHandler[]
  /** The calls of an operation, the oldest first. */
  calls<Name extends OperationName>(operation: Name): readonly MockCall<Name>[]
  /** All calls, the oldest first. */
  allCalls(): readonly MockCall[]
  /** Replaces answers until reset(). */
  override(overrides: Overrides): void
  /** Clears the calls, and restores the initial overrides. */
  reset(): void
}

/**
 * Handlers for msw, one for each operation: the contract's example with the status of success, named parameters that the
 * operation does not have in `Portico-Warning`, as in the sandbox, and 401 without a required bearer token. A request with the header `Prefer: code=user_not_found` gets that error, and `Prefer: status=404` the
 * operation's first one of that status. An undeclared code or status gets 501, with a message that lists the declared ones.
 *
 * @example
 * ```ts
 * const handlers = createMockHandlers({
 *   baseUrl: 'https://auth.example',
 *   overrides: { 'users.get': () => new Response(null, { status: 502 }) },
 * })
 * ```
 */
export function createMockHandlers(options: MockOptions): HttpHandler[] {
  return createMock(options).handlers
}

/**
 * A mock that records its requests. It answers correct shapes and errors but has no state: a created record cannot be read
 * later. The emulator, `@portico/sdk/testing`, has state.
 *
 * @example
 * ```ts
 * const mock = createMock({ baseUrl: 'https://auth.example', latencyMs: 50 })
 * console.log(mock.calls('users.create').length)
 * ```
 */
export function createMock({ baseUrl, overrides = {}, latencyMs = 0 }: MockOptions): Mock {
  const base = baseUrl.replace(/\/+$/, '')
  let answers: Readonly<Record<string, unknown>> = overrides
  let calls: MockCall[] = []

  const handlers = operationsBySpecificity().map(([operation, route]) => {
    const [method, path] = route
    return http.all(base + path, async ({ request, params }) => {
      if (request.method !== method) return undefined
      const recorded = await recordOf(operation, request.clone(), params)
      await pause(typeof latencyMs === 'number' ? latencyMs : (latencyMs[operation] ?? 0))
      const answer =
        refusal(operation, route, request) ??
        (await success(operation, answers[operation], { request, params }))
      calls.push({ ...recorded, status: answer.status })
      return answer
    })
  })

  return {
    handlers,
    calls<Name extends OperationName>(operation: Name) {
      return calls.filter((call): call is MockCall<Name> => call.operation === operation)
    },
    allCalls: () => [...calls],
    override(more) {
      answers = { ...answers, ...more }
    },
    reset() {
      calls = []
      answers = overrides
    },
  }
}

function pause(ms: number): Promise<void> {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve()
}

const credentialHeaders = new Set(['authorization', 'cookie', 'proxy-authorization'])

async function recordOf(
  operation: OperationName,
  request: Request,
  params: MockRequest['params'],
): Promise<Omit<MockCall, 'status'>> {
  return {
    operation,
    params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
    query: Object.fromEntries(new URL(request.url).searchParams),
    body: bodyOf(await request.text(), request.headers.get('content-type') ?? ''),
    headers: Object.fromEntries([...request.headers].filter(([name]) => !credentialHeaders.has(name))),
  }
}

/** The body without validation, so that a test sees exactly what its program sent. */
function bodyOf(text: string, contentType: string): object {
  if (text === '') return {}
  if (contentType.includes('x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null ? value : {}
}

/** msw uses the first handler that matches, so literal segments come before parameters. */
function operationsBySpecificity(): [OperationName, RouteRow][] {
  // The keys of the table are the names of the operations.
  const operations = Object.entries(routeTable) as [OperationName, RouteRow][]
  const rank = ([, [, path]]: [OperationName, RouteRow]) => path.replace(/:\w+/g, '\u{10ffff}')
  return operations.sort((one, other) => (rank(one) < rank(other) ? -1 : 1))
}

async function success(operation: OperationName, override: unknown, call: MockRequest): Promise<Response> {
  const [status, example, versioned] = exampleTable[operation]
  const answer = isMaker(override) ? await override(call) : override
  if (answer instanceof Response) return answer
  const warning = warningOf(operation, new URL(call.request.url).searchParams)
  return jsonResponse(status, answer ?? examples[example], {
    ...(versioned && { etag: '"1"' }),
    ...(warning !== undefined && { 'portico-warning': warning }),
  })
}

/** The warning of the sandbox: names of parameters that the operation does not have, five at most, as they were sent. */
function warningOf(operation: OperationName, query: URLSearchParams): string | undefined {
  const known = queryTable[operation]?.split(' ').map(pathOf)
  const ignored = [...new Set(query.keys())].filter((name) => {
    const sent = pathOf(name)
    const isKnown = (path: readonly string[]) =>
      path.every((part, at) => at >= sent.length || part === sent[at])
    return known !== undefined && sent[0] !== 'environment' && !known.some(isKnown) && nameForm.test(name)
  })
  return ignored.length === 0 ? undefined : `ignored parameters: ${ignored.slice(0, 5).join(', ')}`
}

const nameForm = /^[\w.[\]-]{1,40}$/

/** The members that a name leads through: `filter[name]` has two. */
function pathOf(name: string): readonly string[] {
  const parts = name.split(/[[\]]+/).filter((part) => part !== '')
  return parts.length === 0 ? [''] : parts
}

function isMaker(override: unknown): override is (call: MockRequest) => unknown {
  return typeof override === 'function'
}

function refusal(operation: OperationName, [, , flags]: RouteRow, request: Request): Response | undefined {
  const isAnonymous = !/^Bearer \S+$/i.test(request.headers.get('authorization') ?? '')
  if (!flags.includes('o') && isAnonymous) return errorResponse('invalid_token')
  const prefer = request.headers.get('prefer') ?? ''
  const status = preferenceIn(prefer, 'status')
  const code = preferenceIn(prefer, 'code')
  const row = exampleTable[operation]
  if (code === undefined && (status === undefined || status === String(row[0]))) return undefined
  const declared = declaredRefusals(row)
  const meant = declared.find(
    (each) => (status ?? String(each.status)) === String(each.status) && (code ?? each.code) === each.code,
  )
  return meant === undefined ? notDeclared(operation, prefer, declared) : meant.answer()
}

/** The value of a preference, quoted or not (RFC 7240 section 2). */
function preferenceIn(prefer: string, name: string): string | undefined {
  return new RegExp(`(?:^|[,;\\s])${name}\\s*=\\s*"?([^\\s",;]*)`, 'i').exec(prefer)?.[1]
}

interface Refusal {
  readonly code: string
  readonly status: number
  readonly answer: () => Response
}

/** The errors of an operation; the first of a status is the default. */
function declaredRefusals([, , , codes, oauthStatuses]: ExampleRow): Refusal[] {
  return [
    ...codes.map((code) => ({ code, status: errorTable[code][0], answer: () => errorResponse(code) })),
    ...oauthRefusals
      .filter(({ status }) => oauthStatuses.includes(status))
      .map(({ code, status }) => ({ code, status, answer: () => oauthResponse(status, code) })),
  ]
}

function errorResponse(code: ErrorCode): Response {
  const [status, message] = errorTable[code]
  const error = {
    code,
    message,
    docs_url: `https://portico.example/errors#${code}`,
    request_id: 'mock-request',
    ...(code === 'invalid_parameters' && {
      fields: [{ path: 'name', code: 'invalid', message: 'is not valid' }],
    }),
  }
  return jsonResponse(status, { error }, status === 429 || status === 503 ? { 'retry-after': '1' } : {})
}

// The keys of the table are the codes. One code has two statuses: of a rate limit, and of an unavailable database.
const oauthRefusals = (Object.keys(oauthTable) as OAuthErrorCode[]).flatMap((code) =>
  [oauthTable[code], ...(code === 'temporarily_unavailable' ? [503] : [])].map((status) => ({
    code,
    status,
  })),
)

function oauthResponse(status: number, error: OAuthErrorCode): Response {
  return jsonResponse(status, { error, error_description: 'Asked for by Prefer.' }, {})
}

function notDeclared(operation: string, prefer: string, declared: readonly Refusal[]): Response {
  const known = declared.map(({ code, status }) => `${code} (${status})`).join(', ')
  return HttpResponse.text(`${operation} does not declare ${prefer}. It declares ${known}.`, { status: 501 })
}

function jsonResponse(status: number, body: unknown, headers: Record<string, string>): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'mock-request', ...headers },
  })
}
