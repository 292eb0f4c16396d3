import type { AuthorizationRequest } from '@portico/contract/authorize'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { limit, networkKey } from '../../delivery/limits/limits.js'
import { callerAtPage } from '../../sign-in/flows/flow.js'
import { skipFactors, skipFirstFactor, startFlow, type NewFlow } from '../../sign-in/flows/start.js'
import { findBrowserSession, type BrowserSession } from '../../directory/sessions/browser-session.js'
import {
  toAuthorizationAnswer,
  type AuthorizationAnswer,
} from '../../directory/sessions/authorization-answer.js'
import type { OrganizationUse, UsedAccount } from '../../directory/sessions/used-organizations.js'
import { normalizeEmail } from '../../platform/email.js'
import { findOpenConnections } from '../../sso/sign-in/connection-of-address.js'
import { ofUser } from '../../platform/tenant.js'
import {
  hintedEmail,
  hintedMethod,
  readAuthorizationRequest,
  readClient,
  readResponseMode,
  readOrganization,
  readState,
  type AuthorizationFault,
  type NamedClient,
} from './authorization-request.js'
import {
  findClientAtAccount,
  findClientAtOrganization,
  type AskingClient,
  type AuthorizingClient,
  type UnknownClient,
} from './authorizing-client.js'
import { toIssuer, type NamedIssuer } from '../../tokens/issuer.js'
import { foreignHint, placeOf, type KnownBrowser, type Place } from './requested-organization.js'
import { readIdTokenHint } from './id-token-hint.js'
import { isAcrUnknown, toRequestedClaims } from './requested-claims.js'
import { grantedScope } from '../../tokens/scopes.js'
import { issueSessionCode } from './session-code.js'
import { isReauthenticationRequired, requirementsAt, sessionFit, type HintedRequest } from './session-fit.js'

/** Sign-ins started by browsers, by network. */
const flowsOfNetwork = limit('ip-flow', { windowSeconds: 15 * 60, most: (settings) => settings.flowsPerIp })

/** A browser's request to the authorization endpoint. */
export interface Authorization extends KnownBrowser {
  /** The issuer whose endpoint was called. */
  readonly issuer: NamedIssuer
  readonly parameters: URLSearchParams
  /** Of the sending page, if the browser sends it. */
  readonly origin: string | undefined
  /** A cross-site POST comes without the browser's cookies, so its session cannot be found. */
  readonly isForm: boolean
  /** A top-level navigation, not a background load by another page. */
  readonly isNavigation: boolean
  /** Of the flow cookie, existing or new. */
  readonly browserSecret: string
  /** The client's address, only for rate limits. */
  readonly ip: string
  /** Reads the session cookie of an organization and environment. */
  readonly findSessionSecret: (
    owner: Pick<AuthorizingClient, 'organizationId' | 'environment'>,
  ) => string | undefined
  readonly requestId: string
}

/** A use of an organization that the browser shall remember. */
interface Remembered {
  readonly account: UsedAccount
  readonly use: OrganizationUse
}

/** Why a request has no answer at a redirect URI: also where client_id or redirect_uri is missing, malformed or repeated. */
export type UnansweredRequest = (Omit<UnknownClient, 'reason'> & Partial<NamedClient>) & {
  readonly reason: UnknownClient['reason'] | 'client_parameters'
}

/** Where the browser goes next. */
type AuthorizationOutcome =
  /** An error page: the redirect URI is not registered, so a redirect could reach an attacker. */
  | { readonly to: 'nowhere'; readonly refused: UnansweredRequest }
  /** The application, with a code or an error. */
  | {
      readonly to: 'application'
      readonly answer: AuthorizationAnswer
      readonly environment: AuthorizingClient['environment']
      readonly remembered?: Remembered | undefined
    }
  /** The pages of a new flow. */
  | {
      readonly to: 'flow'
      /** Of the organization, whose pages these are. */
      readonly domain: string
      readonly flowId: string
      readonly environment: AuthorizingClient['environment']
    }
  /** The same request by GET, which carries the browser's cookies. */
  | { readonly to: 'itself' }

/**
 * The authorization endpoint (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2). Without an application and its
 * registered redirect URI there is no redirect; every other error is redirected to that URI.
 */
