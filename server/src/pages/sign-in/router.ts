import { pathId, type Environment } from '@portico/contract/fields'
import { maxCredentialBytes } from '@portico/contract/passkey-credentials'
import type { NextFunction, Request, Response, Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { findFlow, type Flow } from '../../sign-in/flows/flow.js'
import { finishFlow } from '../../sign-in/flows/finish.js'
import { markPasskeyCapable, moveToPasskeyOffer } from '../../sign-in/passkeys/offer-in-flow.js'
import { formReader, formTextReader } from '../../platform/http/body.js'
import { requestIdOf } from '../../delivery/request-context.js'
import {
  ignoredParameters,
  ignoredScopes,
  joinWarnings,
  queryOfUrl,
  warningHeader,
} from '../../platform/http/ignored-parameters.js'
import { findIdentityProvider } from '../../sso/social/settle.js'
import { unsupportedScopes } from '../../tokens/scopes.js'
import { findWayBack, type WayBack } from '../../sign-in/flows/way-back.js'
import { displayName } from '../../platform/display-name.js'
import { isAuthorizationParameter } from '../../protocols/oauth/authorization-request.js'
import { startAuthorization, type UnansweredRequest } from '../../protocols/oauth/authorize.js'
import { toIssuer } from '../../tokens/issuer.js'
import { toLoggedText } from '../../platform/observability/log.js'
import { findAccountByDomain } from '../../directory/organizations/find-account.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { findRemembered } from '../frame/account-cookie.js'
import { findEmailSecret } from '../frame/email-cookie.js'
import { findFlowSecret, flowSecretOf, secretOfOurForm, toFlowCookie } from '../frame/csrf.js'
import type { Frame } from '../frame/layout.js'
import { isNavigation } from '../frame/navigation.js'
import { isOnlyLooking } from '../frame/only-looking.js'
import { inChosenLanguage, pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { ownerOfAccount, type PageOwner } from '../frame/page-owner.js'
import { findSessionSecret, listSessionSecrets, toSessionCookie } from '../frame/session-cookie.js'
import { domainOf, frameOf, issuerAt, pathsOfIssuers, sendPage, textOf, type Site } from '../frame/site.js'
import { sendToApplication } from './application.js'
import { remember } from '../frame/remember.js'
import { stepPages } from '../steps/steps.js'
import type { StepAnswer, StepRequest } from '../frame/step-page.js'
import { signedInPage } from '../views/ready.js'
import { toStepRequest } from './step-request.js'

/** The maximum size of a form and of an authorization request, in bytes. */
const maxBody = 16 * 1024

/** The same of a form that an authenticator has filled in, whose quotes and brackets become longer in it. */
const maxStepBody = 2 * maxCredentialBytes

/** The authorization endpoint, and the pages of the flows that begin there. */
export function signInRouter(deps: Deps, site: Site): Router {
  const router = pageRouter(deps, site, [
    {
      path: pathsOfIssuers('/authorize'),
      visit: (exchange) => answerAuthorization(exchange, queryOfUrl(exchange.req.originalUrl), false),
      read: [formTextReader(maxBody)],
      post: (exchange) => answerAuthorization(exchange, bodyOf(exchange.req), true),
      isFromElsewhere: true,
      otherwise: (exchange, status) => sendInvalid(exchange, status),
    },
    {
      path: '/t/:org_domain/sign-in/:flow_id',
      get: showFlow,
      read: [formReader(maxStepBody)],
      post: takeForm,
      otherwise: (exchange, status) => sendFailure(exchange, status, 'flowOver'),
    },
  ])
  router.use(async (error: unknown, req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent || !(error instanceof ApiError)) {
      next(error)
      return
    }
    // Express does not set the parameters of the path for error handlers.
    const [, root = '', domain = ''] = req.path.split('/')
    req.params = root.toLowerCase() === 'a' ? { account_domain: domain } : { org_domain: domain }
    const isLimited = error.code === 'rate_limited'
    const retryAfterSeconds = error.limit?.retryAfterSeconds ?? error.retryAfterSeconds
    const exchange = { deps, site, req, res }
    if (isLimited) await sendFailure(exchange, 429, 'tooMany', retryAfterSeconds)
    else await sendFailure(exchange, 403, 'signInRefused')
  })
  return router
}

async function answerAuthorization(
  exchange: Exchange,
  parameters: URLSearchParams,
  isForm: boolean,
): Promise<void> {
  const { deps, site, req, res } = exchange
  const { isHttps } = site
  const secret = flowSecretOf(req.headers.cookie, isHttps)
  const issuer = issuerAt(req)
  const outcome = await startAuthorization(deps, {
    issuer,
    parameters,
    origin: req.headers.origin,
    isForm,
    isNavigation: isNavigation(req),
    browserSecret: secret,
    ip: req.ip ?? '',
    findSessionSecret: (owner) => findSessionSecret(req.headers.cookie, isHttps, owner),
    listSessionSecrets: () => listSessionSecrets(req.headers.cookie, isHttps),
    findRemembered: (account) => findRemembered(req.headers.cookie, isHttps, account),
    findEmailSecret: (account) => findEmailSecret(req.headers.cookie, isHttps, account),
    requestId: requestIdOf(req),
  })
  if ('environment' in outcome && outcome.environment === 'sandbox') warnOfIgnored(exchange, parameters)
  switch (outcome.to) {
    case 'nowhere':
      logUnanswered(exchange, outcome.refused, parameters)
      return sendInvalid(exchange, 400, whyUnanswered(outcome.refused))
    case 'application':
      if (outcome.remembered !== undefined) remember(exchange, outcome.remembered)
      return sendToApplication(exchange, outcome.answer, () => answerFrame(exchange, outcome.environment))
    case 'itself':
      return redirect(exchange, `${req.path}?${parameters.toString()}`)
    case 'flow':
      res.append('Set-Cookie', toFlowCookie(secret, isHttps))
      return redirect(exchange, outcome.path)
  }
}

/** Tells operators and developers which of the conditions of the page is not met. */
function logUnanswered(
  { deps, req }: Exchange,
  { reason, accountId, environment, clientId }: UnansweredRequest,
  parameters: URLSearchParams,
): void {
  deps.log.info(
    {
      request_id: requestIdOf(req),
      reason,
      issuer: toIssuer(deps.config.baseUrl, issuerAt(req)),
      account_id: accountId,
      environment,
      client_id: clientId,
      redirect_uri: toLoggedText(parameters.get('redirect_uri') ?? '', maxLoggedUri),
    },
    'an authorization request cannot be answered',
  )
}

/** For the developer of an application of the sandbox, whose client_id the visitor knows already; else only the log has it. */
function whyUnanswered({ reason, environment }: UnansweredRequest): string | undefined {
  return environment === 'sandbox' && reason === 'redirect_uri_mismatch' ? otherRedirectUri : undefined
}

/** Tells developers which parameters and scopes have no effect here: by a header of the answer, and a line of the log. */
function warnOfIgnored({ deps, req, res }: Exchange, parameters: URLSearchParams): void {
  const { kind } = issuerAt(req)
  const warning = joinWarnings([
    ignoredParameters(parameters, (name) => isAuthorizationParameter(kind, name)),
    ignoredScopes(unsupportedScopes(parameters.get('scope') ?? '')),
  ])
  if (warning === undefined) return
  res.set(warningHeader, warning)
  deps.log.info(
    { request_id: requestIdOf(req), warning },
    'an authorization request has parameters or scopes without effect',
  )
}

async function showFlow(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  const secret = findFlowSecret(req.headers.cookie, site.isHttps)
  const flow = secret === undefined ? undefined : await findFlow(deps, flowRequest(req, secret))
  if (flow === undefined || secret === undefined) {
    await sendDeadEnd(exchange, secret)
    return
  }
  // The flow is complete. Only the flow's own browser gets here, for example by a link that was opened in it.
  if (flow.step === 'ready' && !isOnlyLooking(req)) await finishOrOffer(exchange, flow, secret)
  else await showStep(exchange, await sceneOf(exchange, flow, secret))
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  const secret = secretOfOurForm(req, site, flowIdOf(req))
  if (secret === undefined) {
    await sendFailure(exchange, 403, 'otherBrowser')
    return
  }
  const flow = await findFlow(deps, flowRequest(req, secret))
  if (flow === undefined) await sendDeadEnd(exchange, secret)
  else await act(exchange, await sceneOf(exchange, flow, secret), secret)
}

/** Runs the action of a form, then redirects to the current step of the flow. */
async function act(exchange: Exchange, request: StepRequest, secret: string): Promise<void> {
  const { deps, req, res } = exchange
  const name = request.field('action')
  if (request.field('passkeys') === 'can' && !request.flow.isPasskeyCapable)
    await markPasskeyCapable(deps, request.flow)
  const { actions } = stepPages[request.flow.step]
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    res.status(409)
    await showStep(exchange, request)
    return
  }
  const outcome = await action(request)
  if (outcome === 'over') {
    await sendDeadEnd(exchange, secret)
    return
  }
  if (typeof outcome === 'object' && 'answer' in outcome) {
    const { environment, locale } = request.flow
    await sendToApplication(exchange, outcome.answer, () => answerFrame(exchange, environment, locale))
    return
  }
  if (outcome !== 'moved') {
    sendAnswer(exchange, request, outcome)
    return
  }
  const flow = await findFlow(deps, flowRequest(req, secret))
  if (flow?.step === 'ready') await finishOrOffer(exchange, flow, secret)
  else redirect(exchange, inChosenLanguage(exchange, req.path))
}

