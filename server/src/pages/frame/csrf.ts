import { createHmac } from 'node:crypto'
import { hashSecret, isSecretEqual, randomSecret } from '../../platform/crypto/secret.js'
import { cookieNameOf, findCookie, toCookie } from './cookie.js'
import { formOf, textOf, type Site } from './site.js'

/** Longer than any link of a page works. */
const cookieSeconds = 60 * 60
const secretForm = /^[A-Za-z0-9_-]{43}$/

/** The secret of this browser: the one its cookie has, else a new one. */
export function flowSecretOf(cookieHeader: string | undefined, isHttps: boolean): string {
  return findFlowSecret(cookieHeader, isHttps) ?? randomSecret()
}

/** The secret in the request's flow cookie; undefined when there is none that could be ours. */
export function findFlowSecret(cookieHeader: string | undefined, isHttps: boolean): string | undefined {
  return findCookie(cookieHeader, cookieNameOf('portico-flow', isHttps), secretForm)
}

/** The Set-Cookie of the flow cookie. */
export function toFlowCookie(secret: string, isHttps: boolean): string {
  return toCookie(cookieNameOf('portico-flow', isHttps), secret, isHttps, { maxAgeSeconds: cookieSeconds })
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

/**
 * The secret of the browser that sent a form of ours; undefined where another site sent it, another browser, or a page
 * that was about something else. Every form is asked this before it does anything.
 *
 * @param token What the form's page was about, as toCsrfField() was told.
 */
export function secretOfOurForm(
  req: {
    readonly body?: unknown
    readonly headers: Parameters<typeof isSentByOurPage>[0] & { readonly cookie?: string | undefined }
  },
  { isHttps, baseUrl }: Pick<Site, 'isHttps' | 'baseUrl'>,
  token: string,
): string | undefined {
  const secret = findFlowSecret(req.headers.cookie, isHttps)
  if (secret === undefined || !isSentByOurPage(req.headers, baseUrl)) return undefined
  return isCsrfFieldOf(secret, token, textOf(formOf(req).csrf)) ? secret : undefined
}
