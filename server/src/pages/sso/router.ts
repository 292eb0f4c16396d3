import { pathId } from '@portico/contract/fields'
import { ConnectionPath } from '@portico/contract/sso-connections'
import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import { BodyFault } from '../../platform/http/body-fault.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { findFlow } from '../../sign-in/flows/flow.js'
import { formReader } from '../../platform/http/body.js'
import { requestIdOf } from '../../delivery/request-context.js'
import type { SentAnswer } from '../../sso/oidc/prove-answer.js'
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
import { errorPage } from '../frame/error.js'
import { requestFormPage, returnPage } from '../views/identity-provider.js'
import type { Frame } from '../frame/layout.js'
import { findAdminSecret } from '../frame/admin-cookie.js'
import { isNavigation } from '../frame/navigation.js'
import { isOnlyLooking } from '../frame/only-looking.js'
import { pageHeaders } from '../frame/page-headers.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'

const metadataPath = '/saml/:idp_id/metadata'
const acsPath = '/saml/:idp_id/acs'
const continuePath = '/saml/:idp_id/continue'
const refusedPath = '/saml/:idp_id/refused'
const callbackPath = '/oidc/:idp_id/callback'
const challengePath = '/t/:org_domain/sso/:token'
const identityProviderPath = '/t/:org_domain/sign-in/:flow_id/identity-provider'

/** Base64 of the 256 kB that a response may have, with what a form adds. */
const maxResponse = 400 * 1024

/** Our metadata stay the same for as long as the connection is there: identity providers ask for them now and then. */
const metadataSeconds = 300

