import { createHmac } from 'node:crypto'
import { hashSecret, isSecretEqual, randomSecret } from '../../platform/crypto/secret.js'
import { cookieNameOf, findCookie, toCookie } from './cookie.js'
import { formOf, textOf, type Site } from './site.js'

/** In seconds; longer than any link of a page is valid. */
const cookieSeconds = 60 * 60
const secretForm = /^[A-Za-z0-9_-]{43}$/

/** The flow secret of this browser: the one in its cookie, else a new one. */
export function flowSecretOf(cookieHeader: string | undefined, isHttps: boolean): string {
  return findFlowSecret(cookieHeader, isHttps) ?? randomSecret()
}

/** The secret in the request's flow cookie; undefined when the cookie is missing or malformed. */
export function findFlowSecret(cookieHeader: string | undefined, isHttps: boolean): string | undefined {
  return findCookie(cookieHeader, cookieNameOf('portico-flow', isHttps), secretForm)
}

export function toFlowCookie(secret: string, isHttps: boolean): string {
  return toCookie(cookieNameOf('portico-flow', isHttps), secret, isHttps, { maxAgeSeconds: cookieSeconds })
}

/** The CSRF field of a form, bound to this browser and to the token. */
export function toCsrfField(secret: string, token: string): string {
  return createHmac('sha256', secret).update(hashSecret(token)).digest('base64url')
}

export function isCsrfFieldOf(secret: string, token: string, field: string): boolean {
  return isSecretEqual(Buffer.from(field), Buffer.from(toCsrfField(secret, token)))
}

/**
 * Whether a form was sent by a page of this service. Its pages send no referrer and therefore `Origin: null` (Fetch
 * Standard, section 3.2); then, as without the header, the browser must report the same origin.
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
 * The flow secret of a form submission; undefined when it comes from another site, another browser or a page for
 * another token. Every form is checked by this before it has any effect.
 *
 * @param token The token that the page gave to toCsrfField().
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
