import { findAccountByDomain } from '../../directory/organizations/find-account.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { continueDiscovery, findContinued } from '../../protocols/discoveries/continue.js'
import { findOpenDiscoveryLink, openDiscoveryLink } from '../../protocols/discoveries/open-discovery-link.js'
import { secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import type { Frame } from '../frame/layout.js'
import { ownerOfAccount, type PageOwner } from '../frame/page-owner.js'
import {
  inChosenLanguage,
  keepFlowSecret,
  redirect,
  sendPlainSentence,
  sendSentence,
  type Exchange,
} from '../frame/page-route.js'
import { remember } from '../frame/remember.js'
import { formOf, frameOf, sendPage, textOf } from '../frame/site.js'
import type { PageForm } from '../frame/step-page.js'
import { sendToApplication } from '../sign-in/application.js'
import { continuePage } from '../views/continue.js'
import { magicLinkPage } from '../views/magic-link.js'
import { accountOf, browserOf } from './account-request.js'

/** Shows the link of a discovery, whose button proves the mailbox. */
export async function showDiscoveryLink(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const token = textOf(req.query.token)
  const accountDomain = accountOf(req)
  const link = await findOpenDiscoveryLink(deps, { accountDomain, token })
  const account = link && (await findAccountByDomain(deps, accountDomain))
  const frame = frameAt(exchange, token, {
    organization: account && ownerOfAccount(site.productName, account.look),
    isSandbox: link?.environment === 'sandbox',
  })
  if (link === undefined) {
    sendSentence(exchange, 404, frame, 'deadLink')
    return
  }
  const page = magicLinkPage({
    frame,
    purpose: 'sign_in',
    email: link.email,
    organizationName: link.application_name,
    ...formAt(exchange, frame, token),
    token,
  })
  sendPage(site, res, page, { ...frame, redirectUri: link.redirect_uri })
}

/** Proves the mailbox, and sends the browser to the application with a code. */
export async function takeDiscoveryLink(exchange: Exchange, requestId: string): Promise<void> {
  const { deps, site, req } = exchange
  const token = textOf(formOf(req).token)
  if (secretOfOurForm(req, site, token) === undefined) {
    sendPlainSentence(exchange, 403, 'otherBrowser')
    return
  }
  const arrived = { accountDomain: accountOf(req), token }
  const redirectUrl = await openDiscoveryLink(deps, arrived, requestId)
  if (redirectUrl === undefined) sendPlainSentence(exchange, 404, 'deadLink')
  else redirect(exchange, redirectUrl, redirectUrl)
}

/** Shows whose sign-in goes on here, and at which organization. */
export async function showContinue(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const token = textOf(req.query.token)
  const continued = await findContinued(deps, { accountDomain: accountOf(req), token })
  const domain = continued?.request?.organization
  const organization = domain === undefined ? undefined : await findOrganizationByDomain(deps, domain)
  const frame = frameAt(exchange, token, { organization, isSandbox: continued?.environment === 'sandbox' })
  if (continued === undefined || organization === undefined) {
    sendSentence(exchange, 404, frame, 'deadLink')
    return
  }
  const page = continuePage({
    frame,
    form: formAt(exchange, frame, token),
    token,
    email: continued.email,
    organizationName: organization.name,
    applicationName: continued.application_name,
  })
  sendPage(site, res, page, { organization, redirectUri: continued.redirect_uri })
}

/** Goes on in this browser, on the pages of the organization or at the application. */
export async function takeContinue(exchange: Exchange, requestId: string): Promise<void> {
  const { deps, site, req } = exchange
  const token = textOf(formOf(req).token)
  const browserSecret = secretOfOurForm(req, site, token)
  if (browserSecret === undefined) {
    sendPlainSentence(exchange, 403, 'otherBrowser')
    return
  }
  const browser = browserOf(exchange, { browserSecret, requestId })
  const outcome = await continueDiscovery(deps, { accountDomain: accountOf(req), token }, browser)
  if (outcome === undefined) sendPlainSentence(exchange, 404, 'deadLink')
  else if ('path' in outcome) redirect(exchange, inChosenLanguage(exchange, outcome.path))
  else {
    if (outcome.remembered !== undefined) remember(exchange, outcome.remembered)
    await sendToApplication(exchange, outcome.answer, () => Promise.resolve(frameAt(exchange, '')))
  }
}

interface FrameOf {
  readonly organization?: PageOwner | undefined
  readonly isSandbox?: boolean
}

function frameAt(
  { site, req, res }: Exchange,
  token: string,
  { organization, isSandbox = false }: FrameOf = {},
): Frame {
  res.vary('Accept-Language')
  return frameOf(site, req, {
    organization,
    isSandbox,
    url: `${req.path}?token=${encodeURIComponent(token)}`,
  })
}

/** The one form of a page, bound to this browser and to the secret of its address. */
function formAt(exchange: Exchange, { texts }: Frame, token: string): PageForm {
  const action = `${exchange.req.path}?ui_locales=${texts.lang}`
  return { action, csrf: toCsrfField(keepFlowSecret(exchange), token) }
}
