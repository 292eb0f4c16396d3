import { environments, pathId, type Environment } from '@portico/contract/fields'
import express, { type Request, type Response, type Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { callerAtPage } from '../../sign-in/flows/flow.js'
import { formReader } from '../../platform/http/body.js'
import { requestIdOf } from '../../delivery/request-context.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import { findBrowserSession, type BrowserSession } from '../../directory/sessions/browser-session.js'
import { endOtherSessions, endOwnSession, listOwnSessions } from '../../directory/sessions/own-sessions.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import type { Tenant } from '../../platform/tenant.js'
import { flowSecretOf, secretOfOurForm, toCsrfField, toFlowCookie } from '../frame/csrf.js'
import { errorPage } from '../frame/error.js'
import { pageHeaders } from '../frame/page-headers.js'
import { clearSessionCookie, findSessionSecret } from '../frame/session-cookie.js'
import { sessionsPage } from '../views/sessions.js'
import { signedOutPage } from '../views/sign-out.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'

const path = '/t/:org_domain/sessions'

/** Whoever is signed in in this browser, and where. */
interface Visitor {
  readonly organization: PublicOrganization
  readonly environment: Environment
  readonly session: BrowserSession
}

/** The page on which people see where they are signed in, and sign out. */
export function sessionsRouter(deps: Deps, site: Site): Router {
  const { isHttps } = site
  const router = express.Router()

  router.get(path, async (req, res) => {
    const organization = await findOrganizationByDomain(deps, domainOf(req))
    const visitor = await findVisitor(req, organization)
    if (visitor === undefined) {
      sendNotSignedIn(req, res, organization)
      return
    }
    const secret = flowSecretOf(req.headers.cookie, isHttps)
    res.append('Set-Cookie', toFlowCookie(secret, isHttps))
    const { session } = visitor
    const sessions = await listOwnSessions(deps, tenantOf(req, visitor), session.userId)
    const page = sessionsPage({
      frame: frameFor(req, visitor),
      form: { action: addressOf(req, visitor), csrf: toCsrfField(secret, session.sessionId) },
      email: session.email,
      sessions: sessions.map(({ userAgent, ...shown }) => ({
        ...shown,
        device: userAgent,
        isCurrent: shown.id === session.sessionId,
      })),
      isOnlyOne: sessions.length === 1,
      now: deps.now(),
    })
    sendPage(site, res, page, { organization })
  })

  router.post(path, formReader(16 * 1024), async (req, res) => {
    const organization = await findOrganizationByDomain(deps, domainOf(req))
    const visitor = await findVisitor(req, organization)
    if (visitor === undefined) {
      sendNotSignedIn(req, res, organization)
      return
    }
    const { session } = visitor
    const { action, session_id: sentId } = formOf(req)
    if (secretOfOurForm(req, site, session.sessionId) === undefined) {
      const frame = frameFor(req, visitor)
      sendPage(site, res.status(403), errorPage(frame, frame.texts.otherBrowser), frame)
      return
    }
    const act = actions.get(textOf(action))
    await act?.(
      deps,
      tenantOf(req, visitor),
      { userId: session.userId, sessionId: SessionId.parse(textOf(sentId)) },
      session,
    )
    const isLeft = (await findVisitor(req, visitor.organization)) === undefined
    if (!isLeft) {
      res.status(303).set(pageHeaders(isHttps)).set('Location', addressOf(req, visitor)).end()
      return
    }
    const owner = { organizationId: visitor.organization.organizationId, environment: visitor.environment }
    res.append('Set-Cookie', clearSessionCookie(isHttps, owner))
    const frame = { ...frameFor(req, visitor), url: undefined }
    sendPage(site, res, signedOutPage({ frame }), frame)
  })

  router.all(path, async (req, res) => {
    const organization = await findOrganizationByDomain(deps, domainOf(req))
    sendNotSignedIn(req, res.set('Allow', 'GET, HEAD, POST'), organization, 405)
  })

  return router

  /** Of production first, where a browser is signed in to both environments and the address names none. */
  async function findVisitor(
    req: Request,
    organization: PublicOrganization | undefined,
  ): Promise<Visitor | undefined> {
    if (organization === undefined) return undefined
    const { accountId, organizationId } = organization
    const named = environments.filter((environment) => environment === req.query.environment)
    for (const environment of named.length > 0 ? named : environments.toReversed()) {
      const secret = findSessionSecret(req.headers.cookie, isHttps, { organizationId, environment })
      if (secret === undefined) continue
      const session = await findBrowserSession(deps, { accountId, environment, organizationId, secret })
      if (session !== undefined) return { organization, environment, session }
    }
    return undefined
  }

  function frameFor(req: Request, visitor: Visitor) {
    const { organization, environment } = visitor
    return frameOf(site, req, {
      organization,
      isSandbox: environment === 'sandbox',
      url: `${req.path}?environment=${environment}`,
    })
  }

  function sendNotSignedIn(
    req: Request,
    res: Response,
    organization: PublicOrganization | undefined,
    status = 401,
  ): void {
    const frame = frameOf(site, req, { organization, isSandbox: false, url: req.path })
    sendPage(site, res.status(status), errorPage(frame, frame.texts.notSignedIn), frame)
  }
}

/** What the forms of the page do, by the value of their button. */
const actions = new Map<string, typeof end>([
  ['end', end],
  ['end_others', (deps, tenant, _named, current) => endOtherSessions(deps, tenant, current)],
  ['sign_out', (deps, tenant, _named, current) => endOwnSession(deps, tenant, current)],
])

/** A session of another user is not found among those of this one. */
function end(deps: Deps, tenant: Tenant, named: SessionOfUser, _current: SessionOfUser): Promise<void> {
  return endOwnSession(deps, tenant, named)
}

const SessionId = pathId()

function tenantOf(req: Request, { organization, environment, session }: Visitor) {
  const caller = callerAtPage({ ...organization, environment }, requestIdOf(req), session.userId)
  return { ...caller, domain: organization.domain }
}

/** Of the page, with what was chosen on it. */
function addressOf(req: Request, { environment }: Visitor): string {
  const language = textOf(req.query.ui_locales)
  const chosen = new URLSearchParams({ environment, ...(language !== '' && { ui_locales: language }) })
  return `${req.path}?${chosen.toString()}`
}
