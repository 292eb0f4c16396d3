import { requestIdOf } from '../delivery/request-context.js'
import { endOwnSession } from '../directory/sessions/own-sessions.js'
import { staffEnvironment, staffTenant } from '../operations/staff/staff-organization.js'
import { secretOfOurForm } from '../pages/frame/csrf.js'
import { messageUrl } from '../pages/frame/message.js'
import { redirect, sendPlainSentence, type Exchange } from '../pages/frame/page-route.js'
import { clearSessionCookie } from '../pages/frame/session-cookie.js'
import { sendPage } from '../pages/frame/site.js'
import { signedOutPage } from '../pages/views/sign-out.js'
import { causeBy } from '../platform/tenant.js'
import { findStaffOrAsk } from './entrance.js'
import { consolePage } from './page.js'
import { homeOf } from './sign-in.js'

/** The console of an account begins with its sandbox. */
export async function goHome(exchange: Exchange): Promise<void> {
  const staff = await findStaffOrAsk(exchange)
  if (staff !== undefined) redirect(exchange, homeOf(staff.organization))
}

/** Ends the session of this browser in the console of one account. */
export async function signOut(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const staff = await findStaffOrAsk(exchange)
  if (staff === undefined) return
  const { organization, user, session } = staff
  if (secretOfOurForm(req, site, session.id) === undefined) {
    sendPlainSentence(exchange, 403, 'otherBrowser')
    return
  }
  const tenant = staffTenant(organization, causeBy(requestIdOf(req), 'user', user.id))
  await endOwnSession(deps, tenant, { userId: user.id, sessionId: session.id })
  const owner = { organizationId: organization.organizationId, environment: staffEnvironment }
  res.append('Set-Cookie', clearSessionCookie(site.isHttps, owner))
  const { frame } = consolePage(exchange, undefined, user.locale)
  sendPage(site, res, signedOutPage({ frame: { ...frame, url: messageUrl(frame, 'signed-out') } }), frame)
}
