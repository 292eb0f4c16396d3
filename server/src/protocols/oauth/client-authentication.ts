import type { createApiTokenReader } from '../../tokens/api-keys/api-token.js'
import type { Deps } from '../../delivery/deps.js'
import { findKeyClient, type Introspector, type KeyClient } from './key-client.js'
import { OAuthFailure } from './oauth-failure.js'

/** The client of a request to an endpoint of OAuth, as it has authenticated. */
export type Client =
  | { readonly by: 'nothing'; readonly clientId: string | undefined }
  | { readonly by: 'api_key'; readonly key: KeyClient }

/** What a request sends to authenticate its client; undefined members were not sent. */
interface ClientCredentials {
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
}

/**
 * Authenticates the client of a request, before anything else of it is looked at: a refused one neither consumes a code or token,
 * nor learns of them. A client without credentials is let in as one that only names itself.
 *
 * @throws OAuthFailure `invalid_client`, with the same text and after the same work whatever is wrong.
 */
export async function authenticateClient(
  deps: Pick<Deps, 'db' | 'now'>,
  { clientId, clientSecret }: ClientCredentials,
): Promise<Client> {
  if (clientSecret === undefined) return { by: 'nothing', clientId }
  const key = await findKeyClient(deps, { clientId: clientId ?? '', clientSecret })
  if (key === undefined) throw invalidClient()
  return { by: 'api_key', key }
}

function invalidClient(): OAuthFailure {
  return new OAuthFailure('invalid_client', 'The client is not authenticated by these credentials.')
}

/**
 * The client's id and secret from the header or from the body (RFC 6749 section 2.3.1).
 *
 * @throws OAuthFailure `invalid_request` for both ways at once, `invalid_client` for a header that cannot be read.
 */
export function clientCredentialsOf(
  authorization: string | undefined,
  body: { readonly client_id?: string | undefined; readonly client_secret?: string | undefined },
): ClientCredentials {
  const basic = readBasic(authorization)
  // A parameter without a value counts as omitted (RFC 6749 section 3.2).
  const posted = body.client_secret === '' ? undefined : body.client_secret
  if (basic !== undefined && posted !== undefined)
    throw new OAuthFailure(
      'invalid_request',
      'Credentials must be sent in one way: in the header or in the body.',
    )
  return { clientId: basic?.clientId ?? body.client_id, clientSecret: basic?.clientSecret ?? posted }
}

/** HTTP Basic, both parts form-encoded first (RFC 6749 section 2.3.1). */
function readBasic(
  authorization: string | undefined,
): { clientId: string; clientSecret: string } | undefined {
  const [scheme, encoded] = /^Basic(?: +([A-Za-z0-9+/]+=*))?/i.exec(authorization ?? '') ?? []
  if (scheme === undefined) return undefined
  const text = scheme === authorization ? Buffer.from(encoded ?? '', 'base64').toString('utf8') : ''
  const colon = text.indexOf(':')
  if (colon < 0) throw invalidClient()
  return { clientId: formDecoded(text.slice(0, colon)), clientSecret: formDecoded(text.slice(colon + 1)) }
}

function formDecoded(text: string): string {
  return new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? ''
}

/**
 * Authenticates the API key of an introspection by its credentials or its own access token (RFC 7662 section 2.1).
 *
 * @throws OAuthFailure `invalid_client`, `invalid_token`, `insufficient_scope`
 */
export async function authenticateIntrospector(
  deps: Pick<Deps, 'db' | 'now'>,
  readApiToken: ReturnType<typeof createApiTokenReader>,
  authorization: string | undefined,
  body: Parameters<typeof clientCredentialsOf>[1],
): Promise<Introspector> {
  const [, token] = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization ?? '') ?? []
  const key =
    token === undefined
      ? keyOf(await authenticateClient(deps, clientCredentialsOf(authorization, body)))
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
  )
}
