import { cookieNameOf, findCookie, toCookie } from './cookie.js'

const cookieName = 'portico-provider'
const nameForm = /^[a-z0-9-]{1,40}$/

/** Half a year. */
const maxAgeSeconds = 180 * 24 * 60 * 60

/** The name of the social provider by which somebody has signed in last in this browser, at whichever organization; undefined without one. */
export function findLastProvider(cookieHeader: string | undefined, isHttps: boolean): string | undefined {
  return findCookie(cookieHeader, cookieNameOf(cookieName, isHttps), nameForm)
}

/** The Set-Cookie that keeps that name, and nothing else: neither who it was, nor where. */
export function toLastProviderCookie(name: string, isHttps: boolean): string {
  return toCookie(cookieNameOf(cookieName, isHttps), name, isHttps, { maxAgeSeconds })
}
