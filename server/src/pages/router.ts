import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { OrganizationPath } from '@portico/contract/fields'
import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Deps } from '../deps.js'
import { requestIdOf } from '../http/request-context.js'
import { consumeMagicLink, findOpenLink, type OpenLink } from '../magic-link/consume.js'
import { consumeRelay, type RelayOutcome } from '../relays/consume.js'
import { findOrganizationByDomain, type PublicOrganization } from '../organizations/find-organization.js'
import { toBrandStyle } from './brand.js'
import {
  findFlowSecret,
  flowSecretOf,
  isCsrfFieldOf,
  isSentByOurPage,
  toCsrfField,
  toFlowCookie,
} from './csrf.js'
import { errorPage } from './error.js'
import { statusOfFailure } from './failure.js'
import type { Frame } from './layout.js'
import { textsFor } from './locale.js'
import { magicLinkPage } from './magic-link.js'
import { pageHeaders } from './page-headers.js'
import type { PageTexts } from './texts/en.js'

const magicLinkPath = '/t/:org_domain/magic-link'
const relayPath = '/relay/:token'

/** What a page says of an address of a relay that leads nowhere. */
const relayFailures = {
  dead: { status: 404, text: 'deadRelay' },
  email_taken: { status: 409, text: 'relayEmailTaken' },
  user_inactive: { status: 403, text: 'relayUserInactive' },
} as const satisfies Record<Extract<RelayOutcome, { refusal: string }>['refusal'], object>

/** The pages that people see, and the style sheets these load. */
export function pagesRouter(deps: Deps): Router {
  const { isHttps, baseUrl, productName } = deps.config
  // The sources are shipped beside what is compiled from them.
  const style = readFileSync(new URL('../../src/pages/style.css', import.meta.url))
  const styleHash = createHash('sha256').update(style).digest('base64url').slice(0, 16)
  const styleUrl = `/assets/${styleHash}/pages.css`
  const router = express.Router()

  router.get('/assets/:hash/pages.css', (req, res) => {
    // During a rollout a page of one version may ask a process of the other.
    const isOurs = req.params.hash === styleHash
    res.set('Cache-Control', isOurs ? 'public, max-age=31536000, immutable' : 'no-store')
    res.set('X-Content-Type-Options', 'nosniff').type('css').send(style)
  })

  router.get('/t/:org_domain/brand.css', async (req, res) => {
    const organization = await findOrganizationByDomain(deps, domainOf(req))
    res.set('Cache-Control', 'public, max-age=300').set('X-Content-Type-Options', 'nosniff')
    res.type('css').send(toBrandStyle(organization?.color))
  })

  router.get(magicLinkPath, async (req, res) => {
    const token = textOf(req.query.token)
    const [organization, link] = await openLink(req, token)
    const frame = frameOf(req, { organization, link, token })
    res.vary('Accept').vary('Accept-Language')
    if (organization === undefined || link === undefined) {
      sendPage(res.status(404), errorPage(frame, frame.texts.deadLink))
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
      organizationName: organization.name,
      action: `/t/${organization.domain}/magic-link?ui_locales=${frame.texts.lang}`,
      token,
      csrf: toCsrfField(secret, token),
    })
    sendPage(res, page, link.redirectUri)
  })

  router.post(magicLinkPath, express.urlencoded({ extended: false, limit: '16kb' }), async (req, res) => {
    const { token: sentToken, csrf: sentCsrf } = formOf(req)
    const token = textOf(sentToken)
    const organization = await findOrganizationByDomain(deps, domainOf(req))
    const frame = frameOf(req, { organization, link: undefined, token: '' })
    const secret = findFlowSecret(req.headers.cookie, isHttps)
    const isOurForm = secret !== undefined && isCsrfFieldOf(secret, token, textOf(sentCsrf))
    if (!isOurForm || !isSentByOurPage(req.headers, baseUrl)) {
      sendPage(res.status(403), errorPage(frame, frame.texts.otherBrowser))
      return
    }
    await redeem(req, res, token, frame)
  })

  router.all(magicLinkPath, (req, res) => {
    const frame = frameOf(req, { organization: undefined, link: undefined, token: '' })
    sendPage(res.status(405).set('Allow', 'GET, HEAD, POST'), errorPage(frame, frame.texts.deadLink))
  })

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
      sendPage(res.status(status), errorPage(frame, frame.texts[text]))
      return
    }
    res.status(303).set('Location', outcome.redirectUrl).end()
  })

  router.all(relayPath, (req, res) => {
    const frame = onceShown(req)
    sendPage(res.status(405).set('Allow', 'GET, HEAD'), errorPage(frame, frame.texts.deadRelay))
  })

  router.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent) {
      next(error)
      return
    }
    const frame = frameOf(req, { organization: undefined, link: undefined, token: '' })
    const status = statusOfFailure(error)
    if (status >= 500) deps.log.error({ request_id: requestIdOf(req), err: error }, 'a page failed')
    if (status === 503) res.set('Retry-After', '5')
    const sentence = status >= 500 ? frame.texts.failure : frame.texts.otherBrowser
    sendPage(res.status(status), errorPage(frame, sentence, frame.texts.reference(requestIdOf(req))))
  })

  return router

  function openLink(
    req: Request,
    token: string,
  ): Promise<[PublicOrganization | undefined, OpenLink | undefined]> {
    const organizationDomain = domainOf(req)
    return Promise.all([
      findOrganizationByDomain(deps, organizationDomain),
      findOpenLink(deps, { organizationDomain, token }),
    ])
  }

  async function redeem(req: Request, res: Response, token: string, frame: Frame): Promise<void> {
    const link = { organizationDomain: domainOf(req), token, requestId: requestIdOf(req) }
    const redirectUrl = await consumeMagicLink(deps, link)
    if (redirectUrl === undefined) {
      sendPage(res.status(404), errorPage(frame, frame.texts.deadLink))
      return
    }
    // 303 and not 302: what was a POST here is a GET there (RFC 9110 section 15.4.4).
    res.status(303).set(pageHeaders(isHttps, redirectUrl)).set('Location', redirectUrl).end()
  }

  function sendPage(res: Response, page: string, redirectUri?: string): void {
    res.set(pageHeaders(isHttps, redirectUri)).type('html').send(page)
  }

  /** The frame of a page whose address has had its one use, so that no link may lead to it again. */
  function onceShown(req: Request): Frame {
    return { ...frameOf(req, { organization: undefined, link: undefined, token: '' }), url: undefined }
  }

  function frameOf(
    req: Request,
    at: { organization: PublicOrganization | undefined; link: OpenLink | undefined; token: string },
  ): Frame {
    const texts = textsOf(req, at.organization)
    const query = at.token === '' ? '' : `?token=${encodeURIComponent(at.token)}`
    return {
      texts,
      organization: at.organization,
      isSandbox: at.link?.environment === 'sandbox',
      productName,
      styleUrl,
      url: `${req.path}${query}`,
    }
  }
}

