import { createHmac } from 'node:crypto'
import { hashSecret, isSecretEqual, randomSecret } from '../crypto/secret.js'

/** Longer than any link of a page works. */
const cookieSeconds = 60 * 60
const secretForm = /^[A-Za-z0-9_-]{43}$/

/** The secret of this browser: the one its cookie has, else a new one. */
export function flowSecretOf(cookieHeader: string | undefined, isHttps: boolean): string {
  return findFlowSecret(cookieHeader, isHttps) ?? randomSecret()
}

/** The secret in the request's flow cookie; undefined when there is none that could be ours. */
export function findFlowSecret(cookieHeader: string | undefined, isHttps: boolean): string | undefined {
  const prefix = `${cookieNameOf(isHttps)}=`
  const cookie = (cookieHeader ?? '').split(/; */).find((pair) => pair.startsWith(prefix))
  const secret = cookie?.slice(prefix.length)
  return secret !== undefined && secretForm.test(secret) ? secret : undefined
}

/** The Set-Cookie of the flow cookie: for this host alone, out of reach of scripts and of other sites' forms. */
export function toFlowCookie(secret: string, isHttps: boolean): string {
  const attributes = ['Path=/', `Max-Age=${cookieSeconds}`, 'HttpOnly', 'SameSite=Lax']
  return [`${cookieNameOf(isHttps)}=${secret}`, ...attributes, ...(isHttps ? ['Secure'] : [])].join('; ')
}

/** A browser takes the prefix over https alone, and then lets no other host and no plain http set it (RFC 6265bis). */
function cookieNameOf(isHttps: boolean): string {
  return isHttps ? '__Host-portico-flow' : 'portico-flow'
}

/** What the form of a page sends back: only this browser has it, and only for this token. */
export function toCsrfField(secret: string, token: string): string {
  return createHmac('sha256', secret).update(hashSecret(token)).digest('base64url')
}

export function isCsrfFieldOf(secret: string, token: string, field: string): boolean {
  return isSecretEqual(Buffer.from(field), Buffer.from(toCsrfField(secret, token)))
}

/**
 * Whether a form was sent by a page of ours. A page that sends no referrer also sends `Origin: null`, as all of ours
 * do (Fetch Standard, section 3.2); then, as without the header, the browser must say that it was our origin.
 */
export function isSentByOurPage(
  headers: { readonly origin?: string | undefined; readonly 'sec-fetch-site'?: unknown },
  baseUrl: string,
): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin === undefined || origin === 'null') return site === 'same-origin'
  return origin === new URL(baseUrl).origin
}
