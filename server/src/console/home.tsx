import { requestIdOf } from '../delivery/request-context.js'
import { endOwnSession } from '../directory/sessions/own-sessions.js'
import { staffEnvironment, staffTenant } from '../operations/staff/staff-organization.js'
import { secretOfOurForm, toCsrfField } from '../pages/frame/csrf.js'
import { Form } from '../pages/frame/form.js'
import { HostedPage, toDocument } from '../pages/frame/layout.js'
import { messageUrl } from '../pages/frame/message.js'
import { keepFlowSecret, redirect, sendPlainSentence, type Exchange } from '../pages/frame/page-route.js'
import { Person } from '../pages/frame/person.js'
import { clearSessionCookie } from '../pages/frame/session-cookie.js'
import { sendPage } from '../pages/frame/site.js'
import type { PageForm } from '../pages/frame/step-page.js'
import { signedOutPage } from '../pages/views/sign-out.js'
import { displayName } from '../platform/display-name.js'
import { causeBy } from '../platform/tenant.js'
import { findStaffOrAsk } from './entrance.js'
import { consolePage, type ConsolePage } from './page.js'
import { homeOf } from './sign-in.js'
import type { Staff } from './visitor.js'

/** The console of an account begins with its sandbox. */
export async function goHome(exchange: Exchange): Promise<void> {
  const staff = await findStaffOrAsk(exchange)
  if (staff !== undefined) redirect(exchange, homeOf(staff.organization))
}

/** The first page of the console of an account. */
export async function showHome(exchange: Exchange): Promise<void> {
  const { site, req, res } = exchange
  const staff = await findStaffOrAsk(exchange)
  if (staff === undefined) return
  const form = signOutForm(exchange, staff)
  const page = homePage(consolePage(exchange, req.path, staff.user.locale), staff, form)
  sendPage(site, res, page, { organization: undefined })
}

/** The form that every page of the console has. */
export function signOutForm(exchange: Exchange, { organization, session }: Staff): PageForm {
  const csrf = toCsrfField(keepFlowSecret(exchange), session.id)
  return { action: `/console/${organization.accountDomain}/sign-out`, csrf }
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

function homePage({ frame, words }: ConsolePage, { organization, user }: Staff, form: PageForm): string {
  const { home } = words
  return toDocument(
    <HostedPage frame={frame} title={home.heading(displayName(organization.accountDomain, 100))}>
      <p>{home.signedInAs}</p>
      <Person texts={frame.texts} email={user.email} />
      <Form form={form} action="sign_out" look="second" button={home.signOut} />
    </HostedPage>,
  )
}
