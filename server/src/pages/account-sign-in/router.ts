import { pathId } from '@portico/contract/fields'
import { maxCredentialBytes } from '@portico/contract/passkey-credentials'
import type { NextFunction, Request, Response, Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { ApiError } from '../../platform/errors.js'
import { formReader } from '../../platform/http/body.js'
import { enterOnly } from '../../protocols/oauth/account-authorization.js'
import { findAccountFlow, type AccountFlow } from '../../sign-in/account-flows/account-flow.js'
import { accountFlowPath } from '../../sign-in/account-flows/account-flow-url.js'
import { endEmailSession } from '../../sign-in/account-flows/email-session.js'
import {
  openEmailLink,
  findOpenEmailLink,
  type ProvedMailbox,
} from '../../sign-in/account-flows/open-email-link.js'
import { clearEmailCookie, findEmailSecret, toEmailCookie } from '../frame/email-cookie.js'
import { findFlowSecret, secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import {
  inChosenLanguage,
  keepFlowSecret,
  pageRouter,
  redirect,
  sendPlainSentence,
  sendSentence,
  type Exchange,
} from '../frame/page-route.js'
import { ownerOfAccount } from '../frame/page-owner.js'
import { remember } from '../frame/remember.js'
import { formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { sendToApplication } from '../sign-in/application.js'
import { linkCodePage } from '../views/link-code.js'
import { magicLinkPage } from '../views/magic-link.js'
import { accountOf, toAccountRequest, type AccountOutcome, type AccountRequest } from './account-request.js'
import { showContinue, showDiscoveryLink, takeContinue, takeDiscoveryLink } from './discovery-pages.js'
import { accountPages } from './steps.js'

const maxBody = 16 * 1024

/** The same of a form that an authenticator has filled in, whose quotes and brackets become longer in it. */
const maxStepBody = 2 * maxCredentialBytes

/**
 * The pages of a sign-in that finds its organization by its user, of the links that prove mailboxes, and of what the pages of an
 * application leave to us.
 */
export function accountSignInRouter(deps: Deps, site: Site): Router {
  const router = pageRouter(deps, site, [
    {
      path: '/a/:account_domain/sign-in/:flow_id',
      get: showFlow,
      read: [formReader(maxStepBody)],
      post: takeForm,
      otherwise: (exchange, status) => sendPlainSentence(exchange, status, 'flowOver'),
    },
    {
      path: '/a/:account_domain/email-link',
      get: showLink,
      read: [formReader(maxBody)],
      post: takeLink,
      otherwise: (exchange, status) => sendPlainSentence(exchange, status, 'deadLink'),
    },
    {
      path: '/a/:account_domain/discovery-link',
      get: showDiscoveryLink,
      read: [formReader(maxBody)],
      post: (exchange) => takeDiscoveryLink(exchange, requestIdOf(exchange.req)),
      otherwise: (exchange, status) => sendPlainSentence(exchange, status, 'deadLink'),
    },
    {
      path: '/a/:account_domain/continue',
      get: showContinue,
      read: [formReader(maxBody)],
      post: (exchange) => takeContinue(exchange, requestIdOf(exchange.req)),
      otherwise: (exchange, status) => sendPlainSentence(exchange, status, 'deadLink'),
    },
  ])
  router.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent || !(error instanceof ApiError)) {
      next(error)
      return
    }
    const isLimited = error.code === 'rate_limited'
    const retryAfterSeconds = error.limit?.retryAfterSeconds ?? error.retryAfterSeconds
    const arrival = { site, req, res }
    if (isLimited) sendPlainSentence(arrival, 429, 'tooMany', { retryAfterSeconds })
    else sendPlainSentence(arrival, 403, 'signInRefused')
  })
  return router
}

async function showFlow(exchange: Exchange): Promise<void> {
  const secret = findFlowSecret(exchange.req.headers.cookie, exchange.site.isHttps)
  const flow = secret === undefined ? undefined : await findFlow(exchange, secret)
  if (flow === undefined || secret === undefined) {
    sendDeadEnd(exchange, secret)
    return
  }
  await showStep(exchange, requestOf(exchange, flow, secret))
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { site, req, res } = exchange
  const secret = secretOfOurForm(req, site, flowIdOf(req))
  if (secret === undefined) {
    sendPlainSentence(exchange, 403, 'otherBrowser')
    return
  }
  const flow = await findFlow(exchange, secret)
  if (flow === undefined) {
    sendDeadEnd(exchange, secret)
    return
  }
  const request = requestOf(exchange, flow, secret)
  const name = request.field('action')
  const { actions } = accountPages[flow.step]
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    res.status(409)
    await showStep(exchange, request)
    return
  }
  await follow(exchange, request, await action(request))
}

