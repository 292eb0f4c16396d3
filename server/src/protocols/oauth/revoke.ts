import type { RevokedToken } from '@portico/contract/oauth'
import { sql } from 'kysely'
import { decodeJwt } from '../../platform/crypto/jwt.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { checkAuthenticated, type Client } from './client-authentication.js'
import { OAuthFailure } from './oauth-failure.js'
import {
  allOf,
  askerOf,
  familyParents,
  clientChecks,
  joinsFamilyParents,
  knownColumns,
  readRefreshToken,
  type RefreshClient,
  type LoggedFamily,
} from './refresh-family.js'
import { insertEndedFamilies } from '../../tokens/families.js'
import { causeBy } from '../../platform/tenant.js'
import { endFamilyOfAccessToken, isOfFamily } from './revoke-access-token.js'

/** A revocation by an application. */
interface Revocation {
  readonly token: string
  readonly client: Client
  /** The organization whose endpoint was called; undefined: the service's own. */
  readonly organizationDomain: string | undefined
  readonly requestId: string
}

/**
 * Ends the family of a refresh token or access token (RFC 7009 section 2.1): no refresh token of it can be exchanged, and its
 * access tokens are no longer live. An unknown token and a token of another client get the same answer, which must not
 * reveal that a token is valid.
 *
 * @throws OAuthFailure `unsupported_token_type` for an ID token and a token of the API; `invalid_client` where the client names an
 *   application that has to authenticate, and has not.
 */
export async function revokeToken(deps: Deps, revocation: Revocation): Promise<RevokedToken> {
  const asker = askerOf({ ...revocation, origin: undefined })
  const signed = decodeJwt(revocation.token)
  if (signed !== undefined && !isOfFamily(signed)) {
    await checkAuthenticated(deps, revocation.client)
    throw new OAuthFailure(
      'unsupported_token_type',
      'Only access tokens and refresh tokens of users can be revoked.',
    )
  }
  const isEnded =
    signed === undefined
      ? await endFamilyOfRefreshToken(deps, asker, revocation)
      : await endFamilyOfAccessToken(deps, asker, revocation)
  if (!isEnded) await checkAuthenticated(deps, revocation.client)
  return {}
}

async function endFamilyOfRefreshToken(
  deps: Deps,
  asker: RefreshClient,
  { token: text, requestId }: Pick<Revocation, 'token' | 'requestId'>,
): Promise<boolean> {
  const token = readRefreshToken(text)
  if (token === undefined) return false
  const cause = causeBy(requestId, 'system', 'revocation_endpoint')
  const { record } = await change(deps, cause, async (trx) => {
    const [ended] = await endFamily(trx, { ...asker, familyHash: hashSecret(token.handle), at: deps.now() })
    if (ended !== undefined) await logEventOf(deps, trx, ended, { code: 'REFRESH_TOKEN_REVOKED', requestId })
    return { record: ended !== undefined }
  })
  return record
}

interface Attempt extends RefreshClient {
  readonly familyHash: Buffer
  readonly at: Date
}

/** Accepts any token of the family: a replaced token may have leaked, which is a stronger reason to end the family. */
const endFamily = sqlStatement(
  (attempt: Attempt) => sql<LoggedFamily>`
    with ended as (
      update refresh_token_families as family set ended_at = ${attempt.at}
      from ${familyParents}
      where family.family_hash = ${attempt.familyHash}
        and family.ended_at is null
        and ${joinsFamilyParents}
        and ${allOf(clientChecks(attempt))}
      returning ${knownColumns}, family.code_id
    ), noted as (${insertEndedFamilies('ended', attempt.at)})
    select * from ended`,
)