/** Ends a flow, by way of the page that offers a passkey where the organization wants that. */
async function finishOrOffer(exchange: Exchange, flow: Flow, secret: string): Promise<void> {
  const { deps, req } = exchange
  const isOffered = flow.isPasskeyCapable && (await moveToPasskeyOffer(deps, flow))
  if (isOffered) redirect(exchange, inChosenLanguage(exchange, req.path))
  else await finish(exchange, flow, secret)
}

async function finish(exchange: Exchange, flow: Flow, secret: string): Promise<void> {
  const { deps, site, req, res } = exchange
  const finished = await finishFlow(deps, {
    ...flowRequest(req, secret),
    sessionSecret: findSessionSecret(req.headers.cookie, site.isHttps, flow),
    userAgent: req.headers['user-agent']?.slice(0, 500) ?? null,
    requestId: requestIdOf(req),
    hasIdentityProvider: async (trx, owner, email) =>
      (await findIdentityProvider(deps, trx, owner, email)) !== undefined,
  })
  if (finished === undefined) {
    await sendFailure(exchange, 403, 'signInRefused')
    return
  }
  const { answer, session, use } = finished
  if (session !== undefined) {
    const maxAgeSeconds = Math.ceil((session.expiresAt.getTime() - deps.now().getTime()) / 1000)
    res.append('Set-Cookie', toSessionCookie(session.secret, site.isHttps, flow, maxAgeSeconds))
  }
  if (use !== undefined) remember(exchange, { account: flow, use })
  const frameOfPage = () => answerFrame(exchange, flow.environment, flow.locale)
  if (answer.mode === 'page') {
    const frame = await frameOfPage()
    sendPage(site, res, signedInPage({ frame, ...answer }), frame)
    return
  }
  await sendToApplication(exchange, answer, frameOfPage)
}

