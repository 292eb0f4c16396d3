import type { Auth } from './auth.js'
import type { SessionSettings } from './options.js'
import { addressOf, pathOf, returnToOf } from './return-to.js'
import { SessionError, type SessionErrorCode } from './session-error.js'

/** The parts of a request that decide; a web Request has them. */
export interface RequestHead {
  readonly method: string
  /** Path and query, or a whole address, of which host and scheme are not looked at. */
  readonly url: string
  readonly headers: { get(name: string): string | null }
  /** The page to come back to, where the address is not that of one. Not `page`, which throws in requests of Next.js. */
  readonly pagePath?: string | undefined
}

/** What a route demands of a session. */
export interface Demands {
  /** The organization that the path names: a tab that was left open in another one cannot write into this one. */
  readonly organization?: string | undefined
  /** Strength of the sign-in, such as `urn:portico:acr:mfa`, or `phr` for a passkey (RFC 9470). */
  readonly acr?: string | undefined
  /** The most seconds since the user proved who they are. */
  readonly maxAgeSeconds?: number | undefined
  /** False: not for staff who act as the user. */
  readonly impersonation?: boolean | undefined
  /** False: also requests of other sites may change something, such as those that authenticate in another way. */
  readonly csrf?: boolean | undefined
  /** A member of the claim `permissions`, which `claims` of the options has to keep. */
  readonly permission?: string | undefined
}

/** Demands of a framework's route. */
export interface GuardOptions<FrameworkRequest> extends Omit<Demands, 'organization' | 'permission'> {
  /** The organization that the request names, such as a part of its path. */
  readonly organization?: ((request: FrameworkRequest) => unknown) | undefined
}

/** A request that names no organization where one is demanded is of none. */
export function demandsOf<FrameworkRequest>(
  { organization, ...others }: GuardOptions<FrameworkRequest>,
  request: FrameworkRequest,
): Demands {
  if (organization === undefined) return others
  const named = organization(request)
  return { ...others, organization: typeof named === 'string' ? named : '' }
}

/** Why a request may not go on. */
export interface Refusal {
  readonly code: SessionErrorCode
  readonly status: 401 | 403 | 409
  /** The sign-in that would help; undefined when none would. */
  readonly signIn?: string | undefined
  /** WWW-Authenticate (RFC 9470 section 3). */
  readonly challenge?: string | undefined
}

/** Values of acr, the weaker ones first. */
const strengths = ['urn:portico:acr:1fa', 'urn:portico:acr:mfa', 'phr']
/** Seconds by which the clocks of service and application may differ. */
const clockTolerance = 30

/** The refusal of a request by a route's demands; undefined when it may go on. */
export function refusalOf(
  head: RequestHead,
  auth: Auth,
  demands: Demands,
  settings: Pick<SessionSettings, 'appUrl' | 'basePath' | 'now'>,
): Refusal | undefined {
  const { organization, acr, maxAgeSeconds, permission } = demands
  if (demands.csrf !== false && !isSafe(head.method) && !isSameOrigin(head, settings.appUrl))
    return { code: 'cross_site', status: 403 }
  const signIn = (query: Readonly<Record<string, string>>) =>
    signInPath(settings, { ...query, return_to: pageOf(head, settings) })
  if (auth.session === null)
    return {
      code: 'signed_out',
      status: 401,
      signIn: signIn(organization === undefined ? {} : { organization }),
    }
  if (organization !== undefined && organization !== auth.organization.domain)
    return { code: 'other_organization', status: 409, signIn: signIn({ organization }) }
  if (demands.impersonation === false && auth.impersonator !== null)
    return { code: 'impersonated', status: 403 }

  const { session, user } = auth
  const isWeak = acr !== undefined && !isStrongEnough(session.acr, acr)
  const age = settings.now() - session.authenticatedAt.getTime() / 1000
  const isOld = maxAgeSeconds !== undefined && age > maxAgeSeconds + clockTolerance
  if (isWeak || isOld) {
    const steps = {
      ...(isWeak && { acr_values: acr }),
      ...(isOld && { max_age: String(maxAgeSeconds) }),
    }
    const named = Object.entries(steps).map(([name, value]) => `, ${name}="${value}"`)
    return {
      code: 'insufficient_user_authentication',
      status: 401,
      signIn: signIn({ ...steps, organization: auth.organization.domain }),
      challenge: `Bearer error="insufficient_user_authentication"${named.join('')}`,
    }
  }
  const { permissions, permissions_omitted: areOmitted } = user.claims
  if (permission !== undefined && !(Array.isArray(permissions) && permissions.includes(permission)))
    return { code: areOmitted === true ? 'permissions_unavailable' : 'permission_missing', status: 403 }
  return undefined
}

