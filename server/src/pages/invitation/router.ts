import type { Router } from 'express'
import { normalizeEmail } from '../../platform/email.js'
import { ApiError } from '../../platform/errors.js'
import { formReader } from '../../platform/http/body.js'
import type { Deps } from '../../delivery/deps.js'
import { networkKey } from '../../delivery/limits/limits.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { findAccountOfStaff } from '../../directory/invitations/account-of-staff.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import { findBrowserSession, type BrowserSession } from '../../directory/sessions/browser-session.js'
import { endOwnSession } from '../../directory/sessions/own-sessions.js'
import { flowsOfNetwork } from '../../protocols/oauth/organization-decision.js'
import { callerAtPage } from '../../sign-in/flows/flow.js'
import { findSignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import {
  beginInvitation,
  findEndOfInvitation,
  type BegunInvitation,
} from '../../sign-in/invitations/begin-invitation.js'
import {
  findAcceptedInvitation,
  findOpenInvitation,
  type ArrivedInvitation,
  type OpenInvitation,
} from '../../sign-in/invitations/open-invitation.js'
import { connectionOfAddress, findOpenConnections } from '../../sso/sign-in/connection-of-address.js'
import { findOpenProviders } from '../../sso/social/open-providers.js'
import { secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import type { Frame } from '../frame/layout.js'
import type { MessageName } from '../frame/message.js'
import {
  inChosenLanguage,
  keepFlowSecret,
  pageRouter,
  redirect,
  sendSentence,
  type Exchange,
} from '../frame/page-route.js'
import { waitOf } from '../steps/limit.js'
import { clearSessionCookie, findSessionSecret } from '../frame/session-cookie.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { invitationPage, otherSessionPage } from '../views/invitation.js'
import { maskEmail } from '../views/magic-link.js'

/** The page of an invitation, whose form begins the sign-in. */
export function invitationRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: '/t/:org_domain/invitations/:token',
      get: showInvitation,
      read: [formReader(16 * 1024)],
      post: takeForm,
      otherwise: (exchange, status) => sendSentence(exchange, status, frameAt(exchange), 'deadInvitation'),
    },
  ])
}

async function showInvitation(exchange: Exchange): Promise<void> {
  const { deps, res } = exchange
  const arrived = arrivedAt(exchange)
  const [organization, open] = await Promise.all([findInviter(exchange), findOpenInvitation(deps, arrived)])
  res.vary('Accept-Language')
  if (organization === undefined || open === undefined) await sendDead(exchange, organization)
  else await sendInvitation(exchange, { organization, open, arrived })
}

/** The organization that invites. That of staff has a name that says nothing to them: it is called as the account. */
interface Inviter extends PublicOrganization {
  readonly isStaff: boolean
}

async function findInviter({ deps, req }: Exchange): Promise<Inviter | undefined> {
  const domain = domainOf(req)
  const [organization, account] = await Promise.all([
    findOrganizationByDomain(deps, domain),
    findAccountOfStaff(deps, domain),
  ])
  if (organization === undefined) return undefined
  return { ...organization, name: account ?? organization.name, isStaff: account !== undefined }
}

interface Shown {
  readonly organization: Inviter
  readonly open: OpenInvitation
  readonly arrived: ArrivedInvitation
}

/** Nothing is accepted by the session of another address: its user may sign out. */
async function sendInvitation(exchange: Exchange, { organization, open, arrived }: Shown): Promise<void> {
  const { deps, site, req, res } = exchange
  const frame = frameAt(exchange, { organization, open })
  const csrf = toCsrfField(keepFlowSecret(exchange), arrived.token)
  const form = { action: inChosenLanguage(exchange, req.path), csrf }
  const { name: organizationName, isStaff } = organization
  const view = { frame, form, email: maskEmail(open.email), organizationName, isStaff }
  const other = await findOtherSession(exchange, open)
  const page =
    other === undefined ? invitationPage(view) : otherSessionPage({ ...view, sessionEmail: other.email })
  const redirectUri =
    other === undefined ? await findEndOfInvitation(deps, open, requestIdOf(req)) : undefined
  sendPage(site, res, page, { organization, redirectUri })
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const arrived = arrivedAt(exchange)
  const organization = await findInviter(exchange)
  const open = await findOpenInvitation(deps, arrived)
  const browserSecret = secretOfOurForm(req, site, arrived.token)
  if (browserSecret === undefined) {
    sendSentence(exchange, 403, frameAt(exchange, { organization, open }), 'otherBrowser')
    return
  }
  if (organization === undefined || open === undefined) {
    await sendDead(exchange, organization)
    return
  }
  const shown = { organization, open, arrived }
  const other = await findOtherSession(exchange, open)
  if (textOf(formOf(req).action) === 'sign_out') {
    if (other !== undefined) await signOut(exchange, open, other)
    redirect(exchange, inChosenLanguage(exchange, req.path))
  } else if (other === undefined) await begin(exchange, shown, browserSecret)
  else {
    res.status(409)
    await sendInvitation(exchange, shown)
  }
}

