import { ConnectionError } from '../api-error.js'
import { textOf } from '../exchange.js'
import { WebhookError } from '../webhook-error.js'
import type { Auth } from './auth.js'
import { isSameOrigin, signInPath, type RequestHead } from './guard.js'
import type { SessionSettings } from './options.js'
import { page } from './page.js'
import { addressOf, isBelow, pathOf, returnToOf } from './return-to.js'
import { entryOf, rememberedSeconds, type Revocations } from './revocations.js'
import { SessionError } from './session-error.js'
import type { SignIns } from './sign-in.js'

/** A request with its body; a web Request is one. */
export interface RouteRequest extends RequestHead {
  text(): Promise<string>
}

/** What the routes of the session layer use. */
interface Parts {
  readonly settings: SessionSettings
  readonly signIns: SignIns
  readonly revocations: Revocations
  /** Reads the session of a request, and renews it. */
  readonly read: (request: RouteRequest, write: (setCookie: string) => void) => Promise<Auth>
}

type Route = (request: RouteRequest, parts: Parts, query: URLSearchParams) => Promise<Response>

/** By the path below basePath. */
const routes = new Map<string, readonly [method: string, route: Route]>([
  ['sign-in', ['GET', signIn]],
  ['callback', ['GET', callback]],
  ['sign-out', ['POST', signOut]],
  ['switch', ['POST', switchOrganization]],
  ['me', ['GET', me]],
  ['events', ['POST', takeEvent]],
])

/** In bytes; several times that of the longest event. */
export const maxBodyBytes = 1_000_000

/** Answers a request below basePath; undefined for any other. */
export async function answer(request: RouteRequest, parts: Parts): Promise<Response | undefined> {
  const { appUrl, basePath, onError } = parts.settings
  const { pathname, searchParams } = addressOf(request.url, appUrl)
  if (!isBelow(pathname, basePath)) return undefined
  const found = routes.get(pathname.slice(basePath.length + 1))
  if (found === undefined) return refuse(404, 'not_found')
  const [method, route] = found
  if (request.method !== method) return refuse(405, 'method_not_allowed', { allow: method })
  try {
    return await route(request, parts, searchParams)
  } catch (error) {
    if (error instanceof ConnectionError && error.reason === 'too_large') return refuse(413, 'body_too_large')
    if (!(error instanceof SessionError)) throw error
    onError(error)
    const isPage = /\btext\/html\b/.test(request.headers.get('accept') ?? '')
    return isPage ? page(error, signInPath(parts.settings, {})) : refuse(error.status, error.code)
  }
}

async function signIn(
  request: RouteRequest,
  { settings, signIns }: Parts,
  query: URLSearchParams,
): Promise<Response> {
  const { headers } = request
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose') ?? ''
  // Nobody has asked for it yet: a sign-in would be begun with each link that the browser looks at ahead.
  if (/prefetch/.test(purpose) || headers.get('next-router-prefetch') !== null) return redirectless(204)
  // Next cannot follow a redirect to another origin, and loads a page whole when the answer is none of its own.
  if (headers.get('rsc') !== null) return redirectless(200)
  // An image or frame of another site would push the sign-ins out that the user has begun.
  if ((headers.get('sec-fetch-dest') ?? 'document') !== 'document') return redirectless(204)
  const issuer = query.get('iss')
  if (issuer !== null && issuer !== settings.issuer)
    throw new SessionError('issuer_mismatch', 'the sign-in is asked for by another issuer')
  const returnTo = returnToOf(
    query.get('return_to') ?? pathOf(query.get('target_link_uri'), settings.appUrl),
    settings,
  )
  const { location, setCookies } = await signIns.begin(query, returnTo, headers.get('cookie'))
  return redirect(location, setCookies)
}

