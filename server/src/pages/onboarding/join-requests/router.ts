import type { Router } from 'express'
import type { Deps } from '../../../delivery/deps.js'
import { requestIdOf } from '../../../delivery/request-context.js'
import { ApiError } from '../../../platform/errors.js'
import {
  decideOnboardingRequest,
  listWaitingRequests,
  type WaitingRequests,
} from '../../../sso/onboarding/join-requests.js'
import { inChosenLanguage, redirect, type Exchange } from '../../frame/page-route.js'
import { formOf, sendPage, textOf, type Site } from '../../frame/site.js'
import type { JoinRequestNotice } from '../../texts/en/join-requests.js'
import { adminPageRouter, adminView, type Administrator } from '../admin-page/router.js'
import { joinRequestsPage } from './page.js'

/** An administrator at the page of an environment that the invitation reaches. */
interface JoinRequestsRequest extends Administrator {
  readonly environment: string
  readonly waiting: WaitingRequests
}

/** The page on which an administrator decides about those who ask to join the organization. */
export function joinRequestsRouter(deps: Deps, site: Site): Router {
  return adminPageRouter(deps, site, {
    path: '/onboarding/join-requests/:environment',
    find: async ({ req }, session) => {
      const environment = textOf(req.params['environment'])
      const waiting = await listWaitingRequests(deps, session, environment)
      return waiting && { environment, waiting }
    },
    missing: 'noSuchJoinRequests',
    show,
    act,
  })
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
  exchange: Exchange,
  { waiting, ...request }: JoinRequestsRequest,
  notice?: JoinRequestNotice,
): Promise<void> {
  const { site, res } = exchange
  const view = await adminView(exchange, request, request.environment)
  const page = joinRequestsPage({ ...view, waiting, notice })
  sendPage(site, res.status(notice === undefined ? 200 : 409), page, view.frame)
}
