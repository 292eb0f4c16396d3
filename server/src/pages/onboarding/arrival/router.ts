import type { Request, Router } from 'express'
import type { Deps } from '../../../delivery/deps.js'
import { formReader } from '../../../platform/http/body.js'
import { requestIdOf } from '../../../delivery/request-context.js'
import { findArrivedBrowser, type ArrivedBrowser } from '../../../sso/admins/admin-session.js'
import {
  beginAdminSession,
  findOpenInvitation,
  type InvitationAddress,
  type OpenInvitation,
} from '../../../sso/onboarding/arrival.js'
import { listConnections } from '../../../sso/onboarding/connections.js'
import { listDirectories } from '../../../sso/onboarding/directories.js'
import { listJoinEnvironments } from '../../../sso/onboarding/join-requests.js'
import { reachedEnvironments } from '../../../sso/onboarding/reached-tenant.js'
import { sendAnotherCode, verifyAdminCode } from '../../../sso/onboarding/verify-code.js'
import { findServiceName } from '../../../sso/admins/service-name.js'
import { findOrganizationByDomain } from '../../../directory/organizations/find-organization.js'
import { secretOfOurForm, toCsrfField } from '../../frame/csrf.js'
import type { Frame } from '../../frame/layout.js'
import {
  inChosenLanguage,
  keepFlowSecret,
  pageRouter,
  redirect,
  sendPlainSentence,
  type Exchange,
} from '../../frame/page-route.js'
import { formOf, frameOf, sendPage, textOf, type Site } from '../../frame/site.js'
import { guess } from '../../steps/guess.js'
import { waitOf } from '../../steps/limit.js'
import type { AdminCodeFault } from '../../texts/en/onboarding.js'
import { findAdminSecret, toAdminCookie } from '../../frame/admin-cookie.js'
import { adminCodePage } from '../admin-code.js'
import { connectionsPage } from '../connections.js'
import { invitationPage } from '../invitation.js'
import { isSentByAdmin, leaveOrDecline } from '../leaving.js'

/** Of the cookie; the session itself expires earlier. */
const cookieSeconds = 8 * 60 * 60

/** A browser with an administrator session, which may not be verified yet, and its secret. */
type AdminBrowser = ArrivedBrowser & { readonly secret: string }

/** The invitation link, the mailed code that verifies its recipient, and the list of connections. */
export function arrivalRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: ['/onboarding', '/onboarding/:idp_id'],
      get: arrive,
      read: [formReader(16 * 1024)],
      post: takeForm,
      otherwise: (exchange, status) => sendPlainSentence(exchange, status, 'notInvited'),
    },
  ])
}

async function arrive(exchange: Exchange): Promise<void> {
  const { req } = exchange
  const token = textOf(req.query.token)
  const browser = await findBrowser(exchange)
  const idpId = idpIdOf(req)
  if (token !== '') await showInvitation(exchange, { idpId, token }, browser)
  else if (browser === undefined) sendPlainSentence(exchange, 401, 'notInvited')
  else if (!browser.isVerified) await showCode(exchange, browser, {})
  else if (isForJoinRequests(req)) goTo(exchange, joinRequestsPath(browser))
  else if (idpId === null) await showConnections(exchange, browser)
  else goTo(exchange, `/onboarding/${idpId}/now`)
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { site, req } = exchange
  const form = formOf(req)
  const token = textOf(form.token)
  const action = textOf(form.action)
  if (token !== '') {
    await actOnInvitation(exchange, { idpId: idpIdOf(req), token }, action)
    return
  }
  const browser = await findBrowser(exchange)
  if (browser === undefined) sendPlainSentence(exchange, 401, 'notInvited')
  else if (!isSentByAdmin(req, site, browser)) sendPlainSentence(exchange, 403, 'otherBrowser')
  else if (browser.isVerified) await leave(exchange, browser, action)
  else await actOnCode(exchange, browser, action)
}

