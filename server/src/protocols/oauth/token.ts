import type { ApiToken, TokenRequest, UserTokens } from '@portico/contract/oauth'
import type { Deps } from '../../delivery/deps.js'
import type { NamedIssuer } from '../../tokens/issuer.js'
import { exchangeCode } from './authorization-code.js'
import {
  clientCredentialsOf,
  isClientNamed,
  type AuthenticateClient,
  type Client,
} from './client-authentication.js'
import { grantClientCredentials } from './client-credentials.js'
import { countingFailures } from './failed-grants.js'
import { OAuthFailure } from './oauth-failure.js'
import { refreshTokens } from './refresh-token.js'

export interface TokenRequestContext {
  readonly authorization: string | undefined
  /** Of the page whose script sent the request; undefined outside browsers. */
  readonly origin: string | undefined
  /** The client's address, only for rate limits. */
  readonly ip: string
  readonly requestId: string
  readonly authenticate: AuthenticateClient
}

/**
 * The service's own token endpoint, for every grant.
 *
 * @throws OAuthFailure
 */
export function issueTokens(
  deps: Deps,
  context: TokenRequestContext,
  body: TokenRequest,
): Promise<UserTokens | ApiToken> {
  switch (body.grant_type) {
    case 'authorization_code':
    case 'refresh_token':
      return issueUserTokens(deps, context, body)
    case 'client_credentials':
      return issueApiToken(deps, context, body)
    default:
      throw otherGrant(body, 'grant_type must be authorization_code, refresh_token or client_credentials.')
  }
}

/**
 * The authorization-code and refresh-token grants (RFC 6749 sections 4.1.3 and 6). Failures are rate limited by network, but
 * for those of a client that has authenticated: its network is that of all its users, any of whom can send it a wrong code.
 *
 * @param endpoint The issuer whose token endpoint was called; undefined: the service's own.
 * @throws OAuthFailure; ApiError `rate_limited`
 */
export async function issueUserTokens(
  deps: Deps,
  context: TokenRequestContext,
  body: TokenRequest,
  endpoint?: NamedIssuer,
): Promise<UserTokens> {
  const { ip, authorization, authenticate } = context
  const credentials = clientCredentialsOf(authorization, body)
  const grant = grantOf(deps, context, { body, isNamed: isClientNamed(credentials), endpoint })
  const client = await countingFailures(deps, ip, () => authenticate(credentials, endpoint))
  return client.by === 'nothing' ? countingFailures(deps, ip, () => grant(client)) : grant(client)
}

interface AskedGrant {
  readonly body: TokenRequest
  /** Whether the request names its client. */
  readonly isNamed: boolean
  readonly endpoint: NamedIssuer | undefined
}

/** The exchange that a complete request asks for, by its client. */
function grantOf(
  deps: Deps,
  { origin, requestId }: TokenRequestContext,
  { body, isNamed, endpoint }: AskedGrant,
): (client: Client) => Promise<UserTokens> {
  const { code, refresh_token: refreshToken, code_verifier, redirect_uri } = withValues(body)
  const shared = { endpoint, origin, requestId }
  switch (body.grant_type) {
    case 'authorization_code':
      if (code === undefined) throw new OAuthFailure('invalid_request', 'code is required.')
      return (client) =>
        exchangeCode(deps, {
          ...shared,
          client,
          code,
          codeVerifier: code_verifier,
          redirectUri: redirect_uri,
        })
    case 'refresh_token':
      if (refreshToken === undefined) throw new OAuthFailure('invalid_request', 'refresh_token is required.')
      if (!isNamed) throw new OAuthFailure('invalid_request', 'client_id is required.')
      return (client) => refreshTokens(deps, { ...shared, client, refreshToken, scope: body.scope })
    default:
      throw otherGrant(
        body,
        'grant_type must be authorization_code or refresh_token; API keys get tokens at /api/v2/oauth/token.',
      )
  }
}

/** A parameter without a value counts as omitted (RFC 6749 section 3.2). */
function withValues(body: TokenRequest): TokenRequest {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ''))
}

/**
 * The client-credentials grant of any token endpoint, with credentials in the body or by HTTP Basic.
 *
 * @throws OAuthFailure
 */
export function issueApiToken(
  deps: Deps,
  { authorization, ip, requestId }: TokenRequestContext,
  body: TokenRequest,
): Promise<ApiToken> {
  if (body.grant_type !== 'client_credentials')
    throw otherGrant(body, 'grant_type must be client_credentials; codes are exchanged at /oauth/token.')
  const credentials = {
    ...clientCredentialsOf(authorization, body),
    domain: body.domain ?? body.tenant_domain ?? body.audience,
    scope: body.scope,
  }
  return countingFailures(deps, ip, () => grantClientCredentials(deps, credentials, requestId))
}

/** RFC 6749 section 5.2; a parameter without a value counts as omitted (section 3.2). */
function otherGrant({ grant_type }: TokenRequest, message: string): OAuthFailure {
  if (grant_type === undefined || grant_type === '')
    return new OAuthFailure('invalid_request', 'grant_type is required.')
  return new OAuthFailure('unsupported_grant_type', message)
}
