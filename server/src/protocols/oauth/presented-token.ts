import type {
  Introspection,
  IntrospectionRequest,
  RevocationRequest,
  RevokedToken,
} from '@portico/contract/oauth'
import { createApiTokenReader } from '../../tokens/api-keys/api-token.js'
import type { Deps } from '../../delivery/deps.js'
import { authenticateIntrospector, clientCredentialsOf } from './client-authentication.js'
import { introspectToken } from './introspect.js'
import { OAuthFailure } from './oauth-failure.js'
import { revokeToken } from './revoke.js'
import type { TokenRequestContext } from './token.js'

/**
 * Makes the introspection endpoint, which caches the API tokens of its callers and throws OAuthFailure.
 *
 * The domain is that of the organization whose endpoint was called; undefined: the service's own.
 */
export function introspection(deps: Deps) {
  const readApiToken = createApiTokenReader(deps)
  return async function introspect(
    { authorization }: TokenRequestContext,
    body: IntrospectionRequest,
    organizationDomain?: string,
  ): Promise<Introspection> {
    // First, so that an unauthenticated caller learns nothing about the token.
    const introspector = await authenticateIntrospector(deps, readApiToken, authorization, body)
    return introspectToken(deps, introspector, { token: tokenOf(body), organizationDomain })
  }
}

/**
 * The revocation endpoint.
 *
 * @param organizationDomain Of the organization whose endpoint was called; undefined: the service's own.
 * @throws OAuthFailure
 */
export async function revoke(
  deps: Deps,
  { authorization, requestId }: TokenRequestContext,
  body: RevocationRequest,
  organizationDomain?: string,
): Promise<RevokedToken> {
  const token = tokenOf(body)
  const { clientId, clientSecret } = clientCredentialsOf(authorization, body)
  if (clientId === undefined) throw new OAuthFailure('invalid_request', 'client_id is required.')
  return revokeToken(deps, { token, clientId, clientSecret, organizationDomain, requestId })
}

/** A parameter without a value counts as omitted (RFC 6749 section 3.1). */
function tokenOf({ token }: { readonly token?: string | undefined }): string {
  if (token === undefined || token === '') throw new OAuthFailure('invalid_request', 'token is required.')
  return token
}
