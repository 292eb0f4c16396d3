import { createHash } from 'node:crypto'
import { cookieNameOf, findCookie, listCookies, toCookie } from './cookie.js'

/** The scope of a session cookie: a browser may be signed in to several organizations at once. */
interface SessionOwner {
  readonly organizationId: string
  readonly environment: string
}

const secretForm = /^[A-Za-z0-9_-]{43}$/
const sessionCookiePrefix = 'portico-session-'

/** The name of the cookie, which does not disclose the id of the organization. */
export function sessionCookieName(isHttps: boolean, organizationId: string, environment: string): string {
  const digest = createHash('sha256').update(`${organizationId}${environment}`).digest('hex')
  return cookieNameOf(`${sessionCookiePrefix}${digest.slice(0, 12)}`, isHttps)
}

/** The secret in a session cookie; undefined when the cookie is missing or malformed. */
export function findSessionSecret(
  cookieHeader: string | undefined,
  isHttps: boolean,
  { organizationId, environment }: SessionOwner,
): string | undefined {
  return findCookie(cookieHeader, sessionCookieName(isHttps, organizationId, environment), secretForm)
}

/** The secrets in all session cookies of the browser, of whichever organization and environment. */
export function listSessionSecrets(cookieHeader: string | undefined, isHttps: boolean): string[] {
  return listCookies(cookieHeader, cookieNameOf(sessionCookiePrefix, isHttps), secretForm)
}

/** The Set-Cookie of a session that lasts so long. */
export function toSessionCookie(
  secret: string,
  isHttps: boolean,
  owner: SessionOwner,
  maxAgeSeconds: number,
): string {
  const name = sessionCookieName(isHttps, owner.organizationId, owner.environment)
  return toCookie(name, secret, isHttps, { maxAgeSeconds })
}

/** The Set-Cookie that deletes the session cookie. */
export function clearSessionCookie(isHttps: boolean, owner: SessionOwner): string {
  const name = sessionCookieName(isHttps, owner.organizationId, owner.environment)
  return toCookie(name, '', isHttps, { maxAgeSeconds: 0 })
}
