import { baseUrlOf } from '../base-url.js'
import { isObject } from '../exchange.js'
import { isSlug, issuersOfAccount } from '../issuers.js'
import type { Revocations } from './revocations.js'

/** Keeps what would be in the cookie, which then has an id alone. Contents are sealed, keys are digests. */
export interface SessionStore {
  /** The contents; undefined when there are none. */
  get(key: string): Promise<string | undefined>
  /** Stores the contents until they are deleted, or for this time at least. */
  set(key: string, contents: string, seconds: number): Promise<void>
  /** Removes the contents. */
  delete(key: string): Promise<void>
}

/** What a session layer has to know. What is left out is read from the environment variable that its comment names. */
export interface SessionOptions {
  /** Address of the service: PORTICO_URL. */
  readonly baseUrl?: string | undefined
  /** Domain of the account: PORTICO_ACCOUNT. */
  readonly account?: string | undefined
  /** The application: PORTICO_CLIENT_ID. */
  readonly clientId?: string | undefined
  /** Its secret, where it authenticates: PORTICO_CLIENT_SECRET. */
  readonly clientSecret?: string | undefined
  /** PORTICO_ENVIRONMENT. */
  readonly environment?: 'sandbox' | 'production' | undefined
  /** At least 32 characters; of several the first seals and each opens: SESSION_SECRET, separated by commas. */
  readonly secret?: string | readonly string[] | undefined
  /** Origin of the application, such as `https://app.example`: APP_URL. Never read from a request. */
  readonly appUrl?: string | undefined
  /** Path below which the session layer answers; `/auth` by default. */
  readonly basePath?: string | undefined
  /** Scopes to ask for; `openid email profile offline_access` by default. */
  readonly scope?: string | undefined
  /** Claims of the ID token, and `permissions` of the access token, to keep in the session, as `user.claims`. Each makes the cookie longer. */
  readonly claims?: readonly string[] | undefined
  /** Seconds from the sign-in after which a session ends; 30 days by default. */
  readonly maxAgeSeconds?: number | undefined
  /** Seconds after which a session is compared with the service, where that is before its access token expires. */
  readonly refreshSeconds?: number | undefined
  /** Where the browser goes after a sign-out, one of `allowed_logout_urls`: SIGNED_OUT_URL. The service's own page without. */
  readonly signedOutUrl?: string | undefined
  /** Remembers what has ended, as webhooks tell; a memory of this process by default. */
  readonly revocations?: Revocations | undefined
  /** The signature_key of the webhook that posts to `/auth/events`: PORTICO_WEBHOOK_KEY, separated by commas. */
  readonly webhookKey?: string | readonly string[] | undefined
  /** Keeps the contents of sessions, where a cookie of 1,500 bytes is too small. */
  readonly store?: SessionStore | undefined
  /**
   * Hears of faults: those that end a request below basePath with an error, a sign-in that failed, a webhook that is
   * refused, and those that users do not see, such as a refresh that failed while the session is still good. By default
   * console.error gets a line with code, message and the cause's message, in which no token, code or secret is.
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: (() => number) | undefined
  /** Replaces the global fetch. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The options with what they leave out. */
export interface SessionSettings {
  readonly baseUrl: string
  readonly account: string
  /** The only accepted issuer. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly environment: 'sandbox' | 'production'
  readonly secrets: readonly string[]
  readonly appUrl: string
  readonly basePath: string
  readonly scope: string
  readonly claims: readonly string[]
  readonly maxAgeSeconds: number
  /** Infinity where the lifetime of the access token decides. */
  readonly refreshSeconds: number
  readonly signedOutUrl: string | undefined
  readonly revocations: Revocations | undefined
  readonly webhookKeys: readonly string[]
  readonly store: SessionStore | undefined
  readonly onError: (error: unknown) => void
  /** Seconds since 1970. */
  readonly now: () => number
  readonly fetch: typeof globalThis.fetch | undefined
}

const month = 30 * 24 * 60 * 60
const loopback = 'or http on localhost, 127.0.0.1 or [::1]'
const unread = '\nNo variable is set: node --env-file=.env reads them from a file.'

/**
 * @throws TypeError that names everything that is missing or wrong.
 */
export function settingsOf(options: SessionOptions): SessionSettings {
  const faults: string[] = []
  const variables = environmentVariables()
  const text = (value: string | undefined, variable: string) => value ?? (variables[variable] || undefined)
  function list(value: string | readonly string[] | undefined, variable: string): readonly string[] {
    const listed = value ?? (variables[variable] || [])
    return typeof listed === 'string' ? listed.split(',').map((item) => item.trim()) : listed
  }
  /** With the value, where an application has to set one. */
  function check(isGood: boolean, fault: string, value = 'set'): void {
    if (!isGood) faults.push(value === '' ? fault.replace('must', 'is not set: it must') : fault)
  }

  const address = text(options.baseUrl, 'PORTICO_URL') ?? ''
  const origin = text(options.appUrl, 'APP_URL') ?? ''
  const account = text(options.account, 'PORTICO_ACCOUNT') ?? ''
  const clientId = text(options.clientId, 'PORTICO_CLIENT_ID') ?? ''
  const clientSecret = text(options.clientSecret, 'PORTICO_CLIENT_SECRET')
  const environment = text(options.environment, 'PORTICO_ENVIRONMENT') ?? ''
  const secrets = list(options.secret, 'SESSION_SECRET')
  const webhookKeys = list(options.webhookKey, 'PORTICO_WEBHOOK_KEY')
  const signedOutUrl = text(options.signedOutUrl, 'SIGNED_OUT_URL')
  const { basePath = '/auth', maxAgeSeconds = month, refreshSeconds, now = Date.now } = options
  const scope = options.scope ?? 'openid email profile offline_access'

  const baseUrl = addressOf(address)
  const appUrl = addressOf(origin)
  check(
    baseUrl !== '',
    `baseUrl (PORTICO_URL) must be the https address of the service, ${loopback}`,
    address,
  )
  check(isSlug(account), 'account (PORTICO_ACCOUNT) must be the domain of an account', account)
  check(clientId !== '', 'clientId (PORTICO_CLIENT_ID) must be the client_id of an application', clientId)
  check(
    clientSecret !== '',
    'clientSecret (PORTICO_CLIENT_SECRET) must not be empty: leave it out without one',
  )
  check(
    isEnvironment(environment),
    'environment (PORTICO_ENVIRONMENT) must be sandbox or production',
    environment,
  )
  check(
    secrets.length > 0 && secrets.every((secret) => secret.length >= 32),
    'secret (SESSION_SECRET) must have 32 characters or more',
    secrets.join(''),
  )
  check(
    appUrl !== '' && new URL(appUrl).origin === appUrl,
    `appUrl (APP_URL) must be the https origin of the application, such as https://app.example, ${loopback}`,
    origin,
  )
  check(/^(\/[\w-]+)+$/.test(basePath), 'basePath must be a path such as /auth')
  check(scope.split(' ').includes('openid'), 'scope must have openid')
  check(maxAgeSeconds > 0, 'maxAgeSeconds must be more than 0')
  check(
    refreshSeconds === undefined || (refreshSeconds >= 60 && refreshSeconds <= 3_600),
    'refreshSeconds must be from 60 to 3,600',
  )
  check(
    webhookKeys.every((key) => key.startsWith('whsec_')),
    'webhookKey (PORTICO_WEBHOOK_KEY) must be a signature_key: whsec_…',
  )
  if (faults.length > 0 || !isEnvironment(environment)) {
    const isUnread = [address, account, clientId, environment, ...secrets, origin].join('') === ''
    throw new TypeError(`Sessions cannot begin:\n- ${faults.join('\n- ')}${isUnread ? unread : ''}`)
  }

  return {
    ...{ baseUrl, account, clientId, clientSecret, environment, secrets, appUrl, basePath, scope },
    ...{ maxAgeSeconds, signedOutUrl, webhookKeys },
    refreshSeconds: refreshSeconds ?? Infinity,
    issuer: issuersOfAccount(baseUrl, account).own,
    claims: options.claims ?? [],
    revocations: options.revocations,
    store: options.store,
    onError: options.onError ?? report,
    now: () => Math.floor(now() / 1000),
    fetch: options.fetch,
  }
}

/** One line, because a cause may have a text of others in it. */
function report(error: unknown): void {
  const { code, message, cause } = membersOf(error)
  const parts = ['Portico', code, message, membersOf(cause)['message']]
  const told = parts.filter((part) => typeof part === 'string')
  console.error(told.join(': ').replace(/\p{Cc}+/gu, ' '))
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}

function isEnvironment(text: string | undefined): text is 'sandbox' | 'production' {
  return text === 'sandbox' || text === 'production'
}

/** The address without a trailing slash; empty when it is none that credentials may go to. */
function addressOf(text: string): string {
  try {
    return baseUrlOf(text)
  } catch {
    return ''
  }
}

/** The variables of Node and of runtimes that have them under its name; none elsewhere. */
export function environmentVariables(): Readonly<Record<string, string | undefined>> {
  const runtime: { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } } =
    globalThis
  return runtime.process?.env ?? {}
}
