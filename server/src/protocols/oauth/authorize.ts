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
import { findOpenConnections } from '../../sso/sign-in/connection-of-address.js'
import { ofUser } from '../../platform/tenant.js'
import {
  requiredFactors,
  hintedEmail,
  hintedMethod,
  readAuthorizationRequest,
  readClient,
  readResponseMode,
  readState,
  type AuthorizationFault,
} from './authorization-request.js'
import { findAuthorizingClient, type AuthorizingClient } from './authorizing-client.js'
import { issuerOf } from '../../tokens/claims.js'
import { readIdTokenHint } from './id-token-hint.js'
import { expectedUsers, isAcrUnknown, toRequestedClaims } from './requested-claims.js'
import { grantedScope } from '../../tokens/scopes.js'
import { issueSessionCode } from './session-code.js'
import { sessionFit, isReauthenticationRequired } from './session-fit.js'

/** Sign-ins started by browsers, by network. */
const flowsOfNetwork = limit('ip-flow', { windowSeconds: 15 * 60, most: (settings) => settings.flowsPerIp })

/** A browser's request to the authorization endpoint. */
export interface Authorization {
  readonly organizationDomain: string
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

/** Where the browser goes next. */
type AuthorizationOutcome =
  /** An error page: the redirect URI is not registered, so a redirect could reach an attacker. */
  | { readonly to: 'nowhere' }
  /** The application, with a code or an error. */
  | {
      readonly to: 'application'
      readonly answer: AuthorizationAnswer
      readonly environment: AuthorizingClient['environment']
    }
  /** The pages of a new flow. */
  | {
      readonly to: 'flow'
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
  const { parameters, organizationDomain } = authorization
  const named = readClient(parameters)
  const client = named && (await findAuthorizingClient(deps, organizationDomain, named))
  if (client === undefined) return { to: 'nowhere' }
  const answer = (answered: Record<string, string>): AuthorizationOutcome => ({
    to: 'application',
    answer: toAuthorizationAnswer(
      { redirectUri: client.redirectUri, mode: readResponseMode(parameters) },
      {
        parameters: answered,
        state: readState(parameters),
        issuer: issuerOf(deps.config.baseUrl, client.domain),
      },
    ),
    environment: client.environment,
  })
  const refuse = ({ error, description }: AuthorizationFault) =>
    answer({ error, error_description: description })

  if (!isOriginAllowed(client, authorization.origin)) return refuse(foreignOrigin)
  const read = readAuthorizationRequest(parameters, client.pkce)
  if ('fault' in read) return refuse(read.fault)
  if (authorization.isForm) return { to: 'itself' }
  const outcome = await decide(deps, authorization, client, read.request)
  if ('fault' in outcome) return refuse(outcome.fault)
  if ('code' in outcome) return answer({ code: outcome.code })
  return { to: 'flow', flowId: outcome.flowId, environment: client.environment }
}

const foreignOrigin: AuthorizationFault = {
  error: 'access_denied',
  description: 'the Origin of the request is not one of allowed_web_origins',
}

/** An empty list allows every page; most pages use a link, which has no Origin. */
function isOriginAllowed({ allowedWebOrigins }: AuthorizingClient, origin: string | undefined): boolean {
  return origin === undefined || allowedWebOrigins.length === 0 || allowedWebOrigins.includes(origin)
}

type Decision =
  | { readonly fault: AuthorizationFault }
  | { readonly code: string }
  | { readonly flowId: string }

/** Issues a code for the browser's session if that is sufficient; else begins a flow, unless no page may be shown. */
async function decide(
  deps: Deps,
  authorization: Authorization,
  client: AuthorizingClient,
  request: AuthorizationRequest,
): Promise<Decision> {
  const { id_token_hint: idTokenHint } = request
  const hint = idTokenHint === undefined ? undefined : await readIdTokenHint(deps, client, idTokenHint)
  if (idTokenHint !== undefined && hint?.environment !== client.environment) return { fault: foreignHint }

  if (isAcrUnknown(request)) return { fault: unknownAcr }

  const secret = authorization.findSessionSecret(client)
  const session = secret === undefined ? undefined : await findBrowserSession(deps, { ...client, secret })
  const demanded = requiredFactors(request)
  const isMfaRequired = demanded === 'two' || (demanded === 'two_if_possible' && client.isTotpActive)
  const fit = sessionFit(session, {
    request,
    allowedEmailDomains: client.allowedEmailDomains,
    isMfaRequired,
    hintedUserId: hint?.userId,
    expectedUserIds: expectedUsers(request),
    at: deps.now(),
  })
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
    if (code !== undefined) return { code }
  }
  if (isMfaRequired && !client.isTotpActive) return { fault: noSecondFactor }
  const isKnown = fit === 'step_up' || (fit === 'enough' && isConsentAsked)
  if (request.prompt?.includes('none')) return { fault: fit === 'step_up' ? noPageAllowed : noSession }
  // Otherwise any page could use up the network's limit of sign-ins through its visitors.
  if (!authorization.isNavigation) return { fault: noPageShown }
  const known = isKnown ? session : undefined
  return { flowId: await beginFlow(deps, authorization, client, { request, isMfaRequired, fit, known }) }
}

const foreignHint: AuthorizationFault = {
  error: 'invalid_request',
  description: 'id_token_hint is not an ID token of this organization and environment',
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
