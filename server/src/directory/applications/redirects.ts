import type { Application } from '@portico/contract/applications'
import type { FieldError } from '@portico/contract/errors'
import type { Environment } from '@portico/contract/fields'
import { ApiError } from '../../platform/errors.js'
import { isRpIdOf } from '../../platform/config/rp-id.js'
import { isLoopbackHost } from '../../platform/loopback.js'

/** Each default of an application, and the list it is one of. */
const listOfDefault = {
  default_redirect_uri_after_login: 'allowed_redirect_urls',
  default_redirect_uri_after_logout: 'allowed_logout_urls',
  default_web_origin: 'allowed_web_origins',
  default_origin_cors: 'allowed_origins_cors',
  default_logout_url: 'allowed_logout_urls',
} as const

const defaultNames = Object.keys(listOfDefault) as (keyof typeof listOfDefault)[]

type UrlLists = Pick<Application, (typeof listOfDefault)[keyof typeof listOfDefault]>
type UrlDefaults = Pick<Application, keyof typeof listOfDefault>

/** The rule for the URLs of each list. */
const lists: readonly (readonly [name: keyof UrlLists, kind: Rules['kind']])[] = [
  ['allowed_redirect_urls', 'redirect'],
  ['allowed_origins_cors', 'origin'],
  ['allowed_logout_urls', 'address'],
  ['allowed_web_origins', 'origin'],
]

const mobileTypes: ReadonlySet<Application['application_type']> = new Set(['android', 'ios', 'mobile'])

/** URL parsers accept more characters in a host, among them the ; that separates the policies of a page. */
const hostForm = /^[a-z0-9.-]+$|^\[[0-9a-f:.]+\]$/

/**
 * The parameters that an answer adds to a redirect (RFC 6749 section 4.1.2, RFC 9207 section 2), that a relay adds, and that a
 * link to a new password, to a second factor or of a discovery adds; parsers may take the first of two.
 */
const answerParameters = [
  ...['code', 'authorization_code', 'state', 'iss', 'error', 'error_description'],
  ...['password_code', 'request_id', 'user_id', 'discovery_code'],
]

/** The parameters that the service adds to a request for a sign-in (OpenID Connect Core section 4), or reserves there. */
const initiationParameters = ['iss', 'organization', 'login_hint', 'target_link_uri', 'impersonation']

/** Schemes of browsers and systems; an application's own scheme must not begin with one, even if it has a dot. */
const foreignSchemes: ReadonlySet<string> = new Set([
  'https',
  'http',
  'javascript',
  'vbscript',
  'data',
  'file',
  'blob',
  'about',
  'intent',
])

/**
 * Checks where an application sends its users and from where it may be called: https everywhere; http on a loopback
 * host in the sandbox; a private-use scheme, named by a reverse domain of the application, for mobile types (RFC 8252
 * section 7.1). URLs are stored as sent and compared exactly, so a URL is refused if a parser would take it to another
 * host.
 *
 * @throws ApiError `invalid_parameters` naming every URL at fault.
 */
export function checkApplicationUrls(
  application: UrlLists &
    UrlDefaults &
    Pick<Application, 'application_type' | 'initiate_login_uri' | 'passkey_rp_id'>,
  environment: Environment,
): void {
  const isMobile = mobileTypes.has(application.application_type)
  const inLists = lists.flatMap(([name, kind]) =>
    application[name].flatMap((text, index) => {
      const fault = findFault(text, { kind, isMobile, environment })
      return fault === undefined ? [] : [{ path: `${name}.${index}`, ...fault }]
    }),
  )
  const fields = [
    ...inLists,
    ...defaultNames.flatMap((name) => defaultFaults(application, name)),
    ...initiationFaults(application, environment),
    ...rpIdFaults(application),
  ]
  if (fields.length > 0) throw new ApiError('invalid_parameters', { fields })
}

/** An application of a mobile type has a page on the web there, too: its own scheme may not be installed where a sign-in ends. */
function initiationFaults(
  { initiate_login_uri: uri }: Pick<Application, 'initiate_login_uri'>,
  environment: Environment,
): FieldError[] {
  const found =
    uri === null ? undefined : findFault(uri, { kind: 'initiation', isMobile: false, environment })
  return found === undefined ? [] : [{ path: 'initiate_login_uri', ...found }]
}

/** The origins are those of the pages on which passkeys are added and used, and browsers refuse any other RP ID there. */
function rpIdFaults({
  passkey_rp_id: rpId,
  allowed_web_origins: origins,
}: Pick<Application, 'passkey_rp_id' | 'allowed_web_origins'>): FieldError[] {
  if (rpId === null) return []
  const isOfPage = (origin: string) => URL.canParse(origin) && isRpIdOf(new URL(origin).hostname, rpId)
  if (origins.length > 0 && origins.every(isOfPage)) return []
  const message =
    'must be the host of each of allowed_web_origins, or a parent of all of them that has a dot, and there must be one'
  return [{ path: 'passkey_rp_id', code: 'not_of_web_origins', message }]
}

function defaultFaults(application: UrlLists & UrlDefaults, name: keyof typeof listOfDefault): FieldError[] {
  const list = listOfDefault[name]
  const value = application[name]
  if (value === null || application[list].includes(value)) return []
  return [{ path: name, code: 'not_in_list', message: `must be one of ${list}` }]
}

/**
 * The defaults of an application with these lists: the given one; else the stored one while its list has it; else the
 * first of the list. A cleared default stays clear.
 */
