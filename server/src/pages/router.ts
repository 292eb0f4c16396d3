import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Deps } from '../delivery/deps.js'
import { formReader } from '../platform/http/body.js'
import { requestIdOf } from '../delivery/request-context.js'
import { logFailure } from '../platform/observability/log.js'
import { consumeMagicLink, findOpenLink, type OpenLink } from '../sign-in/magic-link/consume.js'
import { consumeRelay, type RelayOutcome } from '../sign-in/relays/consume.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../directory/organizations/find-organization.js'
import { readPageAssets } from './frame/assets.js'
import { toBrandStyle } from './frame/brand.js'
import { findFlowSecret, flowSecretOf, secretOfOurForm, toCsrfField, toFlowCookie } from './frame/csrf.js'
import { errorPage } from './frame/error.js'
import { statusOfFailure } from './frame/failure.js'
import type { Frame } from './frame/layout.js'
import { linkCodePage } from './views/link-code.js'
import { logoutRouter } from './logout/router.js'
import { magicLinkPage } from './views/magic-link.js'
import { onboardingRouter } from './onboarding/router.js'
import { isOnlyLooking } from './frame/only-looking.js'
import { pageHeaders } from './frame/page-headers.js'
import { setPasswordRouter } from './set-password/router.js'
import { sessionsRouter } from './own-sessions/router.js'
import { signInRouter } from './sign-in/router.js'
import { ssoRouter } from './sso/router.js'
import { testIdpRouter } from './test-idp/router.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from './frame/site.js'

const magicLinkPath = '/t/:org_domain/magic-link'
const relayPath = '/relay/:token'

/** What a page says of an address of a relay that leads nowhere. */
const relayFailures = {
  dead: { status: 404, text: 'deadRelay' },
  email_taken: { status: 409, text: 'relayEmailTaken' },
  user_inactive: { status: 403, text: 'relayUserInactive' },
} as const satisfies Record<Extract<RelayOutcome, { refusal: string }>['refusal'], object>

