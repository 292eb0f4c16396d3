import { createHash } from 'node:crypto'
import type { UsedAccount } from '../../directory/sessions/used-organizations.js'
import { cookieNameOf, findCookie, toCookie } from './cookie.js'

/** As long as somebody may stay away from a product, and come back to it. */
const lifetimeSeconds = 180 * 24 * 60 * 60
const sealedForm = /^[A-Za-z0-9_-]{1,600}$/

/** The name of the cookie, which does not disclose the id of the account. */
function accountCookieName(isHttps: boolean, { accountId, environment }: UsedAccount): string {
  const digest = createHash('sha256').update(`${accountId}${environment}`).digest('hex')
  return cookieNameOf(`portico-account-${digest.slice(0, 12)}`, isHttps)
}

/** What a browser remembers of the organizations of an account, sealed; undefined when the cookie is missing or malformed. */
export function findRemembered(
  cookieHeader: string | undefined,
  isHttps: boolean,
  account: UsedAccount,
): string | undefined {
  return findCookie(cookieHeader, accountCookieName(isHttps, account), sealedForm)
}

/** The Set-Cookie of what a browser remembers. */
export function toAccountCookie(sealed: string, isHttps: boolean, account: UsedAccount): string {
  return toCookie(accountCookieName(isHttps, account), sealed, isHttps, { maxAgeSeconds: lifetimeSeconds })
}