async function callback(request: RouteRequest, parts: Parts, query: URLSearchParams): Promise<Response> {
  const { signIns, settings } = parts
  const cookies = request.headers.get('cookie')
  const found = await signIns.find(query.get('state') ?? '', cookies)
  if (found === undefined) {
    const setCookies: string[] = []
    const { session } = await parts.read(request, (setCookie) => setCookies.push(setCookie))
    if (session !== null) return redirect('/', setCookies)
    throw new SessionError('state_unknown', 'this browser has begun no such sign-in, or it is over')
  }
  const { setCookies, location, error } = await signIns.complete(found, query, cookies)
  if (error === undefined) return redirect(location, setCookies)
  settings.onError(error)
  return withCookies(page(error, signInPath(settings, { return_to: found.transaction.returnTo })), setCookies)
}

async function signOut(request: RouteRequest, { settings, signIns }: Parts): Promise<Response> {
  checkOrigin(request, settings)
  const { location, setCookies } = await signIns.signOut(request.headers.get('cookie'))
  return redirect(location, setCookies)
}

async function switchOrganization(request: RouteRequest, { settings }: Parts): Promise<Response> {
  checkOrigin(request, settings)
  const form = new URLSearchParams(await bodyOf(request))
  const organization = form.get('organization') ?? ''
  const choice: Readonly<Record<string, string>> =
    organization === '' ? { prompt: 'select_organization' } : { organization }
  return redirect(signInPath(settings, { ...choice, return_to: returnToOf(form.get('return_to'), settings) }))
}

async function me(request: RouteRequest, { read, settings }: Parts): Promise<Response> {
  const setCookies: string[] = []
  const { user, organization, session } = await read(request, (setCookie) => setCookies.push(setCookie))
  if (session === null)
    return withCookies(refuse(401, { code: 'signed_out', sign_in_url: signInPath(settings, {}) }), setCookies)
  const told = { user, organization, acr: session.acr, expires_at: session.expiresAt.toISOString() }
  return withCookies(Response.json(told, { headers: noStore }), setCookies)
}

async function takeEvent(request: RouteRequest, { settings, revocations }: Parts): Promise<Response> {
  const { webhookKeys, now } = settings
  if (webhookKeys.length === 0) return refuse(404, 'not_found')
  // Loaded by applications that have a webhook.
  const { verifyWebhook } = await import('../webhooks.js')
  try {
    const signature = request.headers.get('service-signature') ?? undefined
    const event = await verifyWebhook(
      await bodyOf(request),
      { 'service-signature': signature },
      webhookKeys,
      {
        now: () => now() * 1000,
      },
    )
    const entry = entryOf(event)
    if (entry !== undefined)
      await revocations.add(entry, Date.parse(event.issued_at), rememberedSeconds(settings))
    return redirectless(204)
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    settings.onError(error)
    return refuse(400, error.code)
  }
}

const noStore = { 'cache-control': 'no-store' }

function redirect(location: string, setCookies: readonly string[] = []): Response {
  return withCookies(new Response(null, { status: 303, headers: { ...noStore, location } }), setCookies)
}

function redirectless(status: 200 | 204): Response {
  const headers = status === 200 ? { ...noStore, 'content-type': 'text/html; charset=utf-8' } : noStore
  return new Response(status === 200 ? '' : null, { status, headers })
}

function refuse(
  status: number,
  error: string | object,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = { error: typeof error === 'string' ? { code: error } : error }
  return Response.json(body, { status, headers: { ...noStore, ...headers } })
}

/** The body, unless it is longer than any that is expected. */
function bodyOf(request: RouteRequest): Promise<string> {
  return request instanceof Request ? textOf(request, maxBodyBytes) : request.text()
}

/** @returns The response itself, whose headers are still to be changed. */
function withCookies(response: Response, setCookies: readonly string[]): Response {
  for (const setCookie of setCookies) response.headers.append('set-cookie', setCookie)
  return response
}

function checkOrigin(request: RouteRequest, { appUrl }: SessionSettings): void {
  if (!isSameOrigin(request, appUrl))
    throw new SessionError('cross_site', 'the request comes from another site')
}
