import express, { type Request, type Response, type Router } from 'express'
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
import { sendAnotherCode, verifyAdminCode } from '../../../sso/onboarding/verify-code.js'
import { findServiceName } from '../../../sso/admins/service-name.js'
import { findOrganizationByDomain } from '../../../directory/organizations/find-organization.js'
import { flowSecretOf, secretOfOurForm, toCsrfField, toFlowCookie } from '../../frame/csrf.js'
import { errorPage } from '../../frame/error.js'
import type { Frame } from '../../frame/layout.js'
import { pageHeaders } from '../../frame/page-headers.js'
import { formOf, frameOf, sendPage, textOf, type Site } from '../../frame/site.js'
import { guess } from '../../steps/guess.js'
import { waitOf } from '../../steps/limit.js'
import type { AdminCodeFault } from '../../texts/en/onboarding.js'
import { findAdminSecret, toAdminCookie } from '../../frame/admin-cookie.js'
import { adminCodePage } from '../admin-code.js'
import { connectionsPage } from '../connections.js'
import { invitationPage } from '../invitation.js'
import { isSentByAdmin, leaveOrDecline } from '../leaving.js'

/** Of the session; it ends by itself before. */
const cookieSeconds = 8 * 60 * 60

const paths = ['/onboarding', '/onboarding/:idp_id']

/** What a browser that has no code yet is shown. */
type Waiting = ArrivedBrowser & { readonly secret: string }

