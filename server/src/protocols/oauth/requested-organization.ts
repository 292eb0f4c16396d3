import type { Deps } from '../../delivery/deps.js'
import { lastUsedWith, type UsedAccount } from '../../directory/sessions/used-organizations.js'
import { normalizeEmail } from '../../platform/email.js'
import { findRoutedDomain } from '../../sign-in/account-flows/routed-domain.js'
import { findDomainOfConnection } from '../../sso/sign-in/connection-of-address.js'
import { hintedEmail, type AuthorizationFault } from './authorization-request.js'
import {
  findClientAtAccount,
  type AskingApplication,
  type AskingClient,
  type AuthorizingClient,
} from './authorizing-client.js'
import { findAccountSession, type AccountSession } from './account-sessions.js'
import type { OrganizationPlace } from './organization-decision.js'
import { isSignInAskedFor, requirementsAt, sessionFit, type HintedRequest } from './session-fit.js'

/** What a browser shows of itself by its cookies. */
export interface KnownBrowser {
  /** Reads all session cookies, of whichever organization and environment. */
  readonly listSessionSecrets: () => readonly string[]
  /** Reads what it remembers of an account, sealed. */
  readonly findRemembered: (account: UsedAccount) => string | undefined
  /** Reads the cookie of its e-mail session at an account. */
  readonly findEmailSecret: (account: UsedAccount) => string | undefined
}

/**
 * The organization at which the user of a request signs in, with the session that has decided it, if any; or why there is no
 * organization.
 */
export type Place =
  | OrganizationPlace
  /** Nobody is known: the organization is found by the user, on the account's pages. */
  | { readonly account: AskingApplication }
  | { readonly fault: AuthorizationFault }

/**
 * The organization of a request: at its own issuer the one that was asked. At an account's issuer the one that `organization`,
 * `id_token_hint` or `idp_hint` names, in this order; else the only one that the application is for; else, of those at which the
 * browser has a session that is enough, or lacks only the second factor, the last used; else the one that the browser has last used with
 * the address of `login_hint`, or whose connection alone has its domain.
 */
export async function placeOf(
  deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>,
  asking: AskingClient,
  named: HintedRequest,
  browser: KnownBrowser,
): Promise<Place> {
  const { application, client } = asking
  const { request, hint } = named
  if (application.issuer === 'organization') return placeAtItself(asking, named)
  if (request.organization !== undefined) {
    if (hint !== undefined && hint.organizationDomain !== request.organization)
      return { fault: otherOrganization }
    return client === undefined ? { fault: notUsable } : { client }
  }
  const domain =
    hint?.organizationDomain ?? (await findDomainOfConnection(deps, application, request.idp_hint))
  if (domain !== undefined) {
    const of = await findClientAt(deps, application, { domain })
    return of === undefined ? { fault: notUsable } : { client: of }
  }
  if (client !== undefined) return { client }
  if (request.prompt?.includes('select_organization') === true) return { account: application }
  const found = await findFitting(deps, application, named, browser.listSessionSecrets())
  if (found !== undefined) return { client: found.client, found }
  if (request.prompt?.includes('none') === true) return { fault: nobodySignedIn }
  const email = hintedEmail(request)
  const isChoosing = request.prompt?.some((value) => choosing.includes(value)) === true
  const place =
    email === undefined || isChoosing ? undefined : await placeOfAddress(deps, application, email, browser)
  return place ?? { account: application }
}

/**
 * The organization of an address that is typed or hinted: the one that the browser has last used with it, or the only one whose
 * connection has its domain.
 */
export async function placeOfAddress(
  deps: Pick<Deps, 'db' | 'keys'>,
  application: AskedApplication,
  email: string,
  { findRemembered }: Pick<KnownBrowser, 'findRemembered'>,
): Promise<OrganizationPlace | undefined> {
  const normalized = normalizeEmail(email)
  const usedId = lastUsedWith(deps, application, findRemembered(application), normalized)
  const used =
    usedId === undefined ? undefined : await findClientAt(deps, application, { organizationId: usedId })
  if (used !== undefined) return { client: used }
  const routed = await findRoutedDomain(deps, application, normalized)
  if (routed === undefined) return undefined
  const { organizationId, connectionId } = routed
  const client = await findClientAt(deps, application, { organizationId })
  return client && { client, connectionId }
}

/** The application of a request at the account's issuer. */
type AskedApplication = Pick<
  AskingApplication,
  'accountId' | 'accountDomain' | 'environment' | 'applicationId' | 'redirectUri'
>

/** The application at an organization of its account; undefined where it cannot use it. */
export async function findClientAt(
  deps: Pick<Deps, 'db'>,
  { accountDomain, applicationId: clientId, redirectUri }: AskedApplication,
  organization: Parameters<typeof findClientAtAccount>[3],
): Promise<AuthorizingClient | undefined> {
  const found = await findClientAtAccount(deps, accountDomain, { clientId, redirectUri }, organization)
  return 'reason' in found ? undefined : found.client
}

/** Prompts with which no page of an organization comes next. */
const choosing: readonly string[] = ['select_account', 'create']

/** The last used of the browser's sessions that the request accepts. */
async function findFitting(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  application: AskingApplication,
  named: HintedRequest,
  secrets: readonly string[],
): Promise<AccountSession | undefined> {
  if (isSignInAskedFor(named.request)) return undefined
  return findAccountSession(deps, application, secrets, ({ client, session }) => {
    const fit = sessionFit(session, requirementsAt(client, named, deps.now()))
    return fit === 'enough' || fit === 'step_up'
  })
}

function placeAtItself({ client }: AskingClient, { hint }: HintedRequest): Place {
  if (client === undefined) throw new Error('a request at the issuer of an organization has one')
  return hint !== undefined && hint.organizationDomain !== client.domain ? { fault: foreignHint } : { client }
}

export const foreignHint: AuthorizationFault = {
  error: 'invalid_request',
  description: 'id_token_hint is not an ID token of this organization and environment',
}
const otherOrganization: AuthorizationFault = {
  error: 'invalid_request',
  description: 'id_token_hint is of another organization than organization names',
}
/** One text, so that nobody learns which organizations there are. */
const notUsable: AuthorizationFault = {
  error: 'invalid_request',
  description: 'organization is not one that this application can use',
}
const nobodySignedIn: AuthorizationFault = {
  error: 'login_required',
  description: 'no organization is named at which the user could be signed in, and prompt is none',
}