/** The frame of the page that posts an answer; it has no address, because the answer is given once. */
async function answerFrame(
  { deps, site, req }: Exchange,
  environment: Environment,
  uiLocales: string | null = null,
): Promise<Frame> {
  const organization = await findOwnerAt({ deps, site, req })
  return frameOf(site, req, { organization, isSandbox: environment === 'sandbox', url: undefined, uiLocales })
}

async function showStep(exchange: Exchange, request: StepRequest): Promise<void> {
  const { flow, frame } = request
  const page = await stepPages[flow.step].show(request)
  if (page === undefined) sendSentence(exchange, 404, frame, 'flowOver')
  else sendPage(exchange.site, exchange.res, page, { ...frame, redirectUri: flow.endUri })
}

function sendAnswer(
  { site, res }: Exchange,
  { flow, frame }: StepRequest,
  { status, page, retryAfterSeconds }: StepAnswer,
): void {
  if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
  sendPage(site, res.status(status), page, { ...frame, redirectUri: flow.endUri })
}

/** The page for a flow that this browser does not have. */
async function sendDeadEnd(exchange: Exchange, secret: string | undefined): Promise<void> {
  if (secret === undefined) await sendFailure(exchange, 403, 'otherBrowser')
  else await sendFailure(exchange, 404, 'flowOver')
}

