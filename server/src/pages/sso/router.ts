import type { ErrorExtras } from '../frame/error.js'
import { pathId } from '@portico/contract/fields'
import { ConnectionPath } from '@portico/contract/sso-connections'
import type { NextFunction, Request, Response, Router } from 'express'
import { BodyFault } from '../../platform/http/body-fault.js'
import type { Deps } from '../../delivery/deps.js'
import { findFlow } from '../../sign-in/flows/flow.js'
import { formReader } from '../../platform/http/body.js'
import { requestIdOf } from '../../delivery/request-context.js'
import type { SentAnswer } from '../../sso/oidc/validate-answer.js'
import { receiveAnswer } from '../../sso/oidc/receive-answer.js'
import { startOidcRequest } from '../../sso/oidc/start-request.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { unreadForm } from '../../sso/saml/response-document.js'
import { toServiceProviderMetadata } from '../../sso/saml/service-provider-metadata.js'
import { receiveResponse } from '../../sso/sign-in/arrive.js'
import { openChallenge } from '../../sso/sign-in/challenge.js'
import { continueSignIn } from '../../sso/sign-in/continue.js'
import {
  findLiveConnection,
  findLiveConnectionOf,
  findServiceProvider,
} from '../../sso/sign-in/live-connection.js'
import type { PageOf, SsoOutcome } from '../../sso/sign-in/outcome.js'
import { startRequest } from '../../sso/sign-in/start-request.js'
import { findFlowSecret, flowSecretOf, toFlowCookie } from '../frame/csrf.js'
import { otherAddressPage } from '../views/invitation.js'
import { requestFormPage, returnPage } from '../views/identity-provider.js'
import type { Frame } from '../frame/layout.js'
import { findAdminSecret } from '../frame/admin-cookie.js'
import { isNavigation } from '../frame/navigation.js'
import { pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { waitOf } from '../steps/limit.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'

/** Base64 of the 256 kB that a response may have, with the overhead of a form. */
const maxResponse = 400 * 1024

/** In seconds. The metadata of a connection change rarely, and identity providers poll them. */
const metadataSeconds = 300

/** The addresses of SSO: metadata, responses and authorization answers, redirects to the provider and back. */
export function ssoRouter(deps: Deps, site: Site): Router {
  const otherwise = (exchange: Exchange, status: number) => sendFailure(exchange, status, 'unknownConnection')
  const router = pageRouter(deps, site, [
    { path: '/saml/:idp_id/metadata', get: sendMetadata, otherwise },
    { path: '/saml/:idp_id/acs', read: [readResponse], post: takeResponse, isFromElsewhere: true, otherwise },
    { path: '/saml/:idp_id/continue', visit: continueAfterResponse, otherwise },
    { path: '/saml/:idp_id/refused', get: showRefusal, otherwise },
    { path: '/oidc/:idp_id/callback', visit: takeAnswer, otherwise },
    { path: '/t/:org_domain/sso/:token', visit: followLink, otherwise },
    { path: '/t/:org_domain/sign-in/:flow_id/identity-provider', visit: goToProvider, otherwise },
  ])
  router.use(async (error: unknown, req: Request, res: Response, next: NextFunction) => {
    const wait = res.headersSent ? undefined : waitOf(error)
    if (wait === undefined) {
      next(error)
      return
    }
    const isAnswer = req.path.endsWith('/acs') || req.path.endsWith('/callback')
    await sendFailure({ deps, site, req, res }, 429, isAnswer ? 'ssoTooMany' : 'tooMany', wait)
  })
  return router
}

async function sendMetadata(exchange: Exchange): Promise<void> {
  const { deps, req, res } = exchange
  const live = await findLiveConnection(deps.db, idpIdOf(req))
  if (live === undefined) {
    await sendFailure(exchange, 404, 'unknownConnection')
    return
  }
  const metadata = toServiceProviderMetadata(await findServiceProvider(deps, live))
  res.set('Cache-Control', `public, max-age=${metadataSeconds}`).set('X-Content-Type-Options', 'nosniff')
  res.type('application/samlmetadata+xml').send(metadata)
}

async function takeResponse(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const idpId = idpIdOf(req)
  if (!isNavigation(req)) {
    await sendFailure(exchange, 403, 'ssoRefused')
    return
  }
  const outcome = await receiveResponse(deps, {
    idpId,
    samlResponse: req.body === unreadForm ? unreadForm : formOf(req)['SAMLResponse'],
    ip: req.ip ?? '',
    requestId: requestIdOf(req),
  })
  if (outcome.to === 'nowhere') await sendFailure(exchange, 404, 'unknownConnection')
  else if (outcome.to === 'refused' && req.body === unreadForm)
    await sendFailure(exchange, 413, 'ssoTooLarge', outcome)
  else if (outcome.to === 'refused') await sendFailure(exchange, 403, 'ssoRefused', outcome)
  else if (outcome.to === 'other_address') await sendOtherAddress(exchange, outcome)
  else {
    const url =
      outcome.to === 'test'
        ? testUrl(exchange, outcome.attemptId)
        : `${site.baseUrl}/saml/${idpId}/continue?h=${outcome.handle}`
    const frame = await frameAt(exchange, outcome)
    sendPage(site, res, returnPage({ frame, url }), frame)
  }
}

async function continueAfterResponse(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  const browserSecret = flowSecretOf(req.headers.cookie, site.isHttps)
  const outcome = await continueSignIn(deps, {
    idpId: idpIdOf(req),
    handle: textOf(req.query['h']),
    browserSecret,
    adminSecret: findAdminSecret(req.headers.cookie, site.isHttps),
    requestId: requestIdOf(req),
  })
  if ('flowId' in outcome) exchange.res.append('Set-Cookie', toFlowCookie(browserSecret, site.isHttps))
  await sendOutcome(exchange, outcome)
}

async function showRefusal(exchange: Exchange): Promise<void> {
  const live = await findLiveConnection(exchange.deps.db, idpIdOf(exchange.req))
  if (live === undefined) await sendFailure(exchange, 404, 'unknownConnection')
  else await sendFailure(exchange, 403, 'ssoRefused', live)
}

async function takeAnswer(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  const outcome = await receiveAnswer(deps, {
    idpId: idpIdOf(req),
    answer: toSentAnswer(req.query),
    browserSecret: findFlowSecret(req.headers.cookie, site.isHttps),
    adminSecret: findAdminSecret(req.headers.cookie, site.isHttps),
    ip: req.ip ?? '',
    requestId: requestIdOf(req),
  })
  await sendOutcome(exchange, outcome)
}

/** Answers a browser that returns from an identity provider. */
async function sendOutcome(exchange: Exchange, outcome: SsoOutcome): Promise<void> {
  switch (outcome.to) {
    case 'nowhere':
      return sendFailure(exchange, 404, 'unknownConnection')
    case 'over':
      return sendFailure(exchange, 404, 'ssoRefused', outcome)
    case 'refused':
      return sendFailure(exchange, 403, 'ssoRefused', outcome, outcome.flowId)
    case 'other_address':
      return sendOtherAddress(exchange, outcome)
    case 'test':
      return redirect(exchange, testUrl(exchange, outcome.attemptId))
    case 'flow':
      return redirect(exchange, `/t/${outcome.domain}/sign-in/${outcome.flowId}`)
    case 'identity_provider':
      return redirect(exchange, `/t/${outcome.domain}/sign-in/${outcome.flowId}/identity-provider`)
  }
}

/** The address that the identity provider has named, beside the one that was invited: the invitation stays as it is. */
async function sendOtherAddress(
  exchange: Exchange,
  outcome: Extract<SsoOutcome, { to: 'other_address' }>,
): Promise<void> {
  const { site, res } = exchange
  const frame = await frameAt(exchange, outcome)
  const page = otherAddressPage({ frame, ...outcome, reference: referenceOf(exchange.req) })
  sendPage(site, res.status(403), page, frame)
}

async function followLink(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  const organizationDomain = domainOf(req)
  const browserSecret = flowSecretOf(req.headers.cookie, site.isHttps)
  const flowId = await openChallenge(deps, {
    organizationDomain,
    token: textOf(req.params['token']),
    browserSecret,
    requestId: requestIdOf(req),
  })
  if (flowId === undefined) await sendFailure(exchange, 404, 'deadSsoLink', { domain: organizationDomain })
  else {
    exchange.res.append('Set-Cookie', toFlowCookie(browserSecret, site.isHttps))
    redirect(exchange, `/t/${organizationDomain}/sign-in/${flowId}/identity-provider`)
  }
}

async function goToProvider(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const organizationDomain = domainOf(req)
  const flowId = FlowId.parse(req.params['flow_id'])
  const browserSecret = findFlowSecret(req.headers.cookie, site.isHttps)
  const flow = browserSecret && (await findFlow(deps, { organizationDomain, flowId, browserSecret }))
  // The page of the flow shows its current step, or that the flow belongs to another browser.
  if (!flow || flow.step !== 'identity_provider' || flow.connectionId === null) {
    redirect(exchange, `/t/${organizationDomain}/sign-in/${flowId}`)
    return
  }
  const key = { ...flow, connectionId: flow.connectionId }
  const purpose = {
    flowId,
    isForced: flow.isSignInForced,
    requestId: requestIdOf(req),
    ip: req.ip ?? '',
  }
  const live = await findLiveConnectionOf(deps.db, key)
  if (live?.protocol === 'oidc') {
    const url = await startOidcRequest(deps, key, { ...purpose, email: flow.email })
    if (url === undefined) await sendFailure(exchange, 403, 'ssoUnavailable', flow, flowId)
    else redirect(exchange, url)
    return
  }
  const request = await startRequest(deps, key, purpose)
  if (request === undefined) await sendFailure(exchange, 403, 'ssoUnavailable', flow, flowId)
  else if (request.binding === 'redirect') redirect(exchange, request.url)
  else {
    const frame = await frameAt(exchange, flow)
    sendPage(site, res, requestFormPage({ frame, ...request }), { ...frame, redirectUri: request.action })
  }
}

/** The page of a test by an administrator, which shows its login attempt. */
function testUrl({ site, req }: Exchange, attemptId: string): string {
  return `${site.baseUrl}/onboarding/${idpIdOf(req)}/test/${attemptId}`
}

/** Answers with one sentence that omits the reason, and the reference by which the organization finds it. */
async function sendFailure(
  exchange: Exchange,
  status: number,
  name: SsoSentence,
  of?: Partial<PageOf> & Pick<ErrorExtras, 'retryAfterSeconds'>,
  flowId?: string,
): Promise<void> {
  const { req } = exchange
  const frame = { ...(await frameAt(exchange, of)), url: addressInAnotherLanguage(req, name) }
  // Another try, or another sign-in method, in the browser that the flow belongs to.
  const back =
    of?.domain === undefined || flowId === undefined
      ? undefined
      : { label: frame.texts.backToSignIn, url: `/t/${of.domain}/sign-in/${flowId}` }
  sendSentence(exchange, status, frame, name, {
    ...{ reference: referenceOf(req), back, retryAfterSeconds: of?.retryAfterSeconds },
  })
}

async function frameAt(
  { deps, site, req }: Exchange,
  { domain, environment }: Partial<PageOf> = {},
): Promise<Frame> {
  const organization = domain === undefined ? undefined : await findOrganizationByDomain(deps, domain)
  // No address: a link cannot repeat a POST.
  return frameOf(site, req, { organization, isSandbox: environment === 'sandbox', url: undefined })
}

type SsoSentence =
  | 'unknownConnection'
  | 'ssoRefused'
  | 'ssoTooLarge'
  | 'ssoTooMany'
  | 'ssoUnavailable'
  | 'deadSsoLink'
  | 'tooMany'

const FlowId = pathId()

const readForm = formReader(maxResponse)

/** Reads the form of a response. A too large one is refused like any other, with a login attempt. */
function readResponse(req: Request, res: Response, next: NextFunction): void {
  readForm(req, res, (error?: unknown) => {
    const isTooLarge = error instanceof BodyFault && error.kind === 'too_large'
    if (isTooLarge) req.body = unreadForm
    next(isTooLarge ? undefined : error)
  })
}

/**
 * The address of the sentence in another language. Reloading a refused response would change its reference, so a
 * refusal has an address of its own, with the same text for everybody.
 */
function addressInAnotherLanguage(req: Request, name: SsoSentence): string | undefined {
  if (name === 'ssoRefused') return `/saml/${idpIdOf(req)}/refused?reference=${referenceOf(req)}`
  return req.method === 'GET' && name !== 'tooMany' && name !== 'ssoTooMany' ? req.path : undefined
}

const referenceForm = /^[\w.-]{1,128}$/

/** The id of the refused request: this one, or the one whose refusal is shown in another language. */
function referenceOf(req: Request): string {
  const asked = textOf(req.query['reference'])
  return req.path.endsWith('/refused') && referenceForm.test(asked) ? asked : requestIdOf(req)
}

function idpIdOf({ params }: Pick<Request, 'params'>): string {
  return ConnectionPath.parse(params).idp_id
}

const maxCodeLength = 8_000

/** The authorization answer of an OpenID provider; a repeated parameter counts as missing. */
function toSentAnswer(query: Request['query']): SentAnswer {
  const { error, error_description: description, iss } = query
  const refusal = [error, description].filter((part) => typeof part === 'string').join(': ')
  return {
    state: textOf(query['state']),
    // The codes of Entra ID exceed the usual limit.
    code: textOf(query['code'], maxCodeLength),
    error: error === undefined ? null : refusal,
    issuer: iss === undefined ? null : textOf(iss, 2_000),
  }
}
