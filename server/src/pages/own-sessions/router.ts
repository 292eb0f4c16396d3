import { environments, pathId, type Environment } from '@portico/contract/fields'
import type { Request, Router } from 'express'
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
import { secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import { messageUrl } from '../frame/message.js'
import { keepFlowSecret, pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { clearSessionCookie, findSessionSecret } from '../frame/session-cookie.js'
import { sessionsPage } from '../views/sessions.js'
import { signedOutPage } from '../views/sign-out.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'

/** The user who is signed in in this browser. */
interface Visitor {
  readonly organization: PublicOrganization
  readonly environment: Environment
  readonly session: BrowserSession
}

/** The page on which users see and end their sessions. */
export function sessionsRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: '/t/:org_domain/sessions',
      get: showSessions,
      read: [formReader(16 * 1024)],
      post: takeForm,
      otherwise: async (exchange, status) => {
        const organization = await findOrganizationByDomain(deps, domainOf(exchange.req))
        sendNotSignedIn(exchange, status, organization)
      },
    },
  ])
}

async function showSessions(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const organization = await findOrganizationByDomain(deps, domainOf(req))
  const visitor = await findVisitor(exchange, organization)
  if (visitor === undefined) {
    sendNotSignedIn(exchange, 401, organization)
    return
  }
  const secret = keepFlowSecret(exchange)
  const { session } = visitor
  const sessions = await listOwnSessions(deps, tenantOf(req, visitor), session.userId)
  const page = sessionsPage({
    frame: frameFor(exchange, visitor),
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
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const organization = await findOrganizationByDomain(deps, domainOf(req))
  const visitor = await findVisitor(exchange, organization)
  if (visitor === undefined) {
    sendNotSignedIn(exchange, 401, organization)
    return
  }
  const { session } = visitor
  const { action, session_id: sentId } = formOf(req)
  if (secretOfOurForm(req, site, session.sessionId) === undefined) {
    const frame = frameFor(exchange, visitor)
    sendSentence(exchange, 403, frame, 'otherBrowser')
    return
  }
  const act = actions.get(textOf(action))
  const named = { userId: session.userId, sessionId: SessionId.parse(textOf(sentId)) }
  await act?.(deps, tenantOf(req, visitor), named, session)
  const hasLeft = (await findVisitor(exchange, visitor.organization)) === undefined
  if (!hasLeft) {
    redirect(exchange, addressOf(req, visitor))
    return
  }
  const owner = { organizationId: visitor.organization.organizationId, environment: visitor.environment }
  res.append('Set-Cookie', clearSessionCookie(site.isHttps, owner))
  const frame = frameFor(exchange, visitor)
  sendPage(site, res, signedOutPage({ frame: { ...frame, url: messageUrl(frame, 'signed-out') } }), frame)
}

/** Prefers production when a browser is signed in to both environments and the address names neither. */
async function findVisitor(
  { deps, site, req }: Exchange,
  organization: PublicOrganization | undefined,
): Promise<Visitor | undefined> {
  if (organization === undefined) return undefined
  const { accountId, organizationId } = organization
  const named = environments.filter((environment) => environment === req.query.environment)
  for (const environment of named.length > 0 ? named : environments.toReversed()) {
    const secret = findSessionSecret(req.headers.cookie, site.isHttps, { organizationId, environment })
    if (secret === undefined) continue
    const session = await findBrowserSession(deps, { accountId, environment, organizationId, secret })
    if (session !== undefined) return { organization, environment, session }
  }
  return undefined
}

function frameFor({ site, req }: Exchange, { organization, environment }: Visitor) {
  return frameOf(site, req, {
    organization,
    isSandbox: environment === 'sandbox',
    url: `${req.path}?environment=${environment}`,
  })
}

function sendNotSignedIn(
  exchange: Exchange,
  status: number,
  organization: PublicOrganization | undefined,
): void {
  const { site, req } = exchange
  const frame = frameOf(site, req, { organization, isSandbox: false, url: req.path })
  sendSentence(exchange, status, frame, 'notSignedIn')
}

/** The actions of the forms, by the value of their button. */
const actions = new Map<string, typeof end>([
  ['end', end],
  ['end_others', (deps, tenant, _named, current) => endOtherSessions(deps, tenant, current)],
  ['sign_out', (deps, tenant, _named, current) => endOwnSession(deps, tenant, current)],
])

/** Ends a session of this user; the id of any other session is not found. */
function end(deps: Deps, tenant: Tenant, named: SessionOfUser, _current: SessionOfUser): Promise<void> {
  return endOwnSession(deps, tenant, named)
}

const SessionId = pathId()

function tenantOf(req: Request, { organization, environment, session }: Visitor) {
  const caller = callerAtPage({ ...organization, environment }, requestIdOf(req), session.userId)
  return { ...caller, domain: organization.domain }
}

/** The address of the page, with the chosen environment and language. */
function addressOf(req: Request, { environment }: Visitor): string {
  const language = textOf(req.query.ui_locales)
  const chosen = new URLSearchParams({ environment, ...(language !== '' && { ui_locales: language }) })
  return `${req.path}?${chosen.toString()}`
}
