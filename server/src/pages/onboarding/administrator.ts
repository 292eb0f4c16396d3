import { findAdminSession, type AdminSession } from '../../sso/admins/admin-session.js'
import { findAdminSecret, toAdminCookie } from '../frame/admin-cookie.js'
import { sendPlainSentence, type Exchange } from '../frame/page-route.js'
import { formOf, textOf } from '../frame/site.js'
import { isSentByAdmin, leaveOrDecline } from './leaving.js'

/** An administrator who has entered the mailed code, and the secret of the browser's cookie. */
export interface Administrator {
  readonly session: AdminSession
  readonly secret: string
}

/** The administrator of a request; undefined when it was answered with an error page. */
export async function findAdministrator(exchange: Exchange): Promise<Administrator | undefined> {
  const { deps, site, req } = exchange
  const secret = findAdminSecret(req.headers.cookie, site.isHttps)
  const session = secret === undefined ? undefined : await findAdminSession(deps, secret)
  if (secret !== undefined && session !== undefined) return { session, secret }
  sendPlainSentence(exchange, 401, 'notInvited')
  return undefined
}

/** Does what a form of a page of the organization asks for, where the page was ours: the administrator leaves, or acts. */
export async function takeAdminForm(
  exchange: Exchange,
  { session, secret, requestId }: Administrator & { readonly requestId: string },
  act: (action: string) => Promise<void>,
): Promise<void> {
  const { deps, site, req, res } = exchange
  if (!isSentByAdmin(req, site, { ...session, secret })) {
    sendPlainSentence(exchange, 403, 'otherBrowser')
    return
  }
  const action = textOf(formOf(req).action)
  const left = await leaveOrDecline(deps, session, { action, idpId: null, requestId })
  if (left === undefined) {
    await act(action)
    return
  }
  res.append('Set-Cookie', toAdminCookie('', site.isHttps, 0))
  sendPlainSentence(exchange, 200, left)
}
