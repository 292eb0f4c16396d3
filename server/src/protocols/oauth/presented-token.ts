import type {
  Introspection,
  IntrospectionRequest,
  RevocationRequest,
  RevokedToken,
} from '@portico/contract/oauth'
import { createApiTokenReader } from '../../tokens/api-keys/api-token.js'
import type { Deps } from '../../delivery/deps.js'
import { authenticateClient, authenticateIntrospector, clientCredentialsOf } from './client-authentication.js'
import { countingFailures } from './failed-grants.js'
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
    { authorization, ip }: TokenRequestContext,
    body: IntrospectionRequest,
    organizationDomain?: string,
  ): Promise<Introspection> {
    // First, so that an unauthenticated caller learns nothing about the token.
    const introspector = await countingFailures(deps, ip, () =>
      authenticateIntrospector(deps, readApiToken, authorization, body),
    )
    return introspectToken(deps, introspector, { token: tokenOf(body), organizationDomain })
  }
}

/**
 * The revocation endpoint.
 *
 * @param organizationDomain Of the organization whose endpoint was called; undefined: the service's own.
 * @throws OAuthFailure
 */
export function revoke(
  deps: Deps,
  { authorization, ip, requestId }: TokenRequestContext,
  body: RevocationRequest,
  organizationDomain?: string,
): Promise<RevokedToken> {
  return countingFailures(deps, ip, async () => {
    const token = tokenOf(body)
    const credentials = clientCredentialsOf(authorization, body)
    if (credentials.clientId === undefined)
      throw new OAuthFailure('invalid_request', 'client_id is required.')
    const client = await authenticateClient(deps, credentials)
    return revokeToken(deps, { token, client, organizationDomain, requestId })
  })
}

/** A parameter without a value counts as omitted (RFC 6749 section 3.1). */
function tokenOf({ token }: { readonly token?: string | undefined }): string {
  if (token === undefined || token === '') throw new OAuthFailure('invalid_request', 'token is required.')
  return token
}