function textsOf(req: Request, organization: PublicOrganization | undefined): PageTexts {
  return textsFor({
    uiLocales: textOf(req.query.ui_locales),
    organizationLocale: organization?.locale,
    acceptLanguage: req.headers['accept-language'],
  })
}

/**
 * A GET signs in only for a test that calls itself one: in the sandbox, with a link that the API has returned, and
 * asking for JSON by name, which no browser and no reader of mail does.
 */
function mayRedeemByGet(req: Request, link: OpenLink): boolean {
  const asksForJson = /(^|,)\s*application\/json\s*(;|,|$)/i.test(req.headers.accept ?? '')
  return req.method === 'GET' && asksForJson && link.environment === 'sandbox' && link.isLinkReturned
}

/**
 * Whether nobody has gone to the address yet: a HEAD, or what a browser loads ahead (Fetch Standard, `Sec-Purpose`; the
 * others are what browsers sent before).
 */
function isOnlyLooking({ method, headers }: Request): boolean {
  const purposes = [headers['sec-purpose'], headers['purpose'], headers['x-moz'], headers['x-purpose']].flat()
  return method === 'HEAD' || purposes.some((purpose) => /^\s*(prefetch|preview)\b/i.test(purpose ?? ''))
}

function domainOf(req: Request): string {
  return OrganizationPath.parse(req.params).org_domain
}

function formOf(req: Request): Record<string, unknown> {
  const body: unknown = req.body
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

/** A parameter; the empty text when it is missing, is none, or is longer than any of ours. */
function textOf(value: unknown): string {
  return typeof value === 'string' && value.length <= 300 ? value : ''
}