async function findBrowser({ deps, site, req }: Exchange): Promise<AdminBrowser | undefined> {
  const secret = findAdminSecret(req.headers.cookie, site.isHttps)
  const browser = secret === undefined ? undefined : await findArrivedBrowser(deps, secret)
  return secret === undefined || browser === undefined ? undefined : { ...browser, secret }
}

/** Has no effect, because mail scanners open links. */
async function showInvitation(
  exchange: Exchange,
  address: InvitationAddress,
  browser: AdminBrowser | undefined,
): Promise<void> {
  const invitation = await findOpenInvitation(exchange.deps, address)
  if (invitation === undefined) sendPlainSentence(exchange, 404, 'deadInvitation')
  else if (browser?.linkId === invitation.linkId) goTo(exchange, exchange.req.path)
  else await sendInvitation(exchange, address, invitation)
}

async function sendInvitation(
  exchange: Exchange,
  { token }: InvitationAddress,
  invitation: OpenInvitation,
  retryAfterSeconds?: number,
): Promise<void> {
  const { deps, site, req, res } = exchange
  const { domain, email, environment } = invitation
  const organization = await findOrganizationByDomain(deps, domain)
  const serviceName = await findServiceName(deps.db, invitation)
  const secret = keepFlowSecret(exchange)
  const isSandbox = environment === 'sandbox' && (idpIdOf(req) !== null || isForJoinRequests(req))
  const url = `${req.path}?token=${encodeURIComponent(token)}`
  const frame = frameOf(site, req, { organization, isSandbox, url })
  const form = { action: actionOf(req, frame), csrf: toCsrfField(secret, token) }
  const organizationName = organization?.name ?? ''
  const names = { email, organizationName, serviceName, isForJoinRequests: isForJoinRequests(req) }
  const page = invitationPage({ frame, form, token, ...names, retryAfterSeconds })
  sendPage(site, res, page, frame)
}

async function actOnInvitation(
  exchange: Exchange,
  address: InvitationAddress,
  action: string,
): Promise<void> {
  const { site, req } = exchange
  if (secretOfOurForm(req, site, address.token) === undefined) {
    sendPlainSentence(exchange, 403, 'otherBrowser')
    return
  }
  // Declining comes after the code: only the button `continue` acts here, any other shows the page.
  if (action === 'continue') await begin(exchange, address)
  else await showInvitation(exchange, address, undefined)
}

async function begin(exchange: Exchange, address: InvitationAddress): Promise<void> {
  const { deps, site, req, res } = exchange
  try {
    const source = { ip: req.ip ?? '', requestId: requestIdOf(req) }
    const secret = await beginAdminSession(deps, address, source)
    if (secret === undefined) {
      sendPlainSentence(exchange, 404, 'deadInvitation')
      return
    }
    res.append('Set-Cookie', toAdminCookie(secret, site.isHttps, cookieSeconds))
    goTo(exchange, req.path)
  } catch (error) {
    const wait = waitOf(error)
    const invitation = wait && (await findOpenInvitation(deps, address))
    if (wait === undefined || invitation === undefined) throw error
    const seconds = wait.retryAfterSeconds ?? 60
    res.status(429).set('Retry-After', String(seconds))
    await sendInvitation(exchange, address, invitation, seconds)
  }
}

async function actOnCode(exchange: Exchange, browser: AdminBrowser, action: string): Promise<void> {
  const { deps, req, res } = exchange
  try {
    if (action === 'send_again') {
      const source = { ip: req.ip ?? '', requestId: requestIdOf(req) }
      const isSent = await sendAnotherCode(deps, browser, source)
      if (isSent) await showCode(exchange, browser, { isResent: true })
      else sendPlainSentence(exchange, 401, 'notInvited')
      return
    }
    await tryCode(exchange, browser)
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    const fault = action === 'send_again' ? 'too_many_mails' : 'too_many'
    res.status(429)
    await showCode(exchange, browser, { fault, ...wait })
  }
}

