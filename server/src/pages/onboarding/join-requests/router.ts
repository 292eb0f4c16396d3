import type { Router } from 'express'
import type { Deps } from '../../../delivery/deps.js'
import { requestIdOf } from '../../../delivery/request-context.js'
import { findOrganizationByDomain } from '../../../directory/organizations/find-organization.js'
import { ApiError } from '../../../platform/errors.js'
import { formReader } from '../../../platform/http/body.js'
import {
  decideOnboardingRequest,
  listWaitingRequests,
  type WaitingRequests,
} from '../../../sso/onboarding/join-requests.js'
import { toCsrfField } from '../../frame/csrf.js'
import {
  inChosenLanguage,
  pageRouter,
  redirect,
  sendPlainSentence,
  type Exchange,
} from '../../frame/page-route.js'
import { formOf, frameOf, sendPage, textOf, type Site } from '../../frame/site.js'
import type { JoinRequestNotice } from '../../texts/en/join-requests.js'
import { findAdministrator, takeAdminForm, type Administrator } from '../administrator.js'
import { joinRequestsPage } from './page.js'

/** An administrator at the page of an environment that the invitation reaches. */
interface JoinRequestsRequest extends Administrator {
  readonly environment: string
  readonly waiting: WaitingRequests
}

/** The page on which an administrator decides about those who ask to join the organization. */
export function joinRequestsRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: '/onboarding/join-requests/:environment',
      get: async (exchange) => {
        const request = await findRequest(exchange)
        if (request !== undefined) await show(exchange, request, undefined)
      },
      read: [formReader(16 * 1024)],
      post: async (exchange) => {
        const request = await findRequest(exchange)
        if (request === undefined) return
        const sent = { ...request, requestId: requestIdOf(exchange.req) }
        await takeAdminForm(exchange, sent, (action) => act(exchange, request, action))
      },
      otherwise: (exchange, status) => sendPlainSentence(exchange, status, 'notInvited'),
    },
  ])
}

async function findRequest(exchange: Exchange): Promise<JoinRequestsRequest | undefined> {
  const admin = await findAdministrator(exchange)
  if (admin === undefined) return undefined
  const environment = textOf(exchange.req.params['environment'])
  const waiting = await listWaitingRequests(exchange.deps, admin.session, environment)
  if (waiting !== undefined) return { ...admin, environment, waiting }
  sendPlainSentence(exchange, 404, 'noSuchJoinRequests')
  return undefined
}

/** Decides, and leads back to the page; where nothing was decided, the page says why. */
async function act(exchange: Exchange, request: JoinRequestsRequest, action: string): Promise<void> {
  const { deps, req } = exchange
  const { session, environment } = request
  if (action === 'approve' || action === 'deny') {
    const joinRequestId = textOf(formOf(req)['join_request_id'])
    const decision = { environment, joinRequestId, verdict: action, requestId: requestIdOf(req) } as const
    try {
      await decideOnboardingRequest(deps, session, decision)
    } catch (error) {
      const notice = noticeOf(error)
      const waiting = await listWaitingRequests(deps, session, environment)
      if (notice === undefined || waiting === undefined) throw error
      await show(exchange, { ...request, waiting }, notice)
      return
    }
  }
  redirect(exchange, inChosenLanguage(exchange, req.path))
}

/** Why a request was not decided; undefined where the error is another one. */
function noticeOf(error: unknown): JoinRequestNotice | undefined {
  if (!(error instanceof ApiError)) return undefined
  return Object.hasOwn(notices, error.code) ? notices[error.code] : undefined
}

const notices: Readonly<Record<string, JoinRequestNotice>> = {
  // Another administrator was first, or the address has a user by now.
  join_request_decided: 'decided',
  join_request_not_found: 'decided',
  join_not_allowed: 'notAllowed',
  email_domain_not_allowed: 'notAllowed',
  sso_required: 'ssoRequired',
  seats_exhausted: 'noSeat',
}

async function show(
  { deps, site, req, res }: Exchange,
  { session, secret, environment, waiting }: JoinRequestsRequest,
  notice: JoinRequestNotice | undefined,
): Promise<void> {
  const organization = await findOrganizationByDomain(deps, session.domain)
  const frame = frameOf(site, req, { organization, isSandbox: environment === 'sandbox', url: req.path })
  const page = joinRequestsPage({
    frame,
    form: {
      action: `${req.path}?ui_locales=${frame.texts.lang}`,
      csrf: toCsrfField(secret, session.sessionId),
    },
    email: session.email,
    waiting,
    notice,
    now: deps.now(),
  })
  sendPage(site, res.status(notice === undefined ? 200 : 409), page, frame)
}
