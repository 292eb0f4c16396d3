import type { Deps } from '../../delivery/deps.js'
import { accountFlowPath } from '../../sign-in/account-flows/account-flow-url.js'
import { callerAtPage, type Flow, type Step } from '../../sign-in/flows/flow.js'
import type { PublicOrganization } from '../../directory/organizations/find-organization.js'
import { toCsrfField } from '../frame/csrf.js'
import { formOf, frameOf, textOf, type PageRequest, type Site } from '../frame/site.js'
import type { StepRequest } from '../frame/step-page.js'

/** Longer than a password may be, so that the password policy refuses too long ones. */
const maxFieldLength = 5000

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
  readonly req: PageRequest & { readonly path: string; readonly ip?: string | undefined }
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
  const elsewhere = elsewhereOf(flow)
  const action = withQuery(req.path, { way: query('way'), ui_locales: query('ui_locales') })
  return {
    deps,
    flow,
    caller: { ...callerAtPage(flow, requestId, flow.userId), domain: flow.domain },
    frame: { ...frame, elsewhere },
    form: { action, csrf: toCsrfField(secret, flow.flowId) },
    field,
    query,
    ip: req.ip ?? '',
  }
}

/** The list of the account's organizations, as long as the user may want another one. */
function elsewhereOf({ accountFlowId, accountDomain, step }: Flow): string | undefined {
  if (accountFlowId === null || !stepsBeforeAnswer.includes(step)) return undefined
  return accountFlowPath(accountDomain, accountFlowId)
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
