import { pathId } from '@portico/contract/fields'
import { ConnectionPath } from '@portico/contract/sso-connections'
import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { formReader, uploadReader } from '../../platform/http/body.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { findAdminSession } from '../../sso/admins/admin-session.js'
import { findConnection } from '../../sso/onboarding/connections.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { toServiceProviderMetadata } from '../../sso/saml/service-provider-metadata.js'
import { findServiceProvider } from '../../sso/sign-in/live-connection.js'
import { startOidcRequest } from '../../sso/oidc/start-request.js'
import { startRequest } from '../../sso/sign-in/start-request.js'
import { toCsrfField } from '../frame/csrf.js'
import { requestFormPage } from '../views/identity-provider.js'
import { pageHeaders } from '../frame/page-headers.js'
import {
  inChosenLanguage,
  pageRouter,
  redirect,
  sendPlainSentence,
  type Exchange,
} from '../frame/page-route.js'
import { waitOf } from '../steps/limit.js'
import { formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { findAdminSecret, toAdminCookie } from '../frame/admin-cookie.js'
import { arrivalRouter } from './arrival/router.js'
import { directoryRouter } from './directory/router.js'
import { emailDomainsRouter } from './email-domains/router.js'
import { readMultipart } from './form-body.js'
import { joinRequestsRouter } from './join-requests/router.js'
import { isSentByAdmin, leaveOrDecline } from './leaving.js'
import { tooLarge } from './metadata-step.js'
import {
  currentPhase,
  testedVersion,
  type OnboardingOutcome,
  type OnboardingRequest,
} from './onboarding-request.js'
import { rolesRouter } from './roles/router.js'
import { onboardingSteps } from './steps.js'
import { showTestResult } from './test-step.js'

const base = '/onboarding/:idp_id'

/** The 512 kB that metadata may have, with the overhead of a form. */
const maxUpload = 600 * 1024
/** Above the maximum of metadata, so that too long ones get their own fault. */
const maxFieldLength = 600_000

/** A request with the secret of its browser, to which its forms are bound. */
type AdminRequest = OnboardingRequest & { readonly secret: string }

/** The pages on which an administrator sets up single sign-on. */
export function onboardingRouter(deps: Deps, site: Site): Router {
  const router = express.Router()
  router.use(arrivalRouter(deps, site))
  router.use(directoryRouter(deps, site))
  router.use(emailDomainsRouter(deps, site))
  router.use(joinRequestsRouter(deps, site))
  router.use(rolesRouter(deps, site))
  router.use(
    pageRouter(deps, site, [
      { path: `${base}/now`, get: goToPhase },
      { path: `${base}/sp-metadata.xml`, get: sendMetadata },
      { path: `${base}/sp-certificate.pem`, get: sendCertificate },
      { path: `${base}/test/start`, visit: startTest },
      {
        path: [`${base}/:page`, `${base}/test/:attempt_id`],
        isThere: (req) => stepOf(req) !== undefined,
        get: show,
        read: [formReader(16 * 1024), readUpload],
        post: takeForm,
        otherwise: (exchange, status) => sendPlainSentence(exchange, status, 'notInvited'),
      },
    ]),
  )
  router.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
    const wait = res.headersSent ? undefined : waitOf(error)
    if (wait === undefined) {
      next(error)
      return
    }
    sendPlainSentence({ site, req, res }, 429, 'tooMany', wait)
  })
  return router
}

async function goToPhase(exchange: Exchange): Promise<void> {
  const request = await findOnboardingRequest(exchange)
  if (request !== undefined) goTo(exchange, request, currentPhase(request.connection))
}

async function sendMetadata(exchange: Exchange): Promise<void> {
  const request = await findOnboardingRequest(exchange)
  if (request === undefined) return
  const metadata = toServiceProviderMetadata(await findServiceProvider(exchange.deps, request.connection))
  sendFile(exchange, 'sp-metadata.xml', 'application/samlmetadata+xml', metadata)
}

async function sendCertificate(exchange: Exchange): Promise<void> {
  const request = await findOnboardingRequest(exchange)
  if (request === undefined) return
  const { certificates } = await findServiceProvider(exchange.deps, request.connection)
  const content = `${certificates.map((pem) => pem.trim()).join('\n')}\n`
  sendFile(exchange, 'sp-certificate.pem', 'application/x-pem-file', content)
}

async function show(exchange: Exchange): Promise<void> {
  const { req } = exchange
  const request = await findOnboardingRequest(exchange)
  if (request === undefined) return
  const { attempt_id: attemptId } = req.params
  const outcome =
    attemptId === undefined
      ? await stepOf(req)?.show(request)
      : await showTestResult(request, AttemptId.parse(attemptId))
  if (outcome === undefined) sendPlainSentence(exchange, 404, 'noSuchConnection')
  else answer(exchange, request, outcome)
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { site, req } = exchange
  const request = await findOnboardingRequest(exchange)
  if (request === undefined) return
  const { action } = formOf(req)
  // The form was not read, so its sender is unknown, but the only effect is an error page.
  if (action === tooLarge) await act(exchange, request, tooLarge)
  else if (!isSentByAdmin(req, site, { ...request.session, secret: request.secret }))
    sendPlainSentence(exchange, 403, 'otherBrowser')
  else await actOrLeave(exchange, request, textOf(action))
}

