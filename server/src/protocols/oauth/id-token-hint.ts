import { environments, type Environment } from '@portico/contract/fields'
import { decodeJwt, isJwtSignatureValid } from '../../platform/crypto/jwt.js'
import type { Deps } from '../../delivery/deps.js'
import { findHintKey } from '../../tokens/signing-keys/published-keys.js'
import { issuerOf } from '../../tokens/claims.js'

/** The claims of an ID token that this service issued. */
export interface IdTokenHint {
  readonly environment: Environment
  readonly clientId: string
  readonly userId: string
  readonly sessionId: string | undefined
}

/**
 * Reads an ID token that an application sends back as id_token_hint. It may have expired, because it only identifies the
 * user and authorizes nothing (OpenID Connect Core section 3.1.2.1, RP-Initiated Logout section 2).
 *
 * @returns Undefined when it is no ID token of the organization.
 */
export async function readIdTokenHint(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  { accountId, domain }: { readonly accountId: string; readonly domain: string },
  token: string,
): Promise<IdTokenHint | undefined> {
  const decoded = decodeJwt(token)
  const environment = environments.find((each) => each === decoded?.claims['dbs'])
  if (decoded?.header.typ !== 'JWT' || environment === undefined) return undefined
  const key = await findHintKey({ db }, { accountId, environment }, decoded.header.kid ?? '')
  if (key === undefined || !isJwtSignatureValid(decoded, key.algorithm, key.publicKey)) return undefined
  const { iss, jtt, aud, sub, sid } = decoded.claims
  if (key.organizationDomain !== domain || iss !== issuerOf(config.baseUrl, domain)) return undefined
  if (jtt !== 'id_token' || typeof aud !== 'string' || typeof sub !== 'string') return undefined
  return { environment, clientId: aud, userId: sub, sessionId: typeof sid === 'string' ? sid : undefined }
}