async function begin(
  exchange: Exchange,
  { organization, open, arrived }: Shown,
  browserSecret: string,
): Promise<void> {
  const { deps, req } = exchange
  const ip = req.ip ?? ''
  const frame = frameAt(exchange, { organization, open })
  try {
    await deps.limits.take(flowsOfNetwork, networkKey(ip))
    const [methods, connections, socialProviders] = await Promise.all([
      findSignInMethods(deps, open),
      findOpenConnections(deps, open),
      findOpenProviders(deps, open),
    ])
    const connectionId = connectionOfAddress(connections, methods, open.emailNormalized)?.connectionId
    const requestId = requestIdOf(req)
    const begun = await beginInvitation(deps, {
      arrived,
      connectionId,
      methods,
      hasSocial: socialProviders.length > 0,
      browserSecret,
      isPasskeyCapable: textOf(formOf(req).passkeys) === 'can',
      ip,
      requestId,
    })
    await lead(exchange, begun, { organization, frame })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const wait = waitOf(error)
    if (wait === undefined) sendSentence(exchange, 403, frame, 'signInRefused')
    else sendSentence(exchange, 429, frame, 'tooMany', wait)
  }
}

async function lead(
  exchange: Exchange,
  begun: BegunInvitation,
  { organization, frame }: { readonly organization: Inviter; readonly frame: Frame },
): Promise<void> {
  if ('redirectUrl' in begun) redirect(exchange, inChosenLanguage(exchange, begun.redirectUrl))
  else if (begun.refusal === 'dead') await sendDead(exchange, organization)
  else sendSentence(exchange, 403, frame, sentences[begun.refusal] ?? 'signInRefused')
}

const sentences: Partial<Record<string, MessageName>> = {
  no_method: 'noWayToSignIn',
  no_application: 'noWayToSignIn',
  seats_exhausted: 'noSeat',
}

/** One page of all URLs that work no more; who has accepted theirs, and is signed in, is told so. */
async function sendDead(exchange: Exchange, organization: Inviter | undefined): Promise<void> {
  const { deps } = exchange
  const accepted = organization && (await findAcceptedInvitation(deps, arrivedAt(exchange)))
  const session = accepted && (await findSession(exchange, accepted))
  const isOwn = session !== undefined && session.userId === accepted?.userId
  const frame = frameAt(exchange, { organization })
  if (isOwn) sendSentence(exchange, 200, frame, 'acceptedInvitation')
  else sendSentence(exchange, 404, frame, 'deadInvitation')
}

/** The session of somebody else in this browser. */
async function findOtherSession(
  exchange: Exchange,
  open: OpenInvitation,
): Promise<BrowserSession | undefined> {
  const session = await findSession(exchange, open)
  return session === undefined || normalizeEmail(session.email) === open.emailNormalized ? undefined : session
}

function findSession(
  { deps, site, req }: Exchange,
  {
    accountId,
    environment,
    organizationId,
  }: Pick<OpenInvitation, 'accountId' | 'environment' | 'organizationId'>,
): Promise<BrowserSession | undefined> {
  const owner = { accountId, environment, organizationId }
  const secret = findSessionSecret(req.headers.cookie, site.isHttps, owner)
  return secret === undefined ? Promise.resolve(undefined) : findBrowserSession(deps, { ...owner, secret })
}

async function signOut(
  { deps, site, req, res }: Exchange,
  open: OpenInvitation,
  { userId, sessionId }: BrowserSession,
): Promise<void> {
  const tenant = { ...callerAtPage(open, requestIdOf(req), userId), domain: open.domain }
  await endOwnSession(deps, tenant, { userId, sessionId })
  res.append('Set-Cookie', clearSessionCookie(site.isHttps, open))
}

function arrivedAt({ req }: Pick<Exchange, 'req'>): ArrivedInvitation {
  return { organizationDomain: domainOf(req), token: textOf(req.params['token']) }
}

interface ShownAt {
  readonly organization?: Inviter | undefined
  readonly open?: OpenInvitation | undefined
}

/** A URL that works no more has the address of its message, where no token is. */
function frameAt({ site, req }: Exchange, { organization, open }: ShownAt = {}): Frame {
  const isSandbox = open?.environment === 'sandbox'
  const url = open === undefined || req.method === 'POST' ? undefined : req.path
  return frameOf(site, req, { organization, isSandbox, url, uiLocales: open?.locale ?? null })
}