/** The addresses of SSO: our metadata, where responses and answers arrive, and the way to the identity provider and back. */
export function ssoRouter(deps: Deps, site: Site): Router {
  const { isHttps } = site
  const router = express.Router()

  router.get(metadataPath, async (req, res) => {
    const live = await findLiveConnection(deps.db, idpIdOf(req))
    if (live === undefined) {
      await sendSentence(req, res, 404, 'unknownConnection')
      return
    }
    const metadata = toServiceProviderMetadata(await findServiceProvider(deps, live))
    res.set('Cache-Control', `public, max-age=${metadataSeconds}`).set('X-Content-Type-Options', 'nosniff')
    res.type('application/samlmetadata+xml').send(metadata)
  })

  router.post(acsPath, readResponse, async (req, res) => {
    const idpId = idpIdOf(req)
    if (!isNavigation(req)) {
      await sendSentence(req, res, 403, 'ssoRefused')
      return
    }
    const outcome = await receiveResponse(deps, {
      idpId,
      samlResponse: req.body === unreadForm ? unreadForm : formOf(req)['SAMLResponse'],
      ip: req.ip ?? '',
      requestId: requestIdOf(req),
    })
    if (outcome.to === 'nowhere') await sendSentence(req, res, 404, 'unknownConnection')
    else if (outcome.to === 'refused' && req.body === unreadForm)
      await sendSentence(req, res, 413, 'ssoTooLarge', outcome)
    else if (outcome.to === 'refused') await sendSentence(req, res, 403, 'ssoRefused', outcome)
    else {
      const url =
        outcome.to === 'test'
          ? testUrl(idpId, outcome.attemptId)
          : `${site.baseUrl}/saml/${idpId}/continue?h=${outcome.handle}`
      const frame = await frameAt(req, outcome)
      sendPage(site, res, returnPage({ frame, url }), frame)
    }
  })

  router.get(continuePath, skipPrefetch, async (req, res) => {
    const browserSecret = flowSecretOf(req.headers.cookie, isHttps)
    const outcome = await continueSignIn(deps, {
      idpId: idpIdOf(req),
      handle: textOf(req.query['h']),
      browserSecret,
      adminSecret: findAdminSecret(req.headers.cookie, isHttps),
      requestId: requestIdOf(req),
    })
    if ('flowId' in outcome) res.append('Set-Cookie', toFlowCookie(browserSecret, isHttps))
    await sendOutcome(req, res, outcome)
  })

  router.get(refusedPath, async (req, res) => {
    const live = await findLiveConnection(deps.db, idpIdOf(req))
    if (live === undefined) await sendSentence(req, res, 404, 'unknownConnection')
    else await sendSentence(req, res, 403, 'ssoRefused', live)
  })

  router.get(callbackPath, skipPrefetch, async (req, res) => {
    const outcome = await receiveAnswer(deps, {
      idpId: idpIdOf(req),
      answer: toSentAnswer(req.query),
      browserSecret: findFlowSecret(req.headers.cookie, isHttps),
      adminSecret: findAdminSecret(req.headers.cookie, isHttps),
      ip: req.ip ?? '',
      requestId: requestIdOf(req),
    })
    await sendOutcome(req, res, outcome)
  })

  router.get(challengePath, skipPrefetch, async (req, res) => {
    const browserSecret = flowSecretOf(req.headers.cookie, isHttps)
    const flowId = await openChallenge(deps, {
      organizationDomain: domainOf(req),
      token: textOf(req.params.token),
      browserSecret,
      requestId: requestIdOf(req),
    })
    if (flowId === undefined) {
      await sendSentence(req, res, 404, 'deadSsoLink', { domain: domainOf(req) })
      return
    }
    res.append('Set-Cookie', toFlowCookie(browserSecret, isHttps))
    redirect(res, `/t/${domainOf(req)}/sign-in/${flowId}/identity-provider`)
  })

  router.get(identityProviderPath, skipPrefetch, async (req, res) => {
    const organizationDomain = domainOf(req)
    const flowId = FlowId.parse(req.params.flow_id)
    const browserSecret = findFlowSecret(req.headers.cookie, isHttps)
    const flow = browserSecret && (await findFlow(deps, { organizationDomain, flowId, browserSecret }))
    // The page of the flow says where it is, or that it is not this browser's.
    if (!flow || flow.step !== 'identity_provider' || flow.connectionId === null) {
      redirect(res, `/t/${organizationDomain}/sign-in/${flowId}`)
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
      if (url === undefined) await sendSentence(req, res, 403, 'ssoUnavailable', flow)
      else redirect(res, url)
      return
    }
    const request = await startRequest(deps, key, purpose)
    if (request === undefined) await sendSentence(req, res, 403, 'ssoUnavailable', flow)
    else if (request.binding === 'redirect') redirect(res, request.url)
    else {
      const frame = await frameAt(req, flow)
      sendPage(site, res, requestFormPage({ frame, ...request }), { ...frame, redirectUri: request.action })
    }
  })

  const allowed = [
    [metadataPath, 'GET, HEAD'],
    [acsPath, 'POST'],
    [continuePath, 'GET, HEAD'],
    [refusedPath, 'GET, HEAD'],
    [callbackPath, 'GET, HEAD'],
    [challengePath, 'GET, HEAD'],
    [identityProviderPath, 'GET, HEAD'],
  ] as const
  for (const [path, methods] of allowed) {
    router.all(path, async (req, res) => {
      await sendSentence(req, res.set('Allow', methods), 405, 'unknownConnection')
    })
  }

  router.use(async (error: unknown, req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent || !(error instanceof ApiError) || error.code !== 'rate_limited') {
      next(error)
      return
    }
    const seconds = error.limit?.retryAfterSeconds ?? error.retryAfterSeconds
    if (seconds !== undefined) res.set('Retry-After', String(seconds))
    const isAnswer = req.path.endsWith('/acs') || req.path.endsWith('/callback')
    await sendSentence(req, res, 429, isAnswer ? 'ssoTooMany' : 'tooMany')
  })

  return router

  /** Consumes nothing for a HEAD or for what a browser loads ahead. */
  function skipPrefetch(req: Request, res: Response, next: NextFunction): void {
    if (isOnlyLooking(req)) res.status(204).set(pageHeaders(isHttps)).end()
    else next()
  }

  /** Answers a browser that an identity provider has sent back. */
  async function sendOutcome(req: Request, res: Response, outcome: SsoOutcome): Promise<void> {
    switch (outcome.to) {
      case 'nowhere':
        return sendSentence(req, res, 404, 'unknownConnection')
      case 'over':
        return sendSentence(req, res, 404, 'ssoRefused', outcome)
      case 'refused':
        return sendSentence(req, res, 403, 'ssoRefused', outcome)
      case 'test':
        return redirect(res, testUrl(idpIdOf(req), outcome.attemptId))
      case 'flow':
        return redirect(res, `/t/${outcome.domain}/sign-in/${outcome.flowId}`)
      case 'identity_provider':
        return redirect(res, `/t/${outcome.domain}/sign-in/${outcome.flowId}/identity-provider`)
    }
  }

  /** The page of an administrator's test, which shows its login attempt. */
  function testUrl(idpId: string, attemptId: string): string {
    return `${site.baseUrl}/onboarding/${idpId}/test/${attemptId}`
  }

  /** Sends one sentence without the reason, and the reference by which the organization finds it. */
  async function sendSentence(
    req: Request,
    res: Response,
    status: number,
    name: SsoSentence,
    of?: Partial<PageOf>,
  ): Promise<void> {
    const frame = { ...(await frameAt(req, of)), url: addressInAnotherLanguage(req, name) }
    const { texts } = frame
    const page = errorPage(frame, texts[name], texts.reference(referenceOf(req)))
    sendPage(site, res.status(status), page, frame)
  }

  async function frameAt(req: Request, { domain, environment }: Partial<PageOf> = {}): Promise<Frame> {
    const organization = domain === undefined ? undefined : await findOrganizationByDomain(deps, domain)
    // No address: what was sent cannot be sent again by a link.
    return frameOf(site, req, { organization, isSandbox: environment === 'sandbox', url: undefined })
  }

  function redirect(res: Response, location: string): void {
    // 303 and not 302: what was a POST here is a GET there (RFC 9110 section 15.4.4).
    res.status(303).set(pageHeaders(isHttps)).set('Location', location).end()
  }
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

