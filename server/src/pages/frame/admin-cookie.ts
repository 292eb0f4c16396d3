import { cookieNameOf, findCookie, toCookie } from './cookie.js'

const secretForm = /^[A-Za-z0-9_-]{43}$/

function cookieName(isHttps: boolean): string {
  return cookieNameOf('portico-admin', isHttps)
}

/** The session secret in an administrator's cookie; undefined when the cookie is missing or malformed. */
export function findAdminSecret(cookieHeader: string | undefined, isHttps: boolean): string | undefined {
  return findCookie(cookieHeader, cookieName(isHttps), secretForm)
}

/** The Set-Cookie of an administrator's session; a lifetime of 0 seconds deletes it. */
export function toAdminCookie(secret: string, isHttps: boolean, maxAgeSeconds: number): string {
  return toCookie(cookieName(isHttps), secret, isHttps, { maxAgeSeconds })
}
