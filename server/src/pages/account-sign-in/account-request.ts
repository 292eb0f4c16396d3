import { AccountPath } from '@portico/contract/fields'
import { maxCredentialBytes } from '@portico/contract/passkey-credentials'
import type { ChoosingBrowser, Entrance } from '../../protocols/oauth/account-authorization.js'
import type { AccountFlow } from '../../sign-in/account-flows/account-flow.js'
import type { ProvedMailbox } from '../../sign-in/account-flows/open-email-link.js'
import { findRemembered } from '../frame/account-cookie.js'
import { toCsrfField } from '../frame/csrf.js'
import type { Frame } from '../frame/layout.js'
import { ownerOfAccount } from '../frame/page-owner.js'
import { isNavigation } from '../frame/navigation.js'
import type { Exchange } from '../frame/page-route.js'
import { findSessionSecret, listSessionSecrets } from '../frame/session-cookie.js'
import { formOf, frameOf, textOf, type PageRequest } from '../frame/site.js'
import type { PageForm, StepAnswer } from '../frame/step-page.js'

/** A request for a page of an account flow, from the browser that the flow belongs to. */
export interface AccountRequest extends Pick<Exchange, 'deps'> {
  readonly flow: AccountFlow
  readonly frame: Frame
  readonly form: PageForm
  readonly browser: ChoosingBrowser
  /** A field of the submitted form; '' when it is missing. */
  readonly field: (name: string) => string
  /** A parameter of the address; '' when it is missing. */
  readonly query: (name: string) => string
  /** Used only for limits. */
  readonly ip: string
  readonly requestId: string
}

/** A page, with the logos of the organizations that it lists. */
export interface ShownPage {
  readonly page: string
  readonly logoUrls?: readonly string[]
}

/**
 * The result of a form: 'moved' shows the flow's current page, 'over' says that the flow cannot continue, an answer shows a page
 * with a fault; 'signed_out' forgets the mailbox, and others go on to an organization or the application.
 */
export type AccountOutcome =
  | 'over'
  | 'signed_out'
  | (StepAnswer & ShownPage)
  | ProvedMailbox
  | Exclude<Entrance, 'not_offered' | 'no_seat' | 'unproved'>

/** Collects what the page of a step needs. */
export function toAccountRequest(
  exchange: Exchange,
  flow: AccountFlow,
  { browserSecret, requestId }: Pick<ChoosingBrowser, 'browserSecret' | 'requestId'>,
): AccountRequest {
  const { deps, site, req } = exchange
  const fields = formOf(req)
  const frame = frameOf(site, req, {
    organization: ownerOfAccount(site.productName, flow.look),
    isSandbox: flow.environment === 'sandbox',
    url: req.path,
    uiLocales: flow.request.ui_locales ?? null,
  })
  const locale = textOf(req.query.ui_locales)
  const action = locale === '' ? req.path : `${req.path}?ui_locales=${encodeURIComponent(locale)}`
  return {
    deps,
    flow,
    frame,
    form: { action, csrf: toCsrfField(browserSecret, flow.flowId) },
    browser: browserOf(exchange, { browserSecret, requestId }),
    field: (name) => textOf(fields[name], maxCredentialBytes),
    query: (name) => textOf(req.query[name]),
    ip: req.ip ?? '',
    requestId,
  }
}

/** The browser, as a decision at an organization needs it. */
export function browserOf(
  { site: { isHttps }, req }: Exchange,
  { browserSecret, requestId }: Pick<ChoosingBrowser, 'browserSecret' | 'requestId'>,
): ChoosingBrowser {
  const { cookie } = req.headers
  return {
    isNavigation: isNavigation(req),
    browserSecret,
    ip: req.ip ?? '',
    findSessionSecret: (owner) => findSessionSecret(cookie, isHttps, owner),
    findRemembered: (account) => findRemembered(cookie, isHttps, account),
    listSessionSecrets: () => listSessionSecrets(cookie, isHttps),
    requestId,
  }
}

/** The account that the address names. */
export function accountOf({ params }: Pick<PageRequest, 'params'>): string {
  return AccountPath.parse(params).account_domain
}
