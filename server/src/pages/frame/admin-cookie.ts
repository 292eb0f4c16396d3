import { cookieNameOf, findCookie, toCookie } from './cookie.js'

const secretForm = /^[A-Za-z0-9_-]{43}$/

function cookieName(isHttps: boolean): string {
  return cookieNameOf('portico-admin', isHttps)
}

/** The secret of the administrator's session in a browser; undefined when there is none that could be ours. */
export function findAdminSecret(cookieHeader: string | undefined, isHttps: boolean): string | undefined {
  return findCookie(cookieHeader, cookieName(isHttps), secretForm)
}

/** The Set-Cookie of an administrator's session; 0 seconds has the browser forget it. */
export function toAdminCookie(secret: string, isHttps: boolean, maxAgeSeconds: number): string {
  return toCookie(cookieName(isHttps), secret, isHttps, { maxAgeSeconds })
}