/** Answers a form with its outcome. */
async function follow(exchange: Exchange, request: AccountRequest, outcome: AccountOutcome): Promise<void> {
  const { site, req, res } = exchange
  const { flow, frame } = request
  if (outcome === 'over') return sendDeadEnd(exchange, request.browser.browserSecret)
  if (outcome === 'signed_out') res.append('Set-Cookie', clearEmailCookie(site.isHttps, flow))
  if (outcome === 'moved' || outcome === 'signed_out') {
    redirect(exchange, inChosenLanguage(exchange, req.path))
  } else if ('secret' in outcome) await continueProved(exchange, outcome, request.browser.browserSecret)
  else if ('page' in outcome) {
    const { status, page, logoUrls, retryAfterSeconds } = outcome
    if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
    sendPage(site, res.status(status), page, { ...frame, logoUrls, redirectUri: flow.redirectUri })
  } else if ('path' in outcome) redirect(exchange, inChosenLanguage(exchange, outcome.path))
  else {
    if (outcome.remembered !== undefined) remember(exchange, outcome.remembered)
    await sendToApplication(exchange, outcome.answer, () => Promise.resolve({ ...frame, url: undefined }))
  }
}

/** Keeps the proof of a mailbox in the browser, in the place of an earlier one, and goes on to the list. */
async function continueProved(
  exchange: Exchange,
  proved: ProvedMailbox,
  browserSecret: string,
): Promise<void> {
  const { deps, site, req, res } = exchange
  const earlier = findEmailSecret(req.headers.cookie, site.isHttps, proved)
  if (earlier !== undefined) await endEmailSession(deps, proved, earlier)
  res.append('Set-Cookie', toEmailCookie(proved.secret, site.isHttps, proved))
  const accountDomain = accountOf(req)
  const path = accountFlowPath(accountDomain, proved.flowId)
  const flow = await findAccountFlow(deps, { accountDomain, flowId: proved.flowId, browserSecret })
  if (flow === undefined) {
    redirect(exchange, path)
    return
  }
  const request = requestOf(exchange, flow, browserSecret)
  const entrance = await enterOnly(deps, flow, request.browser)
  if (entrance === undefined || typeof entrance === 'string')
    redirect(exchange, inChosenLanguage(exchange, path))
  else await follow(exchange, request, entrance)
}

async function showLink(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const token = textOf(req.query.token)
  const accountDomain = accountOf(req)
  const browserSecret = findFlowSecret(req.headers.cookie, site.isHttps)
  const link = await findOpenEmailLink(deps, { accountDomain, token, browserSecret })
  res.vary('Accept-Language')
  const frame = frameOf(site, req, {
    organization: link && ownerOfAccount(site.productName, link.look),
    isSandbox: link?.environment === 'sandbox',
    url: `${req.path}?token=${encodeURIComponent(token)}`,
  })
  if (link === undefined) {
    sendSentence(exchange, 404, frame, 'deadLink')
    return
  }
  const page = magicLinkPage({
    frame,
    purpose: 'sign_in',
    email: link.email,
    isOtherBrowser: link.isOtherBrowser,
    organizationName: link.applicationName,
    action: `${req.path}?ui_locales=${frame.texts.lang}`,
    token,
    csrf: toCsrfField(keepFlowSecret(exchange), token),
  })
  sendPage(site, res, page, { ...frame, redirectUri: link.redirectUri })
}

async function takeLink(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const token = textOf(formOf(req).token)
  const browserSecret = secretOfOurForm(req, site, token)
  if (browserSecret === undefined) {
    sendPlainSentence(exchange, 403, 'otherBrowser')
    return
  }
  const link = { accountDomain: accountOf(req), token, browserSecret }
  const outcome = await openEmailLink(deps, link, requestIdOf(req))
  if (outcome === undefined) sendPlainSentence(exchange, 404, 'deadLink')
  else if ('secret' in outcome) await continueProved(exchange, outcome, browserSecret)
  else {
    const { code, applicationName, environment, look } = outcome
    const organization = ownerOfAccount(site.productName, look)
    const isSandbox = environment === 'sandbox'
    const frame = frameOf(site, req, { organization, isSandbox, url: undefined })
    sendPage(site, res, linkCodePage({ frame, code, applicationName }), frame)
  }
}

async function showStep({ site, res }: Exchange, request: AccountRequest): Promise<void> {
  const { flow, frame } = request
  const { page, logoUrls } = await accountPages[flow.step].show(request)
  sendPage(site, res, page, { ...frame, logoUrls, redirectUri: flow.redirectUri })
}

function requestOf(exchange: Exchange, flow: AccountFlow, browserSecret: string): AccountRequest {
  return toAccountRequest(exchange, flow, { browserSecret, requestId: requestIdOf(exchange.req) })
}

/** The page for a flow that this browser does not have. */
function sendDeadEnd(exchange: Exchange, secret: string | undefined): void {
  if (secret === undefined) sendPlainSentence(exchange, 403, 'otherBrowser')
  else sendPlainSentence(exchange, 404, 'flowOver')
}

function findFlow({ deps, req }: Exchange, browserSecret: string): Promise<AccountFlow | undefined> {
  return findAccountFlow(deps, { accountDomain: accountOf(req), flowId: flowIdOf(req), browserSecret })
}

const FlowId = pathId()

function flowIdOf({ params }: Request): string {
  return FlowId.parse(params['flow_id'])
}