export async function startAuthorization(
  deps: Deps,
  authorization: Authorization,
): Promise<AuthorizationOutcome> {
  const { parameters, issuer } = authorization
  const named = readClient(parameters)
  if (named === undefined) return { to: 'nowhere', refused: { reason: 'client_parameters' } }
  const asking = await findAsking(deps, authorization, named)
  if ('reason' in asking) return { to: 'nowhere', refused: { ...named, ...asking } }
  const { application } = asking
  const answer = (answered: Record<string, string>, remembered?: Remembered): AuthorizationOutcome => ({
    to: 'application',
    answer: toAuthorizationAnswer(
      { redirectUri: application.redirectUri, mode: readResponseMode(parameters) },
      { parameters: answered, state: readState(parameters), issuer: toIssuer(deps.config.baseUrl, issuer) },
    ),
    environment: application.environment,
    remembered,
  })
  const refuse = ({ error, description }: AuthorizationFault) =>
    answer({ error, error_description: description })

  if (!isOriginAllowed(application, authorization.origin)) return refuse(foreignOrigin)
  const read = readAuthorizationRequest(parameters, application)
  if ('fault' in read) return refuse(read.fault)
  if (authorization.isForm) return { to: 'itself' }
  const outcome = await decide(deps, authorization, asking, read.request)
  if ('fault' in outcome) return refuse(outcome.fault)
  if ('code' in outcome) return answer({ code: outcome.code }, outcome.remembered)
  return { to: 'flow', ...outcome, environment: application.environment }
}

function findAsking(
  deps: Pick<Deps, 'db'>,
  { issuer: { kind, domain }, parameters }: Authorization,
  named: NamedClient,
): Promise<AskingClient | UnknownClient> {
  return kind === 'organization'
    ? findClientAtOrganization(deps, domain, named)
    : findClientAtAccount(deps, domain, named, { domain: readOrganization(parameters) })
}

const foreignOrigin: AuthorizationFault = {
  error: 'access_denied',
  description: 'the Origin of the request is not one of allowed_web_origins',
}

/** An empty list allows every page; most pages use a link, which has no Origin. */
function isOriginAllowed(
  { allowedWebOrigins }: AskingClient['application'],
  origin: string | undefined,
): boolean {
  return origin === undefined || allowedWebOrigins.length === 0 || allowedWebOrigins.includes(origin)
}

type Decision =
  | { readonly fault: AuthorizationFault }
  | { readonly code: string; readonly remembered?: Remembered | undefined }
  | { readonly domain: string; readonly flowId: string }

/** Finds the organization, and decides there. */
async function decide(
  deps: Deps,
  authorization: Authorization,
  asking: AskingClient,
  request: AuthorizationRequest,
): Promise<Decision> {
  const { application } = asking
  const { id_token_hint: idTokenHint } = request
  const hint = idTokenHint === undefined ? undefined : await readIdTokenHint(deps, application, idTokenHint)
  if (idTokenHint !== undefined && hint?.environment !== application.environment)
    return { fault: foreignHint }

  const hinted = { request, hint }
  const place = await placeOf(deps, asking, hinted, authorization)
  return 'fault' in place ? place : decideAt(deps, authorization, place, hinted)
}

/** Issues a code for the browser's session if that is sufficient; else begins a flow, unless no page may be shown. */
async function decideAt(
  deps: Deps,
  authorization: Authorization,
  { client, found }: Extract<Place, { readonly client: unknown }>,
  hinted: HintedRequest,
): Promise<Decision> {
  const { request } = hinted
  if (isAcrUnknown(request)) return { fault: unknownAcr }

  const secret = found?.secret ?? authorization.findSessionSecret(client)
  const session =
    found?.session ??
    (secret === undefined ? undefined : await findBrowserSession(deps, { ...client, secret }))
  const requirements = requirementsAt(client, hinted, deps.now())
  const { isMfaRequired } = requirements
  const fit = sessionFit(session, requirements)
  if (fit === 'other_user') return { fault: otherUser }
  const isConsentAsked = request.prompt?.includes('consent') === true
  if (fit === 'enough' && session !== undefined && secret !== undefined && !isConsentAsked) {
    const code = await issueSessionCode(deps, {
      client,
      session,
      secret,
      state: request.state ?? null,
      nonce: request.nonce ?? null,
      codeChallenge: request.code_challenge ?? null,
      scope: grantedScope(request.scope.join(' ')),
      claims: toRequestedClaims(request),
      requestId: authorization.requestId,
    })
    if (code !== undefined) return { code, remembered: toRemembered(deps, client, session) }
  }
  if (isMfaRequired && !client.isTotpActive) return { fault: noSecondFactor }
  const isKnown = fit === 'step_up' || (fit === 'enough' && isConsentAsked)
  if (request.prompt?.includes('none')) return { fault: fit === 'step_up' ? noPageAllowed : noSession }
  // Otherwise any page could use up the network's limit of sign-ins through its visitors.
  if (!authorization.isNavigation) return { fault: noPageShown }
  const known = isKnown ? session : undefined
  const flowId = await beginFlow(deps, authorization, client, { request, isMfaRequired, fit, known })
  return { domain: client.domain, flowId }
}

