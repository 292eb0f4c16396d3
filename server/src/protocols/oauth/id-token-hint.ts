import { environments, type Environment } from '@portico/contract/fields'
import { decodeJwt, isJwtSignatureValid } from '../../platform/crypto/jwt.js'
import type { Deps } from '../../delivery/deps.js'
import { findAccountHintKey, findHintKey } from '../../tokens/signing-keys/published-keys.js'
import { issuerOf } from '../../tokens/claims.js'
import { accountIssuerOf } from '../../tokens/issuer.js'

/** The claims of an ID token that this service issued. */
export interface IdTokenHint {
  readonly environment: Environment
  /** Of the organization whose user it is about. */
  readonly organizationDomain: string
  readonly clientId: string
  readonly userId: string
  readonly sessionId: string | undefined
}

/**
 * Reads an ID token that an application sends back as id_token_hint, of the account or of any of its organizations as issuer.
 * It may have expired, because it only identifies the user and authorizes nothing (OpenID Connect Core section 3.1.2.1,
 * RP-Initiated Logout section 2).
 *
 * @returns Undefined when it is no ID token of the account.
 */
export async function readIdTokenHint(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  { accountId, accountDomain }: { readonly accountId: string; readonly accountDomain: string },
  token: string,
): Promise<IdTokenHint | undefined> {
  const decoded = decodeJwt(token)
  const environment = environments.find((each) => each === decoded?.claims['dbs'])
  if (decoded?.header.typ !== 'JWT' || environment === undefined) return undefined
  const { iss, jtt, aud, sub, sid, org } = decoded.claims
  const owner = { accountId, environment }
  const kid = decoded.header.kid ?? ''
  // Unverified: selects the kind of key, which is then the only one that verifies it.
  const isOfAccount = iss === accountIssuerOf(config.baseUrl, accountDomain)
  const key = isOfAccount
    ? await findAccountHintKey({ db }, owner, kid)
    : await findHintKey({ db }, owner, kid)
  if (key === undefined || !isJwtSignatureValid(decoded, key.algorithm, key.publicKey)) return undefined
  const organizationDomain = 'organizationDomain' in key ? key.organizationDomain : org
  if (typeof organizationDomain !== 'string') return undefined
  if (!isOfAccount && iss !== issuerOf(config.baseUrl, organizationDomain)) return undefined
  if (jtt !== 'id_token' || typeof aud !== 'string' || typeof sub !== 'string') return undefined
  return {
    environment,
    organizationDomain,
    clientId: aud,
    userId: sub,
    sessionId: typeof sid === 'string' ? sid : undefined,
  }
}
