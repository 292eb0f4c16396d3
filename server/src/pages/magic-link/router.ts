import type { Request, Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import { formReader } from '../../platform/http/body.js'
import { consumeMagicLink, findOpenLink, type OpenLink } from '../../sign-in/magic-link/consume.js'
import { findFlowSecret, secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import type { Frame } from '../frame/layout.js'
import { keepFlowSecret, pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { linkCodePage } from '../views/link-code.js'
import { magicLinkPage } from '../views/magic-link.js'

/** The page of a mailed link, whose form signs the user in. */
export function magicLinkRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: '/t/:org_domain/magic-link',
      get: showLink,
      read: [formReader(16 * 1024)],
      post: takeForm,
      otherwise: (exchange, status) => sendDeadLink(exchange, status, linkFrame(exchange)),
    },
  ])
}

async function showLink(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const token = textOf(req.query.token)
  const organizationDomain = domainOf(req)
  const browserSecret = findFlowSecret(req.headers.cookie, site.isHttps)
  const [organization, link] = await Promise.all([
    findOrganizationByDomain(deps, organizationDomain),
    findOpenLink(deps, { organizationDomain, token, browserSecret }),
  ])
  const frame = linkFrame(exchange, { organization, link, token })
  res.vary('Accept').vary('Accept-Language')
  if (organization === undefined || link === undefined) {
    sendDeadLink(exchange, 404, frame)
    return
  }
  if (mayConsumeByGet(req, link)) {
    await consume(exchange, token, frame)
    return
  }
  const secret = keepFlowSecret(exchange)
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
  sendPage(site, res, page, { organization, redirectUri: link.endUri })
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  const token = textOf(formOf(req).token)
  const organization = await findOrganizationByDomain(deps, domainOf(req))
  const frame = linkFrame(exchange, { organization })
  if (secretOfOurForm(req, site, token) === undefined) {
    sendSentence(exchange, 403, frame, 'otherBrowser')
    return
  }
  await consume(exchange, token, frame)
}

async function consume(exchange: Exchange, token: string, frame: Frame): Promise<void> {
  const { deps, site, req, res } = exchange
  const outcome = await consumeMagicLink(deps, {
    organizationDomain: domainOf(req),
    token,
    requestId: requestIdOf(req),
    browserSecret: findFlowSecret(req.headers.cookie, site.isHttps),
  })
  if (outcome === undefined) sendDeadLink(exchange, 404, frame)
  else if ('refusal' in outcome) sendSentence(exchange, 403, frame, 'noSeat')
  else if ('code' in outcome) {
    const { code, applicationName, environment } = outcome
    const shown = { ...frame, isSandbox: environment === 'sandbox', url: undefined }
    sendPage(site, res, linkCodePage({ frame: shown, code, applicationName }), frame)
  } else redirect(exchange, outcome.redirectUrl, outcome.redirectUrl)
}

function sendDeadLink(exchange: Exchange, status: number, frame: Frame): void {
  sendSentence(exchange, status, frame, 'deadLink')
}

interface LinkAt {
  readonly organization?: PublicOrganization | undefined
  readonly link?: OpenLink | undefined
  readonly token?: string
}

function linkFrame({ site, req }: Exchange, { organization, link, token = '' }: LinkAt = {}): Frame {
  const query = token === '' ? '' : `?token=${encodeURIComponent(token)}`
  const isSandbox = link?.environment === 'sandbox'
  return frameOf(site, req, { organization, isSandbox, url: `${req.path}${query}` })
}

/**
 * Whether a GET signs in: only for tests, in the sandbox, with a link that the API has returned, and with JSON in the
 * Accept header, which browsers and mail scanners do not send.
 */
function mayConsumeByGet(req: Request, link: OpenLink): boolean {
  const asksForJson = /(^|,)\s*application\/json\s*(;|,|$)/i.test(req.headers.accept ?? '')
  return req.method === 'GET' && asksForJson && link.environment === 'sandbox' && link.isLinkReturned
}