async function actOrLeave(exchange: Exchange, request: AdminRequest, action: string): Promise<void> {
  const { deps, site, res } = exchange
  const { session, connection, requestId } = request
  const { idpId } = connection
  const left = await leaveOrDecline(deps, session, { action, idpId, requestId })
  if (left === undefined) {
    await act(exchange, request, action)
    return
  }
  res.append('Set-Cookie', toAdminCookie('', site.isHttps, 0))
  sendPlainSentence(exchange, 200, left)
}

/** Runs an action of the page; an unknown one shows the page. */
async function act(exchange: Exchange, request: OnboardingRequest, action: string): Promise<void> {
  const step = stepOf(exchange.req)
  if (step === undefined) return
  const does = Object.hasOwn(step.actions, action) ? step.actions[action] : undefined
  answer(exchange, request, await (does ?? step.show)(request))
}

/** The request of a signed-in administrator for a connection; undefined when it was answered with an error page. */
async function findOnboardingRequest(exchange: Exchange): Promise<AdminRequest | undefined> {
  const { deps, site, req } = exchange
  const secret = findAdminSecret(req.headers.cookie, site.isHttps)
  const session = secret === undefined ? undefined : await findAdminSession(deps, secret)
  if (secret === undefined || session === undefined) {
    sendPlainSentence(exchange, 401, 'notInvited')
    return undefined
  }
  const connection = await findConnection(deps, session, ConnectionPath.parse(req.params).idp_id)
  if (connection === undefined) {
    sendPlainSentence(exchange, 404, 'noSuchConnection')
    return undefined
  }
  const organization = await findOrganizationByDomain(deps, session.domain)
  const isSandbox = connection.environment === 'sandbox'
  const frame = frameOf(site, req, { organization, isSandbox, url: req.path })
  const form = {
    action: `${req.path}?ui_locales=${frame.texts.lang}`,
    csrf: toCsrfField(secret, session.sessionId),
  }
  const fields = formOf(req)
  const field = (name: string) => textOf(fields[name], maxFieldLength)
  return { deps, session, connection, frame, form, requestId: requestIdOf(req), field, secret }
}

/** Redirects to the identity provider from a GET, because form-action forbids it after a POST. */
async function startTest(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const request = await findOnboardingRequest(exchange)
  if (request === undefined) return
  const { session, connection, frame, requestId } = request
  const metadataVersion = testedVersion(connection)
  const by = { adminSessionId: session.sessionId, ip: req.ip ?? '' }
  if (connection.protocol === 'oidc') {
    const purpose = { ...by, clientVersion: metadataVersion ?? 0, requestId }
    const url = await startOidcRequest(deps, connection, purpose)
    // When the provider cannot be read, the page lists the failed test.
    if (url === undefined) goTo(exchange, request, 'test')
    else redirect(exchange, url)
    return
  }
  const purpose = { ...by, metadataVersion: metadataVersion ?? 0 }
  const authnRequest = metadataVersion === null ? undefined : await startRequest(deps, connection, purpose)
  if (authnRequest === undefined) goTo(exchange, request, 'test')
  else if (authnRequest.binding === 'redirect') redirect(exchange, authnRequest.url)
  else
    sendPage(site, res, requestFormPage({ frame: { ...frame, url: undefined }, ...authnRequest }), {
      ...frame,
      redirectUri: authnRequest.action,
    })
}

function answer(exchange: Exchange, request: OnboardingRequest, outcome: OnboardingOutcome): void {
  if ('goTo' in outcome) goTo(exchange, request, outcome.goTo)
  else sendPage(exchange.site, exchange.res.status(outcome.status ?? 200), outcome.page, request.frame)
}

/** Redirects to another page of the connection, in the chosen language. */
function goTo(exchange: Exchange, { connection }: OnboardingRequest, page: string): void {
  redirect(exchange, inChosenLanguage(exchange, `/onboarding/${connection.idpId}/${page}`))
}

function sendFile({ site, res }: Exchange, name: string, type: string, content: string): void {
  res
    .set(pageHeaders(site.isHttps))
    .set('Content-Disposition', `attachment; filename="${name}"`)
    .type(type)
    .send(content)
}

const AttemptId = pathId()

const readRaw = uploadReader(maxUpload)

/** Reads a form with a file; a too large one becomes the action `tooLarge`. */
function readUpload(req: Request, res: Response, next: NextFunction): void {
  readRaw(req, res, (error?: unknown) => {
    const status = error instanceof Error && 'status' in error ? error.status : undefined
    if (status === 413) req.body = { action: tooLarge }
    if (error !== undefined && status !== 413) {
      next(error)
      return
    }
    const body: unknown = req.body
    if (!Buffer.isBuffer(body)) {
      next()
      return
    }
    readMultipart(new Uint8Array(body), req.headers['content-type'] ?? '', ['csrf', 'action', 'xml', 'file'])
      .then((fields) => {
        req.body = fields
        next()
      })
      .catch(next)
  })
}

/** The step of an address; the page of a test has the forms of the step `test`. */
function stepOf({ params }: Request): (typeof onboardingSteps)[string] | undefined {
  const page: unknown = params['page'] ?? 'test'
  return typeof page === 'string' && Object.hasOwn(onboardingSteps, page) ? onboardingSteps[page] : undefined
}