async function tryCode(exchange: Exchange, browser: AdminBrowser): Promise<void> {
  const { deps, req, res } = exchange
  const code = textOf(formOf(req).code)
  if (code.trim() === '') {
    res.status(422)
    await showCode(exchange, browser, { fault: 'missing' })
    return
  }
  const ip = req.ip ?? ''
  const verify = () => verifyAdminCode(deps, browser, { code, ip, requestId: requestIdOf(req) })
  const outcome = await guess({ deps, ip }, verify, (outcome) => outcome === 'verified')
  if (outcome !== 'verified') {
    res.status(422)
    await showCode(exchange, browser, { fault: outcome })
    return
  }
  if (isForJoinRequests(req)) goTo(exchange, joinRequestsPath(browser))
  else goTo(exchange, browser.idpId === null ? '/onboarding' : `/onboarding/${browser.idpId}/now`)
}

async function showCode(
  exchange: Exchange,
  browser: AdminBrowser,
  notice: {
    readonly fault?: AdminCodeFault
    readonly isResent?: boolean
    readonly retryAfterSeconds?: number | undefined
  },
): Promise<void> {
  const { site, req, res } = exchange
  const frame = await frameFor(exchange, browser)
  const { fault, isResent = false, retryAfterSeconds } = notice
  if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
  const form = formFor(req, frame, browser)
  const page = adminCodePage({ frame, form, email: browser.email, isResent, fault, retryAfterSeconds })
  sendPage(site, res, page, frame)
}

async function showConnections(exchange: Exchange, browser: AdminBrowser): Promise<void> {
  const { deps, site, req, res } = exchange
  const connections = await listConnections(deps, browser)
  const directories = await listDirectories(deps, browser)
  const frame = await frameFor(exchange, browser)
  const form = formFor(req, frame, browser)
  const domainsOf = reachedEnvironments(browser).filter(
    (environment) =>
      environment === browser.environment ||
      [...connections, ...directories].some((one) => one.environment === environment),
  )
  const joinRequestsOf = await listJoinEnvironments(deps, browser)
  const listed = { connections, directories, domainsOf, joinRequestsOf }
  const page = connectionsPage({ frame, form, email: browser.email, ...listed })
  sendPage(site, res, page, frame)
}

async function leave(exchange: Exchange, browser: AdminBrowser, action: string): Promise<void> {
  const { deps, site, req, res } = exchange
  const text = await leaveOrDecline(deps, browser, {
    action,
    idpId: browser.idpId,
    requestId: requestIdOf(req),
  })
  if (text === undefined) {
    goTo(exchange, req.path)
    return
  }
  res.append('Set-Cookie', toAdminCookie('', site.isHttps, 0))
  sendPlainSentence(exchange, 200, text)
}

async function frameFor({ deps, site, req }: Exchange, browser: AdminBrowser): Promise<Frame> {
  const organization = await findOrganizationByDomain(deps, browser.domain)
  const isSandbox = browser.connection?.environment === 'sandbox'
  return frameOf(site, req, { organization, isSandbox, url: req.path })
}

function formFor(req: Request, frame: Frame, { secret, sessionId }: AdminBrowser) {
  return { action: actionOf(req, frame), csrf: toCsrfField(secret, sessionId) }
}

/** Redirects in the chosen language. */
function goTo(exchange: Exchange, path: string): void {
  redirect(exchange, inChosenLanguage(exchange, path))
}

function actionOf(req: Request, { texts }: Frame): string {
  return `${req.path}?ui_locales=${texts.lang}`
}

/** In the place of an idp_id, which has no hyphen: the link of a mail about people who ask to join. */
const joinRequestsName = 'join-requests'

function isForJoinRequests({ params }: Request): boolean {
  return params['idp_id'] === joinRequestsName
}

/** The page of the environment from which the link was sent. */
function joinRequestsPath({ environment }: AdminBrowser): string {
  return `/onboarding/${joinRequestsName}/${environment}`
}

/** The idp_id of the path; null without one, and an empty, unknown id when it is malformed. */
function idpIdOf({ params }: Request): string | null {
  const name: unknown = params['idp_id']
  if (name === undefined || name === joinRequestsName) return null
  return typeof name === 'string' && /^\w{1,150}$/.test(name) ? name : ''
}
