import type { Deps } from '../../delivery/deps.js'
import {
  toAuthorizationAnswer,
  type AuthorizationAnswer,
} from '../../directory/sessions/authorization-answer.js'
import type { AuthorizationRequest } from '@portico/contract/authorize'
import {
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
import { beginAccountFlow } from './account-authorization.js'
import { decideAt, type DecidingBrowser, type Decision, type Remembered } from './organization-decision.js'
import { foreignHint, placeOf, type KnownBrowser } from './requested-organization.js'
import { readIdTokenHint } from './id-token-hint.js'
import { issueImpersonatedCode } from './impersonated-code.js'

/** A browser's request to the authorization endpoint. */
export interface Authorization extends KnownBrowser, DecidingBrowser {
  /** The issuer whose endpoint was called. */
  readonly issuer: NamedIssuer
  readonly parameters: URLSearchParams
  /** Of the sending page, if the browser sends it. */
  readonly origin: string | undefined
  /** A cross-site POST comes without the browser's cookies, so its session cannot be found. */
  readonly isForm: boolean
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
      readonly path: string
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
  if (request.impersonation !== undefined)
    return issueImpersonatedCode(deps, asking, hinted, request.impersonation, authorization)
  const place = await placeOf(deps, asking, hinted, authorization)
  if ('fault' in place) return place
  return 'account' in place
    ? beginAccountFlow(deps, authorization, place.account, request)
    : decideAt(deps, authorization, place, hinted)
}
