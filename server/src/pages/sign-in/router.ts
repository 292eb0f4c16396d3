import { pathId } from '@portico/contract/fields'
import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { findFlow, type Flow } from '../../sign-in/flows/flow.js'
import { finishFlow } from '../../sign-in/flows/finish.js'
import { formReader, formTextReader } from '../../platform/http/body.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { authorize } from '../../protocols/oauth/authorize.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { findFlowSecret, flowSecretOf, secretOfOurForm, toFlowCookie } from '../frame/csrf.js'
import { errorPage } from '../frame/error.js'
import type { Frame } from '../frame/layout.js'
import { isNavigation } from '../frame/navigation.js'
import { isOnlyLooking } from '../frame/only-looking.js'
import { pageHeaders } from '../frame/page-headers.js'
import { findSessionSecret, toSessionCookie } from '../frame/session-cookie.js'
import { domainOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { stepPages } from '../steps/steps.js'
import type { StepAnswer, StepScene } from '../frame/step-page.js'
import type { PageSentence } from '../texts/page-sentence.js'
import { toScene } from './scene.js'

const authorizePath = '/t/:org_domain/authorize'
const flowPath = '/t/:org_domain/sign-in/:flow_id'

/** As much of a form, or of a request to sign in that is one, as anybody needs. */
const maxBody = 16 * 1024

/** The authorization endpoint, and the pages of the flows that begin there. */
export function signInRouter(deps: Deps, site: Site): Router {
  const { isHttps } = site
  const router = express.Router()

  router.get(authorizePath, async (req, res) => {
    if (isOnlyLooking(req)) res.status(204).set(pageHeaders(isHttps)).end()
    else await answerAuthorization(req, res, queryOf(req), false)
  })

  router.post(authorizePath, formTextReader(maxBody), (req, res) => {
    const body: unknown = req.body
    return answerAuthorization(req, res, new URLSearchParams(typeof body === 'string' ? body : ''), true)
  })

  router.all(authorizePath, async (req, res) => {
    const frame = await plainFrame(req)
    const sentence = frame.texts.invalidRequest('it must be sent by GET or POST.')
    sendPage(site, res.status(405).set('Allow', 'GET, HEAD, POST'), errorPage(frame, sentence), frame)
  })

  router.get(flowPath, async (req, res) => {
    const secret = findFlowSecret(req.headers.cookie, isHttps)
    const flow = secret === undefined ? undefined : await findFlow(deps, flowRequest(req, secret))
    if (flow === undefined || secret === undefined) {
      await sendDeadEnd(req, res, secret)
      return
    }
    // Nothing more is asked, and only the flow's own browser gets here: a link that was opened in it, for one.
    if (flow.step === 'ready' && !isOnlyLooking(req)) await finish(req, res, flow, secret)
    else await showStep(res, await sceneOf(req, flow, secret))
  })

  router.post(flowPath, formReader(maxBody), async (req, res) => {
    const secret = secretOfOurForm(req, site, flowIdOf(req))
    if (secret === undefined) {
      await sendSentence(req, res, 403, 'otherBrowser')
      return
    }
    const flow = await findFlow(deps, flowRequest(req, secret))
    if (flow === undefined) {
      await sendDeadEnd(req, res, secret)
      return
    }
    await act(req, res, await sceneOf(req, flow, secret), secret)
  })

  router.all(flowPath, async (req, res) => {
    await sendSentence(req, res.set('Allow', 'GET, HEAD, POST'), 405, 'flowOver')
  })

  router.use(async (error: unknown, req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent || !(error instanceof ApiError)) {
      next(error)
      return
    }
    // Express has no parameters of the address here.
    req.params = { org_domain: req.path.split('/')[2] ?? '' }
    const isLimited = error.code === 'rate_limited'
    const retryAfterSeconds = error.limit?.retryAfterSeconds ?? error.retryAfterSeconds
    if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
    await sendSentence(req, res, isLimited ? 429 : 403, isLimited ? 'tooMany' : 'signInRefused')
  })

  return router

  async function answerAuthorization(
    req: Request,
    res: Response,
    parameters: URLSearchParams,
    isForm: boolean,
  ): Promise<void> {
    const secret = flowSecretOf(req.headers.cookie, isHttps)
    const outcome = await authorize(deps, {
      organizationDomain: domainOf(req),
      parameters,
      origin: req.headers.origin,
      isForm,
      isNavigation: isNavigation(req),
      browserSecret: secret,
      ip: req.ip ?? '',
      findSessionSecret: (owner) => findSessionSecret(req.headers.cookie, isHttps, owner),
      requestId: requestIdOf(req),
    })
    if (outcome.to === 'nowhere') {
      const frame = await plainFrame(req)
      sendPage(site, res.status(400), errorPage(frame, frame.texts.invalidRequest(unknownClient)), frame)
      return
    }
    if (outcome.to === 'application') {
      redirect(res, outcome.redirectUrl)
      return
    }
    if (outcome.to === 'itself') {
      redirect(res, `${req.path}?${parameters.toString()}`)
      return
    }
    res.append('Set-Cookie', toFlowCookie(secret, isHttps))
    redirect(res, `/t/${domainOf(req)}/sign-in/${outcome.flowId}`)
  }

  /** Does what the form of a step asks for, and goes on to wherever the flow is then. */
  async function act(req: Request, res: Response, scene: StepScene, secret: string): Promise<void> {
    const name = scene.field('action')
    const { actions } = stepPages[scene.flow.step]
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    if (action === undefined) {
      await showStep(res.status(409), scene)
      return
    }
    const outcome = await action(scene)
    if (outcome === 'over') {
      await sendDeadEnd(req, res, secret)
      return
    }
    if (outcome !== 'moved') {
      sendAnswer(res, scene, outcome)
      return
    }
    const flow = await findFlow(deps, flowRequest(req, secret))
    if (flow?.step === 'ready') {
      await finish(req, res, flow, secret)
      return
    }
    redirect(res, `${req.path}${languageOf(req)}`)
  }

  async function finish(req: Request, res: Response, flow: Flow, secret: string): Promise<void> {
    const finished = await finishFlow(deps, {
      ...flowRequest(req, secret),
      sessionSecret: findSessionSecret(req.headers.cookie, isHttps, flow),
      userAgent: req.headers['user-agent']?.slice(0, 500) ?? null,
      requestId: requestIdOf(req),
    })
    if (finished === undefined) {
      await sendSentence(req, res, 403, 'signInRefused')
      return
    }
    res.append('Set-Cookie', toSessionCookie(finished.sessionSecret, isHttps, flow))
    redirect(res, finished.redirectUrl)
  }

  async function showStep(res: Response, scene: StepScene): Promise<void> {
    const { flow, frame } = scene
    const page = await stepPages[flow.step].show(scene)
    if (page === undefined) sendPage(site, res.status(404), errorPage(frame, frame.texts.flowOver), frame)
    else sendPage(site, res, page, { ...frame, redirectUri: flow.redirectUri })
  }

  function sendAnswer(
    res: Response,
    { flow, frame }: StepScene,
    { status, page, retryAfterSeconds }: StepAnswer,
  ) {
    if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
    sendPage(site, res.status(status), page, { ...frame, redirectUri: flow.redirectUri })
  }

  /** What is said of a flow that this browser does not have. */
  async function sendDeadEnd(req: Request, res: Response, secret: string | undefined): Promise<void> {
    if (secret === undefined) await sendSentence(req, res, 403, 'otherBrowser')
    else await sendSentence(req, res, 404, 'flowOver')
  }

  async function sendSentence(
    req: Request,
    res: Response,
    status: number,
    name: 'otherBrowser' | 'flowOver' | 'signInRefused' | 'tooMany',
  ): Promise<void> {
    const frame = await plainFrame(req)
    const sentence: PageSentence = frame.texts[name]
    sendPage(site, res.status(status), errorPage(frame, sentence), frame)
  }

  async function plainFrame(req: Request): Promise<Frame> {
    const organization = await findOrganizationByDomain(deps, domainOf(req))
    // No address: what was sent cannot be sent again by a link.
    const uiLocales = textOf(req.query.ui_locales)
    return frameOf(site, req, { organization, isSandbox: false, url: undefined, uiLocales })
  }

  async function sceneOf(req: Request, flow: Flow, secret: string): Promise<StepScene> {
    const organization = await findOrganizationByDomain(deps, flow.domain)
    return toScene({ deps, site, req, flow, organization, secret, requestId: requestIdOf(req) })
  }

  function redirect(res: Response, location: string): void {
    // 303 and not 302: what was a POST here is a GET there (RFC 9110 section 15.4.4).
    res.status(303).set(pageHeaders(isHttps)).set('Location', location).end()
  }
}

const unknownClient =
  'there must be an organization of this name, client_id must be an application that it can use, and redirect_uri one of its allowed_redirect_urls, to the letter.'

/** As it was sent: Express reads what comes twice, and what has brackets, in its own way. */
function queryOf({ originalUrl }: Request): URLSearchParams {
  const start = originalUrl.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : originalUrl.slice(start + 1))
}

const FlowId = pathId()

function flowIdOf(req: Request): string {
  return FlowId.parse(req.params['flow_id'])
}

function flowRequest(req: Request, browserSecret: string) {
  return { organizationDomain: domainOf(req), flowId: flowIdOf(req), browserSecret }
}

/** The language that somebody has chosen on a page stays when the page moves on. */
function languageOf(req: Request): string {
  const chosen = textOf(req.query.ui_locales)
  return chosen === '' ? '' : `?ui_locales=${encodeURIComponent(chosen)}`
}
