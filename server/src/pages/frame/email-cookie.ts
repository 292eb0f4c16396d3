import { createHash } from 'node:crypto'
import { emailSessionLifetimeMs, type EmailSessionOwner } from '../../sign-in/account-flows/email-session.js'
import { cookieNameOf, findCookie, toCookie } from './cookie.js'

const secretForm = /^[A-Za-z0-9_-]{43}$/

/** The name of the cookie, which does not disclose the id of the account. */
function emailCookieName(isHttps: boolean, { accountId, environment }: EmailSessionOwner): string {
  const digest = createHash('sha256').update(`${accountId}${environment}`).digest('hex')
  return cookieNameOf(`portico-email-${digest.slice(0, 12)}`, isHttps)
}

/** The secret of the browser's e-mail session; undefined when the cookie is missing or malformed. */
export function findEmailSecret(
  cookieHeader: string | undefined,
  isHttps: boolean,
  owner: EmailSessionOwner,
): string | undefined {
  return findCookie(cookieHeader, emailCookieName(isHttps, owner), secretForm)
}

/** The Set-Cookie of an e-mail session, with the maximum lifetime of one. */
export function toEmailCookie(secret: string, isHttps: boolean, owner: EmailSessionOwner): string {
  const maxAgeSeconds = emailSessionLifetimeMs / 1000
  return toCookie(emailCookieName(isHttps, owner), secret, isHttps, { maxAgeSeconds })
}

/** The Set-Cookie that deletes it. */
export function clearEmailCookie(isHttps: boolean, owner: EmailSessionOwner): string {
  return toCookie(emailCookieName(isHttps, owner), '', isHttps, { maxAgeSeconds: 0 })
}
