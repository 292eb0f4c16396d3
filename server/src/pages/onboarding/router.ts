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
import { errorPage } from '../frame/error.js'
import { requestFormPage } from '../views/identity-provider.js'
import { isOnlyLooking } from '../frame/only-looking.js'
import { pageHeaders } from '../frame/page-headers.js'
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
  const { isHttps } = site
  const router = express.Router()
  router.use(arrivalRouter(deps, site))
  router.use(directoryRouter(deps, site))

  router.get(`${base}/now`, async (req, res) => {
    const scene = await findScene(req, res)
    if (scene !== undefined) goTo(req, res, scene, currentPhase(scene.connection))
  })

  router.get(`${base}/sp-metadata.xml`, async (req, res) => {
    const scene = await findScene(req, res)
    if (scene === undefined) return
    const metadata = toServiceProviderMetadata(await findServiceProvider(deps, scene.connection))
    sendFile(res, 'sp-metadata.xml', 'application/samlmetadata+xml', metadata)
  })

  router.get(`${base}/sp-certificate.pem`, async (req, res) => {
    const scene = await findScene(req, res)
    if (scene === undefined) return
    const { certificates } = await findServiceProvider(deps, scene.connection)
    sendFile(
      res,
      'sp-certificate.pem',
      'application/x-pem-file',
      `${certificates.map((pem) => pem.trim()).join('\n')}\n`,
    )
  })

  router.get(`${base}/test/start`, async (req, res) => {
    if (isOnlyLooking(req)) {
      res.status(204).set(pageHeaders(isHttps)).end()
      return
    }
    const scene = await findScene(req, res)
    if (scene !== undefined) await startTest(req, res, scene)
  })

  router.get(`${base}/test/:trace_id`, async (req, res) => {
    const scene = await findScene(req, res)
    if (scene === undefined) return
    const outcome = await showTestResult(scene, TraceId.parse(req.params.trace_id))
    if (outcome === undefined) sendSentence(req, res, 404, 'noSuchConnection')
    else answer(req, res, scene, outcome)
  })

  router.get(`${base}/:page`, async (req, res, next) => {
    const step = stepOf(req)
    if (step === undefined) {
      next()
      return
    }
    const scene = await findScene(req, res)
    if (scene !== undefined) answer(req, res, scene, await step.show(scene))
  })

  router.post(
    [`${base}/:page`, `${base}/test/:trace_id`],
    formReader(16 * 1024),
    readUpload,
    async (req, res, next) => {
      const step = stepOf(req)
      if (step === undefined) {
        next()
        return
      }
      const scene = await findScene(req, res)
      if (scene === undefined) return
      const { action } = formOf(req)
      // It was not read, so that nobody knows who has sent it; and all that is done is to say so.
      if (action === tooLarge) answer(req, res, scene, await act(scene, tooLarge, step))
      else if (!isSentByAdmin(req, site, { ...scene.session, secret: scene.secret }))
        sendSentence(req, res, 403, 'otherBrowser')
      else await actOrLeave(req, res, scene, textOf(action))
    },
  )

  router.all([`${base}/:page`, `${base}/test/:trace_id`], (req, res, next) => {
    if (stepOf(req) === undefined) next()
    else sendSentence(req, res.set('Allow', 'GET, HEAD, POST'), 405, 'notInvited')
  })

  router.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
    const wait = res.headersSent ? undefined : waitOf(error)
    if (wait === undefined) {
      next(error)
      return
    }
    if (wait.retryAfterSeconds !== undefined) res.set('Retry-After', String(wait.retryAfterSeconds))
    sendSentence(req, res, 429, 'tooMany')
  })

  return router

  async function actOrLeave(req: Request, res: Response, scene: Arrived, action: string): Promise<void> {
    const { session, connection, requestId } = scene
    const { idpId } = connection
    const left = await leaveOrDecline(deps, session, { action, idpId, requestId })
    if (left === undefined) {
      const step = stepOf(req)
      if (step !== undefined) answer(req, res, scene, await act(scene, action, step))
      return
    }
    res.append('Set-Cookie', toAdminCookie('', isHttps, 0))
    sendSentence(req, res, 200, left)
  }

  /** A button that the page does not have shows the page. */
  function act(
    scene: OnboardingScene,
    action: string,
    { show, actions }: (typeof onboardingSteps)[string],
  ): Promise<OnboardingOutcome> {
    const does = Object.hasOwn(actions, action) ? actions[action] : undefined
    return (does ?? show)(scene)
  }

  /** The administrator of this browser at the connection of the address; else a page says what is missing. */
  async function findScene(req: Request, res: Response): Promise<Arrived | undefined> {
    const secret = findAdminSecret(req.headers.cookie, isHttps)
    const session = secret === undefined ? undefined : await findAdminSession(deps, secret)
    if (secret === undefined || session === undefined) {
      sendSentence(req, res, 401, 'notInvited')
      return undefined
    }
    const connection = await findConnection(deps, session, ConnectionPath.parse(req.params).idp_id)
    if (connection === undefined) {
      sendSentence(req, res, 404, 'noSuchConnection')
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
  async function startTest(req: Request, res: Response, scene: Arrived): Promise<void> {
    const { session, connection, frame, requestId } = scene
    const metadataVersion = testedVersion(connection)
    if (connection.protocol === 'oidc') {
      const purpose = { adminSessionId: session.sessionId, clientVersion: metadataVersion ?? 0, requestId }
      const url = await startOidcRequest(deps, connection, purpose)
      // Where the provider cannot be read, the page lists the test that has failed so.
      if (url === undefined) goTo(req, res, scene, 'test')
      else res.status(303).set(pageHeaders(isHttps)).set('Location', url).end()
      return
    }
    const purpose = {
      adminSessionId: session.sessionId,
      metadataVersion: metadataVersion ?? 0,
      ip: req.ip ?? '',
    }
    const request = metadataVersion === null ? undefined : await startRequest(deps, connection, purpose)
    if (request === undefined) goTo(req, res, scene, 'test')
    else if (request.binding === 'redirect')
      res.status(303).set(pageHeaders(isHttps)).set('Location', request.url).end()
    else
      sendPage(site, res, requestFormPage({ frame: { ...frame, url: undefined }, ...request }), {
        ...frame,
        redirectUri: request.action,
      })
  }

  function answer(req: Request, res: Response, scene: OnboardingScene, outcome: OnboardingOutcome): void {
    if ('goTo' in outcome) goTo(req, res, scene, outcome.goTo)
    else sendPage(site, res.status(outcome.status ?? 200), outcome.page, scene.frame)
  }

  /** Another page of the connection, in the language that was chosen on this one. */
  function goTo(req: Request, res: Response, { connection }: OnboardingScene, page: string): void {
    const chosen = textOf(req.query.ui_locales)
    const query = chosen === '' ? '' : `?ui_locales=${encodeURIComponent(chosen)}`
    const location = `/onboarding/${connection.idpId}/${page}${query}`
    res.status(303).set(pageHeaders(isHttps)).set('Location', location).end()
  }

  function sendFile(res: Response, name: string, type: string, content: string): void {
    res
      .set(pageHeaders(isHttps))
      .set('Content-Disposition', `attachment; filename="${name}"`)
      .type(type)
      .send(content)
  }

  function sendSentence(
    req: Request,
    res: Response,
    status: number,
    name: 'notInvited' | 'noSuchConnection' | 'otherBrowser' | 'leftOnboarding' | 'declined' | 'tooMany',
  ): void {
    const frame = frameOf(site, req, { organization: undefined, isSandbox: false, url: undefined })
    sendPage(site, res.status(status), errorPage(frame, frame.texts[name]), frame)
  }
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