/** Whether a sign-in is as strong as one of the acr values that were asked for; none is as strong as a misspelt one. */
export function isStrongEnough(acr: string, wanted: string): boolean {
  const values = wanted.split(' ')
  return strengths.slice(0, strengths.indexOf(acr) + 1).some((met) => values.includes(met))
}

/** The answer to a refused request: a page goes to the sign-in that helps, anything else gets JSON. */
export function toResponse(head: RequestHead, { code, status, signIn, challenge }: Refusal): Response {
  const headers = new Headers({ 'cache-control': 'no-store' })
  if (signIn !== undefined && isNavigation(head)) {
    headers.set('location', signIn)
    return new Response(null, { status: 303, headers })
  }
  if (challenge !== undefined) headers.set('www-authenticate', challenge)
  return Response.json({ error: { code, sign_in_url: signIn } }, { status, headers })
}

/** The answer where a session cannot be read because the service does not answer, or not this application. */
export function outageOf(error: unknown): Response | undefined {
  if (!(error instanceof SessionError) || !isOutage(error)) return undefined
  const headers = { 'cache-control': 'no-store', ...(error.status === 503 && { 'retry-after': '5' }) }
  return Response.json({ error: { code: error.code } }, { status: error.status, headers })
}

function isOutage({ code }: SessionError): boolean {
  return code === 'service_unavailable' || code === 'client_refused'
}

/** The address that begins a sign-in. */
export function signInPath(
  { basePath }: Pick<SessionSettings, 'basePath'>,
  query: Readonly<Record<string, string>>,
): string {
  const text = new URLSearchParams(query).toString()
  return `${basePath}/sign-in${text && `?${text}`}`
}

/** Whether a request comes from a page of the application, as no other site can pretend. */
export function isSameOrigin({ headers }: RequestHead, appUrl: string): boolean {
  const origin = headers.get('origin')
  // A page with Referrer-Policy: no-referrer sends `null` to its own origin, too (Fetch, append a request Origin header).
  return origin === null || origin === 'null'
    ? headers.get('sec-fetch-site') === 'same-origin'
    : origin === appUrl
}

/** Whether a browser loads a page of its own, and would show what a redirect leads to. */
export function isNavigation({ method, headers }: RequestHead): boolean {
  if (method !== 'GET') return false
  const mode = headers.get('sec-fetch-mode')
  return mode === null
    ? /\btext\/html\b/.test(headers.get('accept') ?? '')
    : mode === 'navigate' && headers.get('sec-fetch-dest') === 'document'
}

function isSafe(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method)
}

/** The page to come back to: that of the address bar, which for a request of a script is the one that sent it. */
function pageOf(head: RequestHead, settings: Pick<SessionSettings, 'appUrl' | 'basePath'>): string {
  const { appUrl } = settings
  const sender = pathOf(head.headers.get('referer'), appUrl)
  const { pathname, search } = addressOf(head.url, appUrl)
  return returnToOf(head.pagePath ?? (isNavigation(head) ? pathname + search : sender), settings)
}
