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
import { readMultipart } from './form-body.js'
import { isSentByAdmin, leaveOrDecline } from './leaving.js'
import { tooLarge } from './metadata-step.js'
import { currentPhase, testedVersion, type OnboardingOutcome, type OnboardingScene } from './scene.js'
import { onboardingSteps } from './steps.js'
import { showTestResult } from './test-step.js'

const base = '/onboarding/:idp_id'

/** The 512 kB that metadata may have, and what a form adds. */
const maxUpload = 600 * 1024
/** A field as long as metadata may be, so that a longer one is told so. */
const maxFieldLength = 600_000

/** A scene with the secret of its browser, to which its forms are bound. */
type Arrived = OnboardingScene & { readonly secret: string }

/** The pages on which an administrator sets single sign-on up. */
export function onboardingRouter(deps: Deps, site: Site): Router {
  const router = express.Router()
  router.use(arrivalRouter(deps, site))
  router.use(directoryRouter(deps, site))
  router.use(
    pageRouter(deps, site, [
      { path: `${base}/now`, get: goToPhase },
      { path: `${base}/sp-metadata.xml`, get: sendMetadata },
      { path: `${base}/sp-certificate.pem`, get: sendCertificate },
      { path: `${base}/test/start`, visit: startTest },
      {
        path: [`${base}/:page`, `${base}/test/:trace_id`],
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
    if (wait.retryAfterSeconds !== undefined) res.set('Retry-After', String(wait.retryAfterSeconds))
    sendPlainSentence({ site, req, res }, 429, 'tooMany')
  })
  return router
}

async function goToPhase(exchange: Exchange): Promise<void> {
  const scene = await findScene(exchange)
  if (scene !== undefined) goTo(exchange, scene, currentPhase(scene.connection))
}

async function sendMetadata(exchange: Exchange): Promise<void> {
  const scene = await findScene(exchange)
  if (scene === undefined) return
  const metadata = toServiceProviderMetadata(await findServiceProvider(exchange.deps, scene.connection))
  sendFile(exchange, 'sp-metadata.xml', 'application/samlmetadata+xml', metadata)
}

async function sendCertificate(exchange: Exchange): Promise<void> {
  const scene = await findScene(exchange)
  if (scene === undefined) return
  const { certificates } = await findServiceProvider(exchange.deps, scene.connection)
  const content = `${certificates.map((pem) => pem.trim()).join('\n')}\n`
  sendFile(exchange, 'sp-certificate.pem', 'application/x-pem-file', content)
}

async function show(exchange: Exchange): Promise<void> {
  const { req } = exchange
  const scene = await findScene(exchange)
  if (scene === undefined) return
  const { trace_id: traceId } = req.params
  const outcome =
    traceId === undefined
      ? await stepOf(req)?.show(scene)
      : await showTestResult(scene, TraceId.parse(traceId))
  if (outcome === undefined) sendPlainSentence(exchange, 404, 'noSuchConnection')
  else answer(exchange, scene, outcome)
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { site, req } = exchange
  const scene = await findScene(exchange)
  if (scene === undefined) return
  const { action } = formOf(req)
  // It was not read, so that nobody knows who has sent it; and all that is done is to say so.
  if (action === tooLarge) await act(exchange, scene, tooLarge)
  else if (!isSentByAdmin(req, site, { ...scene.session, secret: scene.secret }))
    sendPlainSentence(exchange, 403, 'otherBrowser')
  else await actOrLeave(exchange, scene, textOf(action))
}

async function actOrLeave(exchange: Exchange, scene: Arrived, action: string): Promise<void> {
  const { deps, site, res } = exchange
  const { session, connection, requestId } = scene
  const { idpId } = connection
  const left = await leaveOrDecline(deps, session, { action, idpId, requestId })
  if (left === undefined) {
    await act(exchange, scene, action)
    return
  }
  res.append('Set-Cookie', toAdminCookie('', site.isHttps, 0))
  sendPlainSentence(exchange, 200, left)
}

/** A button that the page does not have shows the page. */
async function act(exchange: Exchange, scene: OnboardingScene, action: string): Promise<void> {
  const step = stepOf(exchange.req)
  if (step === undefined) return
  const does = Object.hasOwn(step.actions, action) ? step.actions[action] : undefined
  answer(exchange, scene, await (does ?? step.show)(scene))
}

/** The administrator of this browser at the connection of the address; else a page says what is missing. */
async function findScene(exchange: Exchange): Promise<Arrived | undefined> {
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

/** Goes to the identity provider, by a GET: the answer to a form may not lead to another site. */
async function startTest(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const scene = await findScene(exchange)
  if (scene === undefined) return
  const { session, connection, frame, requestId } = scene
  const metadataVersion = testedVersion(connection)
  if (connection.protocol === 'oidc') {
    const purpose = { adminSessionId: session.sessionId, clientVersion: metadataVersion ?? 0, requestId }
    const url = await startOidcRequest(deps, connection, purpose)
    // Where the provider cannot be read, the page lists the test that has failed so.
    if (url === undefined) goTo(exchange, scene, 'test')
    else redirect(exchange, url)
    return
  }
  const purpose = {
    adminSessionId: session.sessionId,
    metadataVersion: metadataVersion ?? 0,
    ip: req.ip ?? '',
  }
  const request = metadataVersion === null ? undefined : await startRequest(deps, connection, purpose)
  if (request === undefined) goTo(exchange, scene, 'test')
  else if (request.binding === 'redirect') redirect(exchange, request.url)
  else
    sendPage(site, res, requestFormPage({ frame: { ...frame, url: undefined }, ...request }), {
      ...frame,
      redirectUri: request.action,
    })
}

function answer(exchange: Exchange, scene: OnboardingScene, outcome: OnboardingOutcome): void {
  if ('goTo' in outcome) goTo(exchange, scene, outcome.goTo)
  else sendPage(exchange.site, exchange.res.status(outcome.status ?? 200), outcome.page, scene.frame)
}

/** Another page of the connection, in the language that was chosen on this one. */
function goTo(exchange: Exchange, { connection }: OnboardingScene, page: string): void {
  redirect(exchange, inChosenLanguage(exchange, `/onboarding/${connection.idpId}/${page}`))
}

function sendFile({ site, res }: Exchange, name: string, type: string, content: string): void {
  res
    .set(pageHeaders(site.isHttps))
    .set('Content-Disposition', `attachment; filename="${name}"`)
    .type(type)
    .send(content)
}

const TraceId = pathId()

const readRaw = uploadReader(maxUpload)

/** The fields of a form with a file; of one that is too large, that it is. */
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

/** The page of an address; forms of a test's page are those that every page has. */
function stepOf({ params }: Request): (typeof onboardingSteps)[string] | undefined {
  const page: unknown = params['page'] ?? 'test'
  return typeof page === 'string' && Object.hasOwn(onboardingSteps, page) ? onboardingSteps[page] : undefined
}