/** The link of an invitation, the code that is mailed to whoever opens it, and the list of connections behind it. */
export function arrivalRouter(deps: Deps, site: Site): Router {
  const { isHttps } = site
  const router = express.Router()

  router.get(paths, async (req, res) => {
    const token = textOf(req.query.token)
    const browser = await findBrowser(req)
    if (token !== '') {
      await showInvitation(req, res, { idpId: idpIdOf(req), token }, browser)
      return
    }
    if (browser === undefined) await sendSentence(req, res, 401, 'notInvited')
    else if (!browser.isVerified) await showCode(req, res, browser, {})
    else if (idpIdOf(req) === null) await showConnections(req, res, browser)
    else redirect(req, res, `/onboarding/${idpIdOf(req)}/now`)
  })

  router.post(paths, formReader(16 * 1024), async (req, res) => {
    const { token, action } = formOf(req)
    if (textOf(token) !== '') {
      await actOnInvitation(req, res, { idpId: idpIdOf(req), token: textOf(token) }, textOf(action))
      return
    }
    const browser = await findBrowser(req)
    if (browser === undefined) await sendSentence(req, res, 401, 'notInvited')
    else if (!isSentByAdmin(req, site, browser)) await sendSentence(req, res, 403, 'otherBrowser')
    else if (browser.isVerified) await leave(req, res, browser, textOf(action))
    else await actOnCode(req, res, browser, textOf(action))
  })

  router.all(paths, async (req, res) => {
    await sendSentence(req, res.set('Allow', 'GET, HEAD, POST'), 405, 'notInvited')
  })

  return router

  async function findBrowser(req: Request): Promise<Waiting | undefined> {
    const secret = findAdminSecret(req.headers.cookie, isHttps)
    const browser = secret === undefined ? undefined : await findArrivedBrowser(deps, secret)
    return secret === undefined || browser === undefined ? undefined : { ...browser, secret }
  }

  /** Nothing happens by looking: programs open links, too. */
  async function showInvitation(
    req: Request,
    res: Response,
    address: InvitationAddress,
    browser: Waiting | undefined,
  ): Promise<void> {
    const invitation = await findOpenInvitation(deps, address)
    if (invitation === undefined) await sendSentence(req, res, 404, 'deadInvitation')
    else if (browser?.linkId === invitation.linkId) redirect(req, res, req.path)
    else await sendInvitation(req, res, address, invitation)
  }

  async function sendInvitation(
    req: Request,
    res: Response,
    { token }: InvitationAddress,
    invitation: OpenInvitation,
    retryAfterSeconds?: number,
  ): Promise<void> {
    const { domain, email, environment } = invitation
    const organization = await findOrganizationByDomain(deps, domain)
    const serviceName = await findServiceName(deps.db, invitation)
    const secret = flowSecretOf(req.headers.cookie, isHttps)
    res.append('Set-Cookie', toFlowCookie(secret, isHttps))
    const isSandbox = environment === 'sandbox' && idpIdOf(req) !== null
    const url = `${req.path}?token=${encodeURIComponent(token)}`
    const frame = frameOf(site, req, { organization, isSandbox, url })
    const form = { action: actionOf(req, frame), csrf: toCsrfField(secret, token) }
    const organizationName = organization?.name ?? ''
    const names = { email, organizationName, serviceName }
    const page = invitationPage({ frame, form, token, ...names, retryAfterSeconds })
    sendPage(site, res, page, frame)
  }

  async function actOnInvitation(
    req: Request,
    res: Response,
    address: InvitationAddress,
    action: string,
  ): Promise<void> {
    if (secretOfOurForm(req, site, address.token) === undefined) {
      await sendSentence(req, res, 403, 'otherBrowser')
      return
    }
    // Who is not in charge says so behind the code: another button than this one shows the page.
    if (action === 'continue') await begin(req, res, address)
    else await showInvitation(req, res, address, undefined)
  }

  async function begin(req: Request, res: Response, address: InvitationAddress): Promise<void> {
    try {
      const who = { ip: req.ip ?? '', requestId: requestIdOf(req) }
      const secret = await beginAdminSession(deps, address, who)
      if (secret === undefined) {
        await sendSentence(req, res, 404, 'deadInvitation')
        return
      }
      res.append('Set-Cookie', toAdminCookie(secret, isHttps, cookieSeconds))
      redirect(req, res, req.path)
    } catch (error) {
      const wait = waitOf(error)
      const invitation = wait && (await findOpenInvitation(deps, address))
      if (wait === undefined || invitation === undefined) throw error
      const seconds = wait.retryAfterSeconds ?? 60
      await sendInvitation(
        req,
        res.status(429).set('Retry-After', String(seconds)),
        address,
        invitation,
        seconds,
      )
    }
  }

  async function actOnCode(req: Request, res: Response, browser: Waiting, action: string): Promise<void> {
    try {
      if (action === 'send_again') {
        const who = { ip: req.ip ?? '', requestId: requestIdOf(req) }
        const isSent = await sendAnotherCode(deps, browser, who)
        if (isSent) await showCode(req, res, browser, { isResent: true })
        else await sendSentence(req, res, 401, 'notInvited')
        return
      }
      await tryCode(req, res, browser)
    } catch (error) {
      const wait = waitOf(error)
      if (wait === undefined) throw error
      const fault = action === 'send_again' ? 'too_many_mails' : 'too_many'
      await showCode(req, res.status(429), browser, { fault, ...wait })
    }
  }

  async function tryCode(req: Request, res: Response, browser: Waiting): Promise<void> {
    const code = textOf(formOf(req).code)
    if (code.trim() === '') {
      await showCode(req, res.status(422), browser, { fault: 'missing' })
      return
    }
    const ip = req.ip ?? ''
    const verify = () => verifyAdminCode(deps, browser, { code, ip, requestId: requestIdOf(req) })
    const outcome = await guess({ deps, ip }, verify, (outcome) => outcome === 'verified')
    if (outcome !== 'verified') {
      await showCode(req, res.status(422), browser, { fault: outcome })
      return
    }
    redirect(req, res, browser.idpId === null ? '/onboarding' : `/onboarding/${browser.idpId}/now`)
  }

  async function showCode(
    req: Request,
    res: Response,
    browser: Waiting,
    said: {
      readonly fault?: AdminCodeFault
      readonly isResent?: boolean
      readonly retryAfterSeconds?: number | undefined
    },
  ): Promise<void> {
    const frame = await frameFor(req, browser)
    const { fault, isResent = false, retryAfterSeconds } = said
    if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
    const form = formFor(req, frame, browser)
    const page = adminCodePage({ frame, form, email: browser.email, isResent, fault, retryAfterSeconds })
    sendPage(site, res, page, frame)
  }

  async function showConnections(req: Request, res: Response, browser: Waiting): Promise<void> {
    const connections = await listConnections(deps, browser)
    const directories = await listDirectories(deps, browser)
    const frame = await frameFor(req, browser)
    const form = formFor(req, frame, browser)
    const page = connectionsPage({ frame, form, email: browser.email, connections, directories })
    sendPage(site, res, page, frame)
  }

  async function leave(req: Request, res: Response, browser: Waiting, action: string): Promise<void> {
    const text = await leaveOrDecline(deps, browser, {
      action,
      idpId: browser.idpId,
      requestId: requestIdOf(req),
    })
    if (text === undefined) {
      redirect(req, res, req.path)
      return
    }
    res.append('Set-Cookie', toAdminCookie('', isHttps, 0))
    await sendSentence(req, res, 200, text)
  }

  async function frameFor(req: Request, browser: Waiting): Promise<Frame> {
    const organization = await findOrganizationByDomain(deps, browser.domain)
    const isSandbox = browser.connection?.environment === 'sandbox'
    return frameOf(site, req, { organization, isSandbox, url: req.path })
  }

  function formFor(req: Request, frame: Frame, { secret, sessionId }: Waiting) {
    return { action: actionOf(req, frame), csrf: toCsrfField(secret, sessionId) }
  }

  async function sendSentence(
    req: Request,
    res: Response,
    status: number,
    name: 'deadInvitation' | 'notInvited' | 'otherBrowser' | 'declined' | 'leftOnboarding',
  ): Promise<void> {
    const frame = frameOf(site, req, { organization: undefined, isSandbox: false, url: undefined })
    sendPage(site, res.status(status), errorPage(frame, frame.texts[name]), frame)
    return Promise.resolve()
  }

  /** In the language that somebody has chosen on a page. */
  function redirect(req: Request, res: Response, path: string): void {
    const chosen = textOf(req.query.ui_locales)
    const query = chosen === '' ? '' : `?ui_locales=${encodeURIComponent(chosen)}`
    res.status(303).set(pageHeaders(isHttps)).set('Location', `${path}${query}`).end()
  }
}

function actionOf(req: Request, { texts }: Frame): string {
  return `${req.path}?ui_locales=${texts.lang}`
}

/** A name that no connection can have is that of none; null where the address names none. */
function idpIdOf({ params }: Request): string | null {
  const name: unknown = params['idp_id']
  if (name === undefined) return null
  return typeof name === 'string' && /^\w{1,150}$/.test(name) ? name : ''
}
