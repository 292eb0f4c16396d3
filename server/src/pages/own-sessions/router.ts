import { pathId } from '@portico/contract/fields'
import type { Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { formReader } from '../../platform/http/body.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import { endOtherSessions, endOwnSession, listOwnSessions } from '../../directory/sessions/own-sessions.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import type { Tenant } from '../../platform/tenant.js'
import { secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import { messageUrl } from '../frame/message.js'
import { keepFlowSecret, pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { clearSessionCookie } from '../frame/session-cookie.js'
import { sessionsPage } from '../views/sessions.js'
import { signedOutPage } from '../views/sign-out.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { addressOfVisitor, findVisitor, frameOfVisitor, tenantOfVisitor } from '../frame/visitor.js'

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
  const sessions = await listOwnSessions(deps, tenantOfVisitor(requestIdOf(req), visitor), session.userId)
  const page = sessionsPage({
    frame: frameOfVisitor(exchange, visitor),
    form: { action: addressOfVisitor(exchange, visitor), csrf: toCsrfField(secret, session.sessionId) },
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
    const frame = frameOfVisitor(exchange, visitor)
    sendSentence(exchange, 403, frame, 'otherBrowser')
    return
  }
  const act = actions.get(textOf(action))
  const named = { userId: session.userId, sessionId: SessionId.parse(textOf(sentId)) }
  await act?.(deps, tenantOfVisitor(requestIdOf(req), visitor), named, session)
  const hasLeft = (await findVisitor(exchange, visitor.organization)) === undefined
  if (!hasLeft) {
    redirect(exchange, addressOfVisitor(exchange, visitor))
    return
  }
  const owner = { organizationId: visitor.organization.organizationId, environment: visitor.environment }
  res.append('Set-Cookie', clearSessionCookie(site.isHttps, owner))
  const frame = frameOfVisitor(exchange, visitor)
  sendPage(site, res, signedOutPage({ frame: { ...frame, url: messageUrl(frame, 'signed-out') } }), frame)
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