async function sendFailure(
  exchange: Exchange,
  status: number,
  name: 'otherBrowser' | 'flowOver' | 'signInRefused' | 'tooMany',
  retryAfterSeconds?: number,
): Promise<void> {
  const [frame, back] = await Promise.all([plainFrame(exchange), wayBackFrom(exchange)])
  const shown = back && {
    label: frame.texts.backTo(displayName(back.applicationName)),
    url: back.url,
  }
  sendSentence(exchange, status, frame, name, { back: shown, retryAfterSeconds })
}

/** Where the application of a flow begins another sign-in. */
async function wayBackFrom({ deps, site, req }: Exchange): Promise<WayBack | undefined> {
  const browserSecret = findFlowSecret(req.headers.cookie, site.isHttps)
  const { data: flowId } = FlowId.safeParse(req.params['flow_id'])
  if (browserSecret === undefined || flowId === undefined) return undefined
  return findWayBack(deps, { organizationDomain: domainOf(req), flowId, browserSecret })
}

/** @param detail What is wrong, for the developer of an application of the sandbox. */
async function sendInvalid(exchange: Exchange, status: number, detail?: string): Promise<void> {
  const frame = await plainFrame(exchange)
  sendSentence(exchange, status, frame, 'invalidRequest', { detail })
}

async function plainFrame({ deps, site, req }: Exchange): Promise<Frame> {
  const { kind, domain } = issuerAt(req)
  // The same page at every account, and where there is none.
  const organization = kind === 'account' ? undefined : await findOrganizationByDomain(deps, domain)
  // No address: a link cannot repeat a POST.
  const uiLocales = textOf(req.query.ui_locales)
  return frameOf(site, req, { organization, isSandbox: false, url: undefined, uiLocales })
}

/** The organization or the account that the address names, as the owner of the page. */
async function findOwnerAt({ deps, site, req }: Omit<Exchange, 'res'>): Promise<PageOwner | undefined> {
  const { kind, domain } = issuerAt(req)
  if (kind === 'organization') return findOrganizationByDomain(deps, domain)
  const account = await findAccountByDomain(deps, domain)
  return account && ownerOfAccount(site.productName, account.look)
}

async function sceneOf({ deps, site, req }: Exchange, flow: Flow, secret: string): Promise<StepRequest> {
  const organization = await findOrganizationByDomain(deps, flow.domain)
  return toStepRequest({ deps, site, req, flow, organization, secret, requestId: requestIdOf(req) })
}

const maxLoggedUri = 300

const otherRedirectUri =
  'redirect_uri must be one of the allowed_redirect_urls of this application, to the letter: scheme, port, path, query and final slash are compared.'

function bodyOf(req: Request): URLSearchParams {
  const body: unknown = req.body
  return new URLSearchParams(typeof body === 'string' ? body : '')
}

const FlowId = pathId()

function flowIdOf(req: Request): string {
  return FlowId.parse(req.params['flow_id'])
}

function flowRequest(req: Request, browserSecret: string) {
  return { organizationDomain: domainOf(req), flowId: flowIdOf(req), browserSecret }
}