/** The pages that people see, and what these load. */
export function pagesRouter(deps: Deps): Router {
  const { isHttps, baseUrl, productName } = deps.config
  const assets = readPageAssets()
  const site: Site = {
    isHttps,
    baseUrl,
    productName,
    styleUrl: assets.style.url,
    scriptUrl: assets.script.url,
  }
  const router = express.Router()

  for (const { name, type, hash, content } of [assets.style, assets.script]) {
    router.get(`/assets/:hash/${name}`, (req, res) => {
      // During a rollout a page of one version may ask a process of the other.
      const isOurs = req.params.hash === hash
      res.set('Cache-Control', isOurs ? 'public, max-age=31536000, immutable' : 'no-store')
      res.set('X-Content-Type-Options', 'nosniff').type(type).send(content)
    })
  }

  router.get('/t/:org_domain/brand.css', async (req, res) => {
    const organization = await findOrganizationByDomain(deps, domainOf(req))
    res.set('Cache-Control', 'public, max-age=300').set('X-Content-Type-Options', 'nosniff')
    res.type('css').send(toBrandStyle(organization?.color))
  })

  router.get(magicLinkPath, async (req, res) => {
    const token = textOf(req.query.token)
    const [organization, link] = await openLink(req, token)
    const frame = linkFrame(req, { organization, link, token })
    res.vary('Accept').vary('Accept-Language')
    if (organization === undefined || link === undefined) {
      sendPage(site, res.status(404), errorPage(frame, frame.texts.deadLink), frame)
      return
    }
    if (mayRedeemByGet(req, link)) {
      await redeem(req, res, token, frame)
      return
    }
    const secret = flowSecretOf(req.headers.cookie, isHttps)
    res.append('Set-Cookie', toFlowCookie(secret, isHttps))
    const page = magicLinkPage({
      frame,
      purpose: link.purpose,
      email: link.email,
      isOtherBrowser: link.isOtherBrowser,
      organizationName: organization.name,
      action: `/t/${organization.domain}/magic-link?ui_locales=${frame.texts.lang}`,
      token,
      csrf: toCsrfField(secret, token),
    })
    sendPage(site, res, page, { organization, redirectUri: link.redirectUri })
  })

  router.post(magicLinkPath, formReader(16 * 1024), async (req, res) => {
    const token = textOf(formOf(req).token)
    const organization = await findOrganizationByDomain(deps, domainOf(req))
    const frame = linkFrame(req, { organization, link: undefined, token: '' })
    if (secretOfOurForm(req, site, token) === undefined) {
      sendPage(site, res.status(403), errorPage(frame, frame.texts.otherBrowser), frame)
      return
    }
    await redeem(req, res, token, frame)
  })

  router.all(magicLinkPath, (req, res) => {
    const frame = linkFrame(req, { organization: undefined, link: undefined, token: '' })
    sendPage(
      site,
      res.status(405).set('Allow', 'GET, HEAD, POST'),
      errorPage(frame, frame.texts.deadLink),
      frame,
    )
  })

  router.use(setPasswordRouter(deps, site))
  router.use(onboardingRouter(deps, site))
  router.use(ssoRouter(deps, site))
  router.use(testIdpRouter(deps, site))
  router.use(signInRouter(deps, site))
  router.use(sessionsRouter(deps, site))

  router.get(relayPath, async (req, res) => {
    res.set(pageHeaders(isHttps)).vary('Accept-Language')
    if (isOnlyLooking(req)) {
      res.status(204).end()
      return
    }
    const outcome = await consumeRelay(deps, { token: req.params.token, requestId: requestIdOf(req) })
    if ('refusal' in outcome) {
      const { status, text } = relayFailures[outcome.refusal]
      const frame = onceShown(req)
      sendPage(site, res.status(status), errorPage(frame, frame.texts[text]), frame)
      return
    }
    res.status(303).set('Location', outcome.redirectUrl).end()
  })

  router.all(relayPath, (req, res) => {
    const frame = onceShown(req)
    sendPage(site, res.status(405).set('Allow', 'GET, HEAD'), errorPage(frame, frame.texts.deadRelay), frame)
  })

  router.use(logoutRouter(deps, site))

  router.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent) {
      next(error)
      return
    }
    const status = statusOfFailure(error)
    const address = linkFrame(req, { organization: undefined, link: undefined, token: '' })
    // What was sent cannot be sent again by a link.
    const frame = req.method === 'POST' ? { ...address, url: undefined } : address
    if (status >= 500) logFailure(deps.log, error, { request_id: requestIdOf(req) }, 'a page failed')
    if (status === 503) res.set('Retry-After', '5')
    const sentence = status >= 500 ? frame.texts.failure : frame.texts.unreadable
    sendPage(
      site,
      res.status(status),
      errorPage(frame, sentence, frame.texts.reference(requestIdOf(req))),
      frame,
    )
  })

  return router

  function openLink(
    req: Request,
    token: string,
  ): Promise<[PublicOrganization | undefined, OpenLink | undefined]> {
    const organizationDomain = domainOf(req)
    return Promise.all([
      findOrganizationByDomain(deps, organizationDomain),
      findOpenLink(deps, {
        organizationDomain,
        token,
        browserSecret: findFlowSecret(req.headers.cookie, isHttps),
      }),
    ])
  }

  async function redeem(req: Request, res: Response, token: string, frame: Frame): Promise<void> {
    const outcome = await consumeMagicLink(deps, {
      organizationDomain: domainOf(req),
      token,
      requestId: requestIdOf(req),
      browserSecret: findFlowSecret(req.headers.cookie, isHttps),
    })
    if (outcome === undefined) {
      sendPage(site, res.status(404), errorPage(frame, frame.texts.deadLink), frame)
      return
    }
    if ('code' in outcome) {
      sendPage(site, res, linkCodePage({ frame: { ...frame, url: undefined }, ...outcome }), frame)
      return
    }
    const { redirectUrl } = outcome
    // 303 and not 302: what was a POST here is a GET there (RFC 9110 section 15.4.4).
    res.status(303).set(pageHeaders(isHttps, redirectUrl)).set('Location', redirectUrl).end()
  }

  /** The frame of a page whose address has had its one use, so that no link may lead to it again. */
  function onceShown(req: Request): Frame {
    return { ...linkFrame(req, { organization: undefined, link: undefined, token: '' }), url: undefined }
  }

  function linkFrame(
    req: Request,
    at: { organization: PublicOrganization | undefined; link: OpenLink | undefined; token: string },
  ): Frame {
    const query = at.token === '' ? '' : `?token=${encodeURIComponent(at.token)}`
    const isSandbox = at.link?.environment === 'sandbox'
    return frameOf(site, req, { organization: at.organization, isSandbox, url: `${req.path}${query}` })
  }
}

/**
 * A GET signs in only for a test that calls itself one: in the sandbox, with a link that the API has returned, and
 * asking for JSON by name, which no browser and no reader of mail does.
 */
function mayRedeemByGet(req: Request, link: OpenLink): boolean {
  const asksForJson = /(^|,)\s*application\/json\s*(;|,|$)/i.test(req.headers.accept ?? '')
  return req.method === 'GET' && asksForJson && link.environment === 'sandbox' && link.isLinkReturned
}