/** What the browser remembers of a code that it got at the issuer of the account. */
function toRemembered(
  { now }: Pick<Deps, 'now'>,
  { issuer, accountId, environment, organizationId }: AuthorizingClient,
  { email }: BrowserSession,
): Remembered | undefined {
  if (issuer !== 'account') return undefined
  const use = { organizationId, emailNormalized: normalizeEmail(email), at: now() }
  return { account: { accountId, environment }, use }
}

const noSecondFactor: AuthorizationFault = {
  error: 'unmet_authentication_requirements',
  description: 'acr_values demands a second factor, which the organization does not have',
}
const unknownAcr: AuthorizationFault = {
  error: 'unmet_authentication_requirements',
  description: 'claims demands values of acr that no sign-in has',
}
const otherUser: AuthorizationFault = {
  error: 'login_required',
  description: 'the user who is signed in is another one than claims demands by sub',
}
const noSession: AuthorizationFault = {
  error: 'login_required',
  description: 'the user has to sign in, and prompt is none',
}
const noPageAllowed: AuthorizationFault = {
  error: 'interaction_required',
  description: 'the user has to pass a second factor, and prompt is none',
}
const noPageShown: AuthorizationFault = {
  error: 'interaction_required',
  description: 'the user has to sign in on a page, which the browser would not show (Sec-Fetch-Dest)',
}

interface BegunFlow {
  readonly request: AuthorizationRequest
  readonly isMfaRequired: boolean
  readonly fit: ReturnType<typeof sessionFit>
  /** A session that lacks only the second factor, or only consent. */
  readonly known: BrowserSession | undefined
}

/**
 * @returns The id of the flow.
 * @throws ApiError `rate_limited` when the network has begun too many.
 */
async function beginFlow(
  deps: Deps,
  { browserSecret, ip, requestId }: Authorization,
  client: AuthorizingClient,
  { request, isMfaRequired, fit, known }: BegunFlow,
): Promise<string> {
  await deps.limits.take(flowsOfNetwork, networkKey(ip))
  const flow: NewFlow = {
    accountId: client.accountId,
    environment: client.environment,
    organizationId: client.organizationId,
    applicationId: client.applicationId,
    issuer: client.issuer,
    redirectUri: client.redirectUri,
    responseMode: request.response_mode ?? 'query',
    state: request.state ?? null,
    nonce: request.nonce ?? null,
    codeChallenge: request.code_challenge ?? null,
    scope: grantedScope(request.scope.join(' ')),
    claims: toRequestedClaims(request),
    isMfaRequired,
    isConsentAsked: request.prompt?.includes('consent') === true,
    isSignInForced: isReauthenticationRequired(request),
    locale: request.ui_locales ?? null,
    preferredWay: hintedMethod(request) ?? null,
    email: known?.email ?? hintedEmail(request) ?? null,
    connectionId: known === undefined ? ((await findHintedConnection(deps, client, request)) ?? null) : null,
    sessionId: known?.sessionId ?? null,
    isIdpInitiated: false,
    browserSecret,
  }
  const caller = callerAtPage(client, requestId)
  const { record: flowId } = await change(deps, caller.cause, async (trx) => {
    const key = await startFlow(deps, trx, flow)
    if (known !== undefined) {
      const { userId, amr, authenticatedAt, identityId } = known
      const signedIn = { userId, amr, authenticatedAt, identityId }
      const tenant = ofUser({ ...caller, domain: client.domain }, userId)
      if (fit === 'step_up') await skipFirstFactor(deps, trx, key, flow, { ...signedIn, tenant })
      else await skipFactors(deps, trx, key, signedIn)
    }
    return { record: key.flowId }
  })
  return flowId
}

/** The connection that idp_hint names, if it is open for sign-in. */
async function findHintedConnection(
  deps: Pick<Deps, 'db'>,
  client: AuthorizingClient,
  { idp_hint: hint }: AuthorizationRequest,
): Promise<string | undefined> {
  if (hint === undefined) return undefined
  const connections = await findOpenConnections(deps, client)
  return connections.find(({ idpId }) => idpId === hint)?.connectionId
}
