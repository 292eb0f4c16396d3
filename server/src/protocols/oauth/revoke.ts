import type { RevokedToken } from '@portico/contract/oauth'
import { sql } from 'kysely'
import { decodeJwt } from '../../platform/crypto/jwt.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { findKeyClient } from './key-client.js'
import { OAuthFailure } from './oauth-failure.js'
import {
  allOf,
  askerOf,
  belongings,
  clientDemands,
  isWhole,
  knownColumns,
  readRefreshToken,
  type Asker,
  type KnownFamily,
} from './refresh-family.js'

/** A token that an application gives back. */
interface Revocation {
  readonly token: string
  /** The application, or with a secret the API key. */
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** Whose endpoint was asked; undefined: the service's own. */
  readonly organizationDomain: string | undefined
  readonly requestId: string
}

/**
 * Ends the family of a refresh token (RFC 7009 section 2.1): nothing that was made of it is exchanged any more. A token
 * that is not known, and one that was issued to another client, are one answer: who holds a token must not learn here that
 * it is good.
 *
 * @throws OAuthFailure `invalid_client` for credentials that open no API key, before the token is looked at;
 *   `unsupported_token_type` for a token that is signed, which nothing recalls.
 */
export async function revokeToken(deps: Deps, revocation: Revocation): Promise<RevokedToken> {
  const { clientId, clientSecret, requestId } = revocation
  const key =
    clientSecret === undefined ? undefined : await findKeyClient(deps, deps.db, { clientId, clientSecret })
  if (clientSecret !== undefined && key === undefined)
    throw new OAuthFailure('invalid_client', 'The credentials are not those of an API key.')
  if (decodeJwt(revocation.token) !== undefined) {
    throw new OAuthFailure(
      'unsupported_token_type',
      'Only refresh tokens can be revoked: an access token works until it expires.',
    )
  }
  const token = readRefreshToken(revocation.token)
  if (token === undefined) return {}
  const cause = {
    requestId,
    actor: { type: 'system', id: 'revocation_endpoint' } as const,
    params: () => ({}),
  }
  await change(deps, cause, async (trx) => {
    const asker = askerOf({ ...revocation, key, origin: undefined })
    const [ended] = await endFamily(trx, { ...asker, familyHash: hashSecret(token.handle), at: deps.now() })
    if (ended !== undefined) await logEventOf(deps, trx, ended, { code: 'REFRESH_TOKEN_REVOKED', requestId })
    return { record: undefined }
  })
  return {}
}

interface Attempt extends Asker {
  readonly familyHash: Buffer
  readonly at: Date
}

/** Any token of the family does: who has one that is not good any more wants the family to end all the more. */
const endFamily = sqlStatement(
  (attempt: Attempt) => sql<KnownFamily>`
    update refresh_token_families as family set ended_at = ${attempt.at}
    from ${belongings}
    where family.family_hash = ${attempt.familyHash}
      and family.ended_at is null
      and ${isWhole}
      and ${allOf(clientDemands(attempt))}
    returning ${knownColumns}`,
)
