import type {
  Introspection,
  IntrospectionRequest,
  RevocationRequest,
  RevokedToken,
} from '@portico/contract/oauth'
import { createApiTokenReader } from '../../tokens/api-keys/api-token.js'
import type { Deps } from '../../delivery/deps.js'
import type { NamedIssuer } from '../../tokens/issuer.js'
import { clientCredentialsOf, isClientNamed, type Client } from './client-authentication.js'
import { countingFailures } from './failed-grants.js'
import { introspectToken } from './introspect.js'
import type { Introspector, KeyClient } from './key-client.js'
import { OAuthFailure, type RefusedClient } from './oauth-failure.js'
import { revokeToken } from './revoke.js'
import type { TokenRequestContext } from './token.js'

/**
 * Makes the introspection endpoint, which caches the API tokens of its callers and throws OAuthFailure.
 *
 * `endpoint` is the issuer whose endpoint was called; undefined: the service's own.
 */
export function introspection(deps: Deps) {
  const readApiToken = createApiTokenReader(deps)
  return async function introspect(
    context: TokenRequestContext,
    body: IntrospectionRequest,
    endpoint?: NamedIssuer,
  ): Promise<Introspection> {
    // First, so that an unauthenticated caller learns nothing about the token.
    const introspector = await countingFailures(deps, context.ip, () =>
      authenticateIntrospector(readApiToken, context, body),
    )
    return introspectToken(deps, introspector, { token: tokenOf(body), endpoint })
  }
}

/**
 * Authenticates the API key of an introspection by its credentials or its own access token (RFC 7662 section 2.1).
 *
 * @throws OAuthFailure `invalid_client`, `invalid_token`, `insufficient_scope`
 */
async function authenticateIntrospector(
  readApiToken: ReturnType<typeof createApiTokenReader>,
  { authorization, authenticate }: TokenRequestContext,
  body: IntrospectionRequest,
): Promise<Introspector> {
  const [, token] = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization ?? '') ?? []
  const key =
    token === undefined
      ? keyOf(await authenticate(clientCredentialsOf(authorization, body)))
      : await readApiToken(token)
  if (key === undefined) throw new OAuthFailure('invalid_token', 'The API token is not one of this API.')
  if (!key.scopes.includes('read:sessions'))
    throw new OAuthFailure('insufficient_scope', 'The API key does not have the scope read:sessions.')
  return key
}

function keyOf(client: Client): KeyClient {
  if (client.by === 'api_key') return client.key
  throw new OAuthFailure(
    'invalid_client',
    'Send client_id and client_secret of an API key, or a bearer token of one.',
    { refusedClient: refusedIntrospector(client) },
  )
}

/** An application that introspects, with its own credentials or with none. */
function refusedIntrospector(client: Client): RefusedClient {
  if (client.by !== 'application') return { reason: 'api_key_required' }
  const { applicationId: clientId, accountId, environment } = client.application
  return { reason: 'api_key_required', clientId, accountId, environment }
}

/**
 * The revocation endpoint.
 *
 * @param endpoint The issuer whose endpoint was called; undefined: the service's own.
 * @throws OAuthFailure
 */
export function revoke(
  deps: Deps,
  { authorization, ip, requestId, authenticate }: TokenRequestContext,
  body: RevocationRequest,
  endpoint?: NamedIssuer,
): Promise<RevokedToken> {
  return countingFailures(deps, ip, async () => {
    const token = tokenOf(body)
    const credentials = clientCredentialsOf(authorization, body)
    if (!isClientNamed(credentials)) throw new OAuthFailure('invalid_request', 'client_id is required.')
    const client = await authenticate(credentials, endpoint)
    const endsSession = body.end_session === true
    return revokeToken(deps, { token, client, endsSession, endpoint, requestId })
  })
}

/** A parameter without a value counts as omitted (RFC 6749 section 3.1). */
function tokenOf({ token }: { readonly token?: string | undefined }): string {
  if (token === undefined || token === '') throw new OAuthFailure('invalid_request', 'token is required.')
  return token
}
