import express, { type Request, type RequestHandler, type Response, type Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf, setPage } from '../../delivery/request-context.js'
import { flowSecretOf, toFlowCookie } from './csrf.js'
import { errorPage, type ErrorExtras } from './error.js'
import type { Frame } from './layout.js'
import { messageUrl, signInLinkOf, type MessageName } from './message.js'
import { isOnlyLooking } from './only-looking.js'
import { pageHeaders } from './page-headers.js'
import { frameOf, sendPage, textOf, type Site } from './site.js'

/** A request for a page and its response, with the dependencies of its handler. */
export interface Exchange {
  readonly deps: Deps
  readonly site: Site
  readonly req: Request
  readonly res: Response
}

/** Of an origin, in characters: a header may be longer. */
const maxLoggedLength = 200

type Answer = (exchange: Exchange) => Promise<void> | void

/** A path of the pages, with the handler of each method. */
interface PageRoute {
  readonly path: string | string[]
  readonly get?: Answer
  /** A GET with side effects: a HEAD or a prefetch gets an empty answer instead. */
  readonly visit?: Answer
  readonly post?: Answer
  /** Whether the POST is one of other sites: of an application, or an identity provider. */
  readonly isFromElsewhere?: boolean
  /** Body parsers of the POST. */
  readonly read?: RequestHandler[]
  /** Whether the path exists; if not, the next route is tried. Undefined: it always exists. */
  readonly isThere?: (req: Request) => boolean
  /** Answers every other method, with Allow set already. Undefined: the next route is tried. */
  readonly otherwise?: (exchange: Exchange, status: number) => Promise<void> | void
}

/** A router of pages: the first route with a matching path answers. */
export function pageRouter(deps: Deps, site: Site, routes: readonly PageRoute[]): Router {
  const router = express.Router()
  for (const route of routes) pageRoute(router, { deps, site }, route)
  return router
}

function pageRoute(router: Router, scope: Pick<Exchange, 'deps' | 'site'>, route: PageRoute): void {
  const { path, visit, read = [], isThere, otherwise } = route
  const get = visit === undefined ? route.get : unlessOnlyLooking(visit)
  const post = route.post && !route.isFromElsewhere ? watched(route.post) : route.post
  const by =
    (answer: Answer): RequestHandler =>
    (req, res, next) => {
      if (isThere?.(req) === false) return next()
      setPage(req, nameOf(path))
      return answer({ ...scope, req, res })
    }
  if (get !== undefined) router.get(path, by(get))
  if (post !== undefined) router.post(path, ...read, by(post))
  if (otherwise === undefined) return
  const allow = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])]
  const refuse: Answer = (exchange) => {
    exchange.res.set('Allow', allow.join(', '))
    return otherwise(exchange, 405)
  }
  router.all(path, by(refuse))
}

/** Says to the operator why a form is refused: its page has another address than BASE_URL, or is of another site. */
function watched(post: Answer): Answer {
  return async (exchange) => {
    await post(exchange)
    const { deps, site, req, res } = exchange
    const { origin } = req.headers
    const expected = new URL(site.baseUrl).origin
    if (res.statusCode !== 403 || origin === undefined || origin === 'null' || origin === expected) return
    const told = { origin: origin.slice(0, maxLoggedLength), expected_origin: expected }
    deps.log.info({ request_id: requestIdOf(req), reason: 'origin_mismatch', ...told }, 'a form is refused')
  }
}

/** The name of a page in the log and the metrics: its path below that of the organization or account. */
function nameOf(path: string | string[]): string {
  const [first = ''] = [path].flat()
  return `page ${first.replace(/^\/[at]\/:\w+/, '')}`
}

function unlessOnlyLooking(visit: Answer): Answer {
  return (exchange) => {
    const { site, req, res } = exchange
    if (!isOnlyLooking(req)) return visit(exchange)
    res.status(204).set(pageHeaders(site.isHttps)).end()
  }
}

/** The parts of an exchange that sending an answer needs. */
type Arrival = Omit<Exchange, 'deps'>
type Sender = Omit<Arrival, 'req'>

/**
 * Redirects by 303 and not 302, so that a POST becomes a GET (RFC 9110 section 15.4.4).
 *
 * @param redirectUri Where the form of the page before may lead, if it is another site.
 */
export function redirect({ site, res }: Sender, location: string, redirectUri?: string): void {
  res.status(303).set(pageHeaders(site.isHttps, redirectUri)).set('Location', location).end()
}

/**
 * Answers with a page of one sentence, and says when the next attempt is taken. An error has a reference: the id of the request, unless the log has another one. A
 * page that cannot be shown again has its sentence at an address of its own, for the other languages.
 */
export function sendSentence(
  { site, req, res }: Arrival,
  status: number,
  frame: Frame,
  name: MessageName,
  { reference = requestIdOf(req), ...extras }: ErrorExtras = {},
): void {
  const back = extras.back ?? signInLinkOf(frame, name)
  const shown = { ...extras, back, ...(status >= 400 && { reference }) }
  const url = frame.url ?? messageUrl(frame, name, shown.reference)
  if (extras.retryAfterSeconds !== undefined) res.set('Retry-After', String(extras.retryAfterSeconds))
  sendPage(site, res.status(status), errorPage({ ...frame, url }, frame.texts[name], shown), frame)
}

/** Answers with a sentence on a page without an organization, which cannot be shown again. */
export function sendPlainSentence(
  { site, req, res }: Arrival,
  status: number,
  name: MessageName,
  extras: ErrorExtras = {},
): void {
  const frame = frameOf(site, req, { organization: undefined, isSandbox: false, url: undefined })
  sendSentence({ site, req, res }, status, frame, name, extras)
}

/** The flow secret of this browser, which the answer stores in its cookie. */
export function keepFlowSecret({ site, req, res }: Arrival): string {
  const secret = flowSecretOf(req.headers.cookie, site.isHttps)
  res.append('Set-Cookie', toFlowCookie(secret, site.isHttps))
  return secret
}

/** A path with the language that the user has chosen on this page. */
export function inChosenLanguage({ req }: Pick<Exchange, 'req'>, path: string): string {
  const chosen = textOf(req.query.ui_locales)
  const sign = path.includes('?') ? '&' : '?'
  return chosen === '' ? path : `${path}${sign}ui_locales=${encodeURIComponent(chosen)}`
}
