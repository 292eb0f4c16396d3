import {
  rememberUse,
  type OrganizationUse,
  type UsedAccount,
} from '../../directory/sessions/used-organizations.js'
import { findRemembered, toAccountCookie } from './account-cookie.js'
import type { Exchange } from './page-route.js'

/** Has the browser remember the organization that it has used, for account sign-ins that name none. */
export function remember(
  { deps, site: { isHttps }, req, res }: Exchange,
  { account, use }: { readonly account: UsedAccount; readonly use: OrganizationUse },
): void {
  const sealed = rememberUse(deps, account, findRemembered(req.headers.cookie, isHttps, account), use)
  res.append('Set-Cookie', toAccountCookie(sealed, isHttps, account))
}