/** Reads the form of a response. One that is too large is refused as any other, and leaves a login attempt. */
function readResponse(req: Request, res: Response, next: NextFunction): void {
  readForm(req, res, (error?: unknown) => {
    const isTooLarge = error instanceof BodyFault && error.kind === 'too_large'
    if (isTooLarge) req.body = unreadForm
    next(isTooLarge ? undefined : error)
  })
}

/**
 * The address of the sentence in another language. A refused response is not sent again for that, since its reference would be
 * another one then: a refusal has an address of its own, with the same text for everybody.
 */
function addressInAnotherLanguage(req: Request, name: SsoSentence): string | undefined {
  if (name === 'ssoRefused') return `/saml/${idpIdOf(req)}/refused?reference=${referenceOf(req)}`
  return req.method === 'GET' && name !== 'tooMany' && name !== 'ssoTooMany' ? req.path : undefined
}

const referenceForm = /^[\w.-]{1,128}$/

/** Of the request that was refused: this one, or the one whose refusal is read in another language. */
function referenceOf(req: Request): string {
  const asked = textOf(req.query['reference'])
  return req.path.endsWith('/refused') && referenceForm.test(asked) ? asked : requestIdOf(req)
}

function idpIdOf({ params }: Pick<Request, 'params'>): string {
  return ConnectionPath.parse(params).idp_id
}

const maxCodeLength = 8_000

/** The answer of an OpenID provider; a parameter that is there twice counts as missing. */
function toSentAnswer(query: Request['query']): SentAnswer {
  const { error, error_description: description, iss } = query
  const refusal = [error, description].filter((part) => typeof part === 'string').join(': ')
  return {
    state: textOf(query['state']),
    // Those of Entra are longer than anything else in an address.
    code: textOf(query['code'], maxCodeLength),
    error: error === undefined ? null : refusal,
    issuer: iss === undefined ? null : textOf(iss, 2_000),
  }
}
