import express, { type ErrorRequestHandler, type Router } from 'express'
import type { Deps } from '../delivery/deps.js'
import { requestIdOf } from '../delivery/request-context.js'
import { logFailure } from '../platform/observability/log.js'
import { findAccountByDomain } from '../directory/organizations/find-account.js'
import { findOrganizationByDomain } from '../directory/organizations/find-organization.js'
import { readPageAssets } from './frame/assets.js'
import { toBrandStyle } from './frame/brand.js'
import { statusOfFailure } from './frame/failure.js'
import type { ExportOwnData } from './account/section.js'
import { accountPageRouter } from './account/router.js'
import { accountSignInRouter } from './account-sign-in/router.js'
import { logoutRouter } from './logout/router.js'
import { messageRouter } from './message/router.js'
import { emailLinkRouter } from './email-link/router.js'
import { impersonationRouter } from './impersonation/router.js'
import { invitationRouter } from './invitation/router.js'
import { magicLinkRouter } from './magic-link/router.js'
import { onboardingRouter } from './onboarding/router.js'
import { sendSentence } from './frame/page-route.js'
import { relayRouter } from './relay/router.js'
import { setPasswordRouter } from './set-password/router.js'
import { sessionsRouter } from './own-sessions/router.js'
import { signInRouter } from './sign-in/router.js'
import { socialRouter } from './social/router.js'
import { ssoRouter } from './sso/router.js'
import { testIdpRouter } from './test-idp/router.js'
import { frameOf, issuerAt, pathsOfIssuers, type Site } from './frame/site.js'

/** Pages of a room above this one. */
type MorePages = (deps: Deps, site: Site) => Router

/** The pages, and the files that they load. */
export function pagesRouter(
  deps: Deps,
  exportOwnData: ExportOwnData,
  ...others: readonly MorePages[]
): Router {
  const { isHttps, baseUrl, productName } = deps.config
  const assets = readPageAssets()
  const site: Site = {
    isHttps,
    baseUrl,
    productName,
    styleUrl: assets.style.url,
    screensStyleUrl: assets.screensStyle.url,
    scriptUrl: assets.script.url,
    passkeyScriptUrl: assets.passkeyScript.url,
    fontUrl: assets.fonts[0].url,
  }
  const router = express.Router()

  // First, because applications ask it more often than people open a page, and Express tries one path after the other.
  router.use(signInRouter(deps, site))

  for (const { name, type, hash, content } of [
    assets.style,
    assets.screensStyle,
    assets.script,
    assets.passkeyScript,
    ...assets.fonts,
  ]) {
    router.get(`/assets/:hash/${name}`, (req, res) => {
      // During a rollout a page of one version may request its files from a process of the other.
      const isOurs = req.params.hash === hash
      res.set('Cache-Control', isOurs ? 'public, max-age=31536000, immutable' : 'no-store')
      res.set('X-Content-Type-Options', 'nosniff').type(type).send(content)
    })
  }

  // Where passkeys of this domain may be used (Web Authentication Level 3 section 5.11).
  router.get('/.well-known/webauthn', (_req, res) => {
    res.set('Cache-Control', 'public, max-age=300').json({ origins: [baseUrl] })
  })

  router.get(pathsOfIssuers('/brand.css'), async (req, res) => {
    const { kind, domain } = issuerAt(req)
    const { color } =
      (kind === 'account'
        ? (await findAccountByDomain(deps, domain))?.look
        : await findOrganizationByDomain(deps, domain)) ?? {}
    res.set('Cache-Control', 'public, max-age=300').set('X-Content-Type-Options', 'nosniff')
    res.type('css').send(toBrandStyle(color ?? undefined))
  })

  router.use(magicLinkRouter(deps, site))
  router.use(emailLinkRouter(deps, site))
  router.use(impersonationRouter(deps, site))
  router.use(invitationRouter(deps, site))
  router.use(setPasswordRouter(deps, site))
  router.use(onboardingRouter(deps, site))
  router.use(ssoRouter(deps, site))
  router.use(testIdpRouter(deps, site))
  router.use(socialRouter(deps, site))
  router.use(accountSignInRouter(deps, site))
  router.use(accountPageRouter(deps, site, exportOwnData))
  router.use(sessionsRouter(deps, site))

  router.use(relayRouter(deps, site))
  router.use(logoutRouter(deps, site))

  router.use(messageRouter(deps, site))
  for (const more of others) router.use(more(deps, site))

  router.use(failures(deps, site))
  return router
}

/** The error page. */
function failures({ log }: Deps, site: Site): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) {
      next(error)
      return
    }
    const status = statusOfFailure(error)
    // A link cannot repeat a POST.
    const url = req.method === 'POST' ? undefined : req.path
    const frame = frameOf(site, req, { organization: undefined, isSandbox: false, url })
    if (status >= 500) logFailure(log, error, { request_id: requestIdOf(req) }, 'a page failed')
    if (status === 503) res.set('Retry-After', '5')
    const isRepeatable = req.method === 'GET' && /^\/\w/.test(req.originalUrl)
    const back = isRepeatable ? { label: frame.texts.tryAgain, url: req.originalUrl } : undefined
    if (status >= 500) sendSentence({ site, req, res }, status, frame, 'failure', { back })
    else sendSentence({ site, req, res }, status, frame, 'unreadable')
  }
}
