import { ConnectionError } from './api-error.js'
import { createSessions, type Auth, type GuardOptions, type SessionOptions } from './session.js'
import { demandsOf, outageOf } from './session/guard.js'
import { maxBodyBytes, type RouteRequest } from './session/routes.js'

declare global {
  // The place that Express has for members that middleware adds to requests.
  namespace Express {
    interface Request {
      /** The user of the request, after `app.use(portico())`. */
      auth: Auth
    }
  }
}

/** What of a request of Express 4 or 5 is used. */
export interface ExpressRequest extends AsyncIterable<Uint8Array> {
  readonly method: string
  readonly originalUrl: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly params: Readonly<Record<string, unknown>>
  /** Parsed, where a parser ran before. */
  readonly body?: unknown
  auth?: Auth
}

/** What of an answer of Express is used. */
export interface ExpressResponse {
  statusCode: number
  readonly headersSent: boolean
  setHeader(name: string, value: string): unknown
  appendHeader(name: string, value: string): unknown
  end(body: string): unknown
}

/** A middleware of Express. */
export type ExpressMiddleware = (
  req: ExpressRequest,
  res: ExpressResponse,
  next: (error?: unknown) => void,
) => void

/** The session layer as a middleware: it answers below `/auth`, and tells every other route who a request is from. */
export interface ExpressAuth extends ExpressMiddleware {
  /** Lets requests of users who are signed in pass. A page goes to the sign-in; anything else is 401, 403 or 409. */
  requireUser(demands?: GuardOptions<ExpressRequest>): ExpressMiddleware
  /** The same for users whose claim `permissions` has a name; `claims` of the options has to keep the claim. */
  requirePermission(permission: string, demands?: GuardOptions<ExpressRequest>): ExpressMiddleware
}

/**
 * Makes the session layer of an Express application. Use it before parsers of bodies.
 *
 * @param options What is left out is read from the environment.
 * @throws TypeError that names every option that is missing or invalid.
 * @example
 * ```ts
 * const auth = portico()
 * console.log(typeof auth.requireUser())
 * ```
 */
export function portico(options: SessionOptions = {}): ExpressAuth {
  const sessions = createSessions(options)
  // Other middleware may write req.auth.
  const known = new WeakMap<object, Auth>()

  async function identify(req: ExpressRequest, res: ExpressResponse, next: () => void): Promise<void> {
    const request = toRequest(req)
    try {
      const answer = await sessions.handle(request)
      if (answer !== undefined) return await send(res, answer)
      const auth = await sessions.read(request, cookiesOf(res))
      known.set(req, auth)
      req.auth = auth
    } catch (error) {
      const outage = outageOf(error)
      if (outage === undefined) throw error
      return await send(res, outage)
    }
    next()
  }

  function guard(demands: GuardOptions<ExpressRequest>, permission?: string): ExpressMiddleware {
    return (req, res, next) => {
      const auth = known.get(req)
      if (auth === undefined) throw new TypeError('app.use(portico()) must come before the routes')
      const refusal = sessions.guard(toRequest(req), auth, { ...demandsOf(demands, req), permission })
      if (refusal === undefined) next()
      else send(res, refusal).catch(next)
    }
  }

  const middleware: ExpressMiddleware = (req, res, next) => void identify(req, res, next).catch(next)
  return Object.assign(middleware, {
    requireUser: (demands: GuardOptions<ExpressRequest> = {}) => guard(demands),
    requirePermission: (permission: string, demands: GuardOptions<ExpressRequest> = {}) =>
      guard(demands, permission),
  })
}

function toRequest(req: ExpressRequest): RouteRequest {
  return {
    method: req.method,
    url: req.originalUrl,
    headers: { get: (name) => [req.headers[name]].flat()[0] ?? null },
    text: () => textOf(req),
  }
}

/** The body as it came; written again where a parser has taken it. */
async function textOf(req: ExpressRequest): Promise<string> {
  const { body } = req
  if (typeof body === 'string') return body
  const decoder = new TextDecoder()
  if (body instanceof Uint8Array) return decoder.decode(body)
  if (typeof body === 'object' && body !== null) {
    const isJson = String(req.headers['content-type']).includes('json')
    const fields = Object.entries(body).map(([name, value]) => [name, String(value)])
    return isJson ? JSON.stringify(body) : new URLSearchParams(fields).toString()
  }
  let text = ''
  let size = 0
  for await (const chunk of req) {
    size += chunk.byteLength
    if (size > maxBodyBytes)
      throw new ConnectionError('too_large', `the body has more than ${maxBodyBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Writes cookies until the answer has begun. An answer that sets one is nobody else's. */
function cookiesOf(res: ExpressResponse) {
  return {
    get write() {
      return res.headersSent
        ? undefined
        : (setCookie: string) => {
            res.appendHeader('set-cookie', setCookie)
            res.setHeader('cache-control', 'no-store')
          }
    },
  }
}

async function send(res: ExpressResponse, response: Response): Promise<void> {
  res.statusCode = response.status
  for (const [name, value] of response.headers)
    if (name === 'set-cookie') res.appendHeader(name, value)
    else res.setHeader(name, value)
  res.end(await response.text())
}
