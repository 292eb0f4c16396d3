import type { ApiToken, TokenRequest, UserTokens } from '@portico/contract/oauth'
import type { Deps } from '../deps.js'
import { exchangeCode } from './authorization-code.js'
import { grantClientCredentials } from './client-credentials.js'
import { OAuthFailure } from './oauth-failure.js'

export interface TokenRequestContext {
  readonly authorization: string | undefined
  /** Of the page whose script asks; undefined outside browsers. */
  readonly origin: string | undefined
  readonly requestId: string
}

/**
 * The service's own token endpoint, for either grant.
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
      return issueUserTokens(deps, context, body)
    case 'client_credentials':
      return issueApiToken(deps, context, body)
    default:
      throw otherGrant(body, 'grant_type must be authorization_code or client_credentials.')
  }
}

/**
 * The authorization-code grant (RFC 6749 section 4.1.3).
 *
 * @param organizationDomain Whose token endpoint was asked; undefined: the service's own.
 * @throws OAuthFailure
 */
export function issueUserTokens(
  deps: Deps,
  { authorization, origin, requestId }: TokenRequestContext,
  body: TokenRequest,
  organizationDomain?: string,
): Promise<UserTokens> {
  if (body.grant_type !== 'authorization_code')
    throw otherGrant(body, 'grant_type must be authorization_code.')
  if (body.code === undefined) throw new OAuthFailure('invalid_request', 'code is required.')
  const { clientId, clientSecret } = credentialsOf(authorization, body)
  return exchangeCode(deps, {
    code: body.code,
    codeVerifier: body.code_verifier,
    redirectUri: body.redirect_uri,
    clientId,
    clientSecret,
    organizationDomain,
    origin,
    requestId,
  })
}

/**
 * The client-credentials grant as any token endpoint takes it, its credentials in the body or by HTTP Basic.
 *
 * @throws OAuthFailure
 */
export function issueApiToken(
  deps: Deps,
  { authorization, requestId }: TokenRequestContext,
  body: TokenRequest,
): Promise<ApiToken> {
  if (body.grant_type !== 'client_credentials')
    throw otherGrant(body, 'grant_type must be client_credentials; codes are exchanged at /oauth/token.')
  const credentials = {
    ...credentialsOf(authorization, body),
    domain: body.domain ?? body.tenant_domain ?? body.audience,
    scope: body.scope,
  }
  return grantClientCredentials(deps, credentials, requestId)
}

/** RFC 6749 section 5.2; a parameter without a value is one that was left out (section 3.2). */
function otherGrant({ grant_type }: TokenRequest, message: string): OAuthFailure {
  if (grant_type === undefined || grant_type === '')
    return new OAuthFailure('invalid_request', 'grant_type is required.')
  return new OAuthFailure('unsupported_grant_type', message)
}

/** The client's id and secret from the header or from the body (RFC 6749 section 2.3.1). */
function credentialsOf(authorization: string | undefined, body: TokenRequest) {
  const basic = readBasic(authorization)
  if (basic !== undefined && body.client_secret !== undefined)
    throw new OAuthFailure(
      'invalid_request',
      'Credentials must be sent in one way: in the header or in the body.',
    )
  return {
    clientId: basic?.clientId ?? body.client_id,
    clientSecret: basic?.clientSecret ?? body.client_secret,
  }
}

/** HTTP Basic, both parts form-encoded first (RFC 6749 section 2.3.1). */
function readBasic(
  authorization: string | undefined,
): { clientId: string; clientSecret: string } | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization ?? '') ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) throw new OAuthFailure('invalid_client', 'The Authorization header is not well formed.')
  return { clientId: formDecoded(text.slice(0, colon)), clientSecret: formDecoded(text.slice(colon + 1)) }
}

function formDecoded(text: string): string {
  return new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? ''
}
