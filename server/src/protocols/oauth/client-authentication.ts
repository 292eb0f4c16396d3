import type { createApiTokenReader } from '../../tokens/api-keys/api-token.js'
import type { Deps } from '../../delivery/deps.js'
import type { Introspector } from './introspect.js'
import { findKeyClient } from './key-client.js'
import { OAuthFailure } from './oauth-failure.js'

/** The client's id and secret from the header or from the body (RFC 6749 section 2.3.1). */
export function clientCredentialsOf(
  authorization: string | undefined,
  body: { readonly client_id?: string | undefined; readonly client_secret?: string | undefined },
) {
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
      ? await keyOfCredentials(deps, clientCredentialsOf(authorization, body))
      : await readApiToken(token)
  if (key === undefined) throw new OAuthFailure('invalid_token', 'The API token is not one of this API.')
  if (!key.scopes.includes('read:sessions'))
    throw new OAuthFailure('insufficient_scope', 'The API key does not have the scope read:sessions.')
  return key
}

async function keyOfCredentials(
  deps: Pick<Deps, 'db' | 'now'>,
  { clientId, clientSecret }: ReturnType<typeof clientCredentialsOf>,
) {
  const key =
    clientId === undefined || clientSecret === undefined
      ? undefined
      : await findKeyClient(deps, deps.db, { clientId, clientSecret })
  if (key === undefined)
    throw new OAuthFailure(
      'invalid_client',
      'Send client_id and client_secret of an API key, or a bearer token of one.',
    )
  return key
}