export function settleDefaults(
  urls: UrlLists,
  given: Partial<UrlDefaults>,
  stored?: UrlLists & UrlDefaults,
): UrlDefaults {
  function settle(name: keyof typeof listOfDefault): string | null {
    const list = listOfDefault[name]
    const sent = given[name]
    if (sent !== undefined) return sent
    const earlier = stored?.[name] ?? null
    const isCleared = earlier === null && stored !== undefined && stored[list].length > 0
    if (isCleared || (earlier !== null && urls[list].includes(earlier))) return earlier
    return urls[list][0] ?? null
  }
  return {
    default_redirect_uri_after_login: settle('default_redirect_uri_after_login'),
    default_redirect_uri_after_logout: settle('default_redirect_uri_after_logout'),
    default_web_origin: settle('default_web_origin'),
    default_origin_cors: settle('default_origin_cors'),
    default_logout_url: settle('default_logout_url'),
  }
}

/**
 * The application of a code and its redirect URI: the first that allows the requested URI, else the first with a
 * default redirect.
 *
 * @param applications Oldest first; only the named one if the request names one.
 * @returns Undefined when no application can receive a code.
 */
export function chooseRedirect<
  Candidate extends Pick<Application, 'allowed_redirect_urls' | 'default_redirect_uri_after_login'>,
>(
  applications: readonly Candidate[],
  requested: string | undefined,
): { application: Candidate; redirectUri: string } | undefined {
  if (requested !== undefined) {
    const application = applications.find((candidate) => candidate.allowed_redirect_urls.includes(requested))
    if (application !== undefined) return { application, redirectUri: requested }
  }
  for (const application of applications) {
    const redirectUri = application.default_redirect_uri_after_login
    if (redirectUri !== null) return { application, redirectUri }
  }
  return undefined
}

interface Rules {
  /** A redirect receives a code, an initiation a request to begin a sign-in, an address only a browser. */
  readonly kind: 'redirect' | 'initiation' | 'address' | 'origin'
  readonly isMobile: boolean
  readonly environment: Environment
}

type Fault = Pick<FieldError, 'code' | 'message'>

/** The first fault of a URL; undefined when it is valid. */
function findFault(text: string, rules: Rules): Fault | undefined {
  if (!isUriText(text))
    return fault('invalid_url', 'must be an absolute URL in ASCII, any other character percent-encoded')
  if (text.includes('*')) return fault('wildcard_not_allowed', 'must name one URL, without *')
  if (text.includes('#')) return fault('fragment_not_allowed', 'must not have a fragment')

  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?]*)|\/)/.exec(text) ?? []
  if (scheme === undefined || !URL.canParse(text))
    return fault('invalid_url', 'must be an absolute URL such as https://store.example/callback')
  const url = new URL(text)
  if (authority?.includes('@') === true)
    return fault('credentials_not_allowed', 'must not have a user name or password')
  // A URL parser would go elsewhere than the text says: Store.example, 0x7f.1, https:///store.example.
  if ((authority ?? '').replace(/:\d{1,5}$/, '') !== url.hostname)
    return fault('host_not_canonical', `must have its host written as ${url.hostname}`)
  return schemeFault(url, rules) ?? hostFault(url) ?? queryFault(url, rules) ?? originFault(text, url, rules)
}

/** Whether a text has only the characters of RFC 3986, so neither blanks, nor control characters, nor a backslash. */
function isUriText(text: string): boolean {
  return /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/.test(text)
}

function schemeFault(url: URL, { kind, isMobile, environment }: Rules): Fault | undefined {
  const scheme = url.protocol.slice(0, -1)
  if (scheme === 'https') return undefined
  const isSandbox = environment === 'sandbox'
  if (scheme === 'http' && isSandbox && isLoopbackHost(url.hostname)) return undefined
  const mayBeOwn = isMobile && kind !== 'origin'
  if (mayBeOwn && isOwnScheme(scheme)) return undefined
  const others = [
    isSandbox ? 'http on localhost' : undefined,
    mayBeOwn ? 'a scheme named by a reverse domain, such as com.example.app:/' : undefined,
  ].filter((other) => other !== undefined)
  return fault('scheme_not_allowed', ['must be an https URL', ...others].join(', or '))
}

function isOwnScheme(scheme: string): boolean {
  const [first = ''] = scheme.split('.')
  return /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+$/.test(scheme) && !foreignSchemes.has(first)
}

function hostFault(url: URL): Fault | undefined {
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  if (!isWeb || hostForm.test(url.hostname)) return undefined
  return fault('invalid_host', 'must have a host name of letters, digits, dots and hyphens, or an IP address')
}

function queryFault(url: URL, { kind }: Rules): Fault | undefined {
  const added = kind === 'redirect' ? answerParameters : kind === 'initiation' ? initiationParameters : []
  const taken = added.filter((name) => url.searchParams.has(name))
  if (taken.length === 0) return undefined
  const by = kind === 'redirect' ? 'the answer' : 'the service'
  return fault('parameter_not_allowed', `must not have ${taken.join(', ')} in its query, which ${by} adds`)
}

function originFault(text: string, url: URL, { kind }: Rules): Fault | undefined {
  if (kind !== 'origin' || text === url.origin) return undefined
  return fault('not_an_origin', `must be an origin, without path: ${url.origin}`)
}

function fault(code: string, message: string): Fault {
  return { code, message }
}
