import { http, HttpResponse, type HttpHandler } from 'msw'
import { errorTable, examples, exampleTable, type ExampleRow } from './generated-examples.js'
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

/** What to answer in place of the example: a record, or a function that makes one, or that makes any response. */
export type Override<Output> =
  Output | ((call: MockRequest) => Output | Response | Promise<Output | Response>)

export type Overrides = { readonly [Name in OperationName]?: Override<Operations[Name]['output']> }

/** Where the mock stands in, and what it answers differently. */
export interface MockOptions {
  /** The address that the client under test calls. */
  readonly baseUrl: string
  /** Answers by operation; any other operation answers the contract's example. */
  readonly overrides?: Overrides | undefined
}

/**
 * Handlers for msw, one for each operation of the service: the contract's example with the status of success, and 401
 * without a bearer token where one is needed. A request with the header `Prefer: status=404` gets the error body of
 * that status, of the operation's first code or the one that `Prefer: status=404, code=user_not_found` names; a
 * status or code that the operation does not declare gets 501.
 */
export function createMockHandlers({ baseUrl, overrides = {} }: MockOptions): HttpHandler[] {
  const base = baseUrl.replace(/\/+$/, '')
  // A table of one override per operation, seen without the types that pair them.
  const answers: Readonly<Record<string, unknown>> = overrides
  return operationsBySpecificity().map(([operation, route]) => {
    const [method, path] = route
    return http.all(base + path, async ({ request, params }) => {
      if (request.method !== method) return undefined
      return refusal(operation, route, request) ?? success(operation, answers[operation], { request, params })
    })
  })
}

/** msw takes the first handler that fits, so that a path with a word comes before one with a parameter there. */
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
  return jsonResponse(status, answer ?? examples[example], versioned ? { etag: '"1"' } : {})
}

function isMaker(override: unknown): override is (call: MockRequest) => unknown {
  return typeof override === 'function'
}

function refusal(operation: OperationName, [, , flags]: RouteRow, request: Request): Response | undefined {
  const isAnonymous = !/^Bearer \S+$/i.test(request.headers.get('authorization') ?? '')
  if (!flags.includes('o') && isAnonymous) return errorResponse('invalid_token')
  const prefer = request.headers.get('prefer') ?? ''
  const status = /\bstatus=(\d{3})\b/.exec(prefer)?.[1]
  const code = /\bcode="?(\w+)"?/.exec(prefer)?.[1]
  const row = exampleTable[operation]
  if (status === undefined || Number(status) === row[0]) return undefined
  return declaredRefusal(row, Number(status), code) ?? notDeclared(operation, prefer)
}

function declaredRefusal(
  [, , , codes, oauthStatuses]: ExampleRow,
  status: number,
  preferred: string | undefined,
): Response | undefined {
  const code = codes.find((each) => errorTable[each][0] === status && (preferred ?? each) === each)
  if (code !== undefined) return errorResponse(code)
  return oauthStatuses.includes(status) ? oauthResponse(status, preferred) : undefined
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

const oauthCodes: Readonly<Record<number, OAuthErrorCode>> = {
  400: 'invalid_grant',
  401: 'invalid_client',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
}

function oauthResponse(status: number, preferred: string | undefined): Response {
  const error = preferred ?? oauthCodes[status] ?? 'invalid_request'
  return jsonResponse(status, { error, error_description: 'Asked for by Prefer.' }, {})
}

function notDeclared(operation: string, prefer: string): Response {
  return HttpResponse.text(`${operation} does not declare ${prefer}`, { status: 501 })
}

function jsonResponse(status: number, body: unknown, headers: Record<string, string>): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'mock-request', ...headers },
  })
}
