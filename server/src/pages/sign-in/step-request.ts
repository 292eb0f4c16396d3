import { maxCredentialBytes } from '@portico/contract/passkey-credentials'
import type { Deps } from '../../delivery/deps.js'
import { accountFlowPath } from '../../sign-in/account-flows/account-flow-url.js'
import { callerAtPage, type Flow, type Step } from '../../sign-in/flows/flow.js'
import { websiteOf } from '../../sign-in/flows/way-back.js'
import type { PublicOrganization } from '../../directory/organizations/find-organization.js'
import { isAccountPage, isStepUpOfAccountPage } from '../../directory/account-page-client.js'
import { displayName } from '../../platform/display-name.js'
import { demandsPasskey } from '../../tokens/acr.js'
import { fromAccountPath, toAccountPath } from '../frame/account-path.js'
import { toCsrfField } from '../frame/csrf.js'
import { findLastProvider } from '../frame/last-provider-cookie.js'
import type { Frame } from '../frame/layout.js'
import { formOf, frameOf, textOf, type PageRequest, type Site } from '../frame/site.js'
import type { StepRequest } from '../frame/step-page.js'
import { visitAt } from '../frame/visitor.js'

/** Of the answer of an authenticator; longer than a password may be, so that the password policy refuses too long ones. */
const maxFieldLength = maxCredentialBytes

/** Collects the data that the page of a step needs. */
export function toStepRequest({
  deps,
  site,
  req,
  flow,
  organization,
  secret,
  requestId,
}: {
  readonly deps: Deps
  readonly site: Site
  readonly req: PageRequest & {
    readonly path: string
    readonly ip?: string | undefined
    readonly headers: { readonly cookie?: string | undefined; readonly 'user-agent'?: string | undefined }
  }
  readonly flow: Flow
  readonly organization: PublicOrganization | undefined
  /** Of the flow cookie. */
  readonly secret: string
  readonly requestId: string
}): StepRequest {
  const fields = formOf(req)
  const field = (name: string) => textOf(fields[name], maxFieldLength)
  const query = (name: string) => textOf(req.query[name])
  const frame = frameOf(site, req, {
    organization,
    isSandbox: flow.environment === 'sandbox',
    url: withQuery(req.path, { way: query('way') }),
    uiLocales: flow.locale,
  })
  const elsewhere = isStepUpOfAccountPage(flow)
    ? accountOf(flow, frame, query('ui_locales'))
    : elsewhereOf(flow, frame)
  const action = withQuery(req.path, { way: query('way'), ui_locales: query('ui_locales') })
  const applicationName = isAccountPage(flow.applicationId)
    ? frame.texts.account.heading
    : flow.applicationName
  const caller = callerAtPage(flow, requestId, flow.userId)
  return {
    deps,
    flow: { ...flow, applicationName },
    caller: { ...caller, cause: { ...caller.cause, visit: visitAt(req) }, domain: flow.domain },
    frame: { ...frame, elsewhere },
    form: { action, csrf: toCsrfField(secret, flow.flowId) },
    field,
    query,
    userAgent: req.headers['user-agent'],
    lastProvider: findLastProvider(req.headers.cookie, site.isHttps),
    ip: req.ip ?? '',
  }
}

/**
 * The way elsewhere, as long as the user may want it: to the list of the account's organizations, or, where the application has
 * named this one as in a switch, back to the application. A page whose button leads back there has no such link besides.
 */
function elsewhereOf(
  { accountFlowId, accountDomain, step, issuer, redirectUri, applicationName, claims }: Flow,
  { texts }: Frame,
): Frame['elsewhere'] {
  if (issuer !== 'account' || !stepsBeforeAnswer.includes(step)) return undefined
  if (accountFlowId !== null)
    return { label: texts.accountSignIn.elsewhere, url: accountFlowPath(accountDomain, accountFlowId) }
  if (step === 'totp' && demandsPasskey(claims)) return undefined
  const url = websiteOf(redirectUri)
  return url === undefined ? undefined : { label: texts.backTo(displayName(applicationName)), url }
}

/**
 * The way back to the account page, which asks for a factor before a change and may be left as it is. The state says where the user
 * has come from, and in which language unless they have chosen another one since.
 */
function accountOf(
  { step, domain, environment, state }: Flow,
  { texts }: Frame,
  chosen: string,
): Frame['elsewhere'] {
  if (!stepsBeforeAnswer.includes(step)) return undefined
  const from = fromAccountPath(state)
  const locale = chosen === '' ? from?.locale : texts.lang
  const place = { domain, section: undefined, environment, locale, cameFrom: from?.cameFrom }
  return { label: texts.account.back, url: toAccountPath(place) }
}

const stepsBeforeAnswer: readonly Step[] = [
  'identifier',
  'identity_provider',
  'password',
  'link_sent',
  'totp',
]

/** An address with the parameters that have a value. */
function withQuery(path: string, parameters: Readonly<Record<string, string>>): string {
  const present = Object.entries(parameters).filter(([, value]) => value !== '')
  return present.length === 0 ? path : `${path}?${new URLSearchParams(present).toString()}`
}
