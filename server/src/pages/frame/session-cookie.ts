import { createHash } from 'node:crypto'
import { sessionLifetimeMs } from '../../directory/sessions/complete-sign-in.js'
import { cookieNameOf, findCookie, toCookie } from './cookie.js'

/** Whose sessions a cookie is for: a browser may be signed in to several organizations at once. */
interface SessionOwner {
  readonly organizationId: string
  readonly environment: string
}

const secretForm = /^[A-Za-z0-9_-]{43}$/

/** The name of the cookie; it tells nobody the organization's id. */
export function sessionCookieName(isHttps: boolean, organizationId: string, environment: string): string {
  const digest = createHash('sha256').update(`${organizationId}${environment}`).digest('hex')
  return cookieNameOf(`portico-session-${digest.slice(0, 12)}`, isHttps)
}

/** The secret in the session cookie of an organization and environment; undefined when there is none that could be ours. */
export function findSessionSecret(
  cookieHeader: string | undefined,
  isHttps: boolean,
  { organizationId, environment }: SessionOwner,
): string | undefined {
  return findCookie(cookieHeader, sessionCookieName(isHttps, organizationId, environment), secretForm)
}

/** The Set-Cookie of a session, for as long as one can last. */
export function toSessionCookie(secret: string, isHttps: boolean, owner: SessionOwner): string {
  const name = sessionCookieName(isHttps, owner.organizationId, owner.environment)
  return toCookie(name, secret, isHttps, { maxAgeSeconds: sessionLifetimeMs / 1000 })
}

/** The Set-Cookie that has the browser forget a session. */
export function clearSessionCookie(isHttps: boolean, owner: SessionOwner): string {
  const name = sessionCookieName(isHttps, owner.organizationId, owner.environment)
  return toCookie(name, '', isHttps, { maxAgeSeconds: 0 })
}
