import type { Environment } from '@portico/contract/fields'
import type { RevokedToken } from '@portico/contract/oauth'
import { sql, type Transaction } from 'kysely'
import { decodeJwt } from '../../platform/crypto/jwt.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { signOut } from '../../directory/sessions/sign-out.js'
import { checkAuthenticated, type Client } from './client-authentication.js'
import { OAuthFailure } from './oauth-failure.js'
import {
  allOf,
  askerOf,
  clientChecks,
  grantParents,
  joinsGrantParents,
  type Asker,
} from './grant-conditions.js'
import { knownColumns, readRefreshToken, type LoggedFamily } from './refresh-family.js'
import { insertEndedFamilies } from '../../tokens/families.js'
import type { NamedIssuer } from '../../tokens/issuer.js'
import { causeBy, type Cause } from '../../platform/tenant.js'
import { endFamilyOfAccessToken, isOfFamily } from './revoke-access-token.js'

/** A revocation by an application. */
interface Revocation {
  readonly token: string
  readonly client: Client
  /** Whether the session of the refresh token ends, too. */
  readonly endsSession: boolean
  /** The issuer whose endpoint was called; undefined: the service's own. */
  readonly endpoint: NamedIssuer | undefined
  readonly requestId: string
}

/**
 * Ends the family of a refresh token or access token (RFC 7009 section 2.1): no refresh token of it can be exchanged, and its
 * access tokens are no longer live. An unknown token and a token of another client get the same answer, which must not
 * reveal that a token is valid.
 *
 * @throws OAuthFailure `unsupported_token_type` for an ID token and a token of the API; `invalid_request` for an access token that
 *   is to end a session: resource servers have them as well. `invalid_client` where the client names an application that has to
 *   authenticate, and has not.
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
  if (signed !== undefined && revocation.endsSession) {
    await checkAuthenticated(deps, revocation.client)
    throw new OAuthFailure('invalid_request', 'Only a refresh token can end its session.')
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
  asker: Asker,
  { token: text, endsSession, requestId }: Pick<Revocation, 'token' | 'endsSession' | 'requestId'>,
): Promise<boolean> {
  const token = readRefreshToken(text)
  if (token === undefined) return false
  const cause = causeBy(requestId, 'system', 'revocation_endpoint')
  const { record } = await change(deps, cause, async (trx) => {
    const attempt = { ...asker, familyHash: hashSecret(token.handle), at: deps.now() }
    // Before the family, whose token makes a session live that is over.
    if (endsSession) await endSessionOf(deps, trx, cause, attempt)
    const [ended] = await endFamily(trx, attempt)
    if (ended !== undefined) await logEventOf(deps, trx, ended, { code: 'REFRESH_TOKEN_REVOKED', requestId })
    return { record: ended !== undefined }
  })
  return record
}

interface Attempt extends Asker {
  readonly familyHash: Buffer
  readonly at: Date
}

/** Ends the session of a family that is about to end, and emits its event. */
async function endSessionOf(deps: Deps, trx: Transaction<DB>, cause: Cause, attempt: Attempt): Promise<void> {
  const [family] = await lockFamily(trx, attempt)
  if (family === undefined) return
  const { account_id: accountId, account_domain: accountDomain, environment, domain } = family
  const tenant = { accountId, accountDomain, environment, domain, organizationIds: null, cause }
  await signOut(deps, trx, tenant, { userId: family.user_id, sessionId: family.session_id })
}

interface OpenFamily {
  readonly account_id: string
  readonly account_domain: string
  // The table's check constraint allows nothing else.
  readonly environment: Environment
  readonly domain: string
  readonly user_id: string
  readonly session_id: string
}

/** Locked, so that of two revocations one ends the session. */
const lockFamily = sqlStatement(
  (attempt: Attempt) => sql<OpenFamily>`
    select granted.account_id, accounts.domain as account_domain, granted.environment, organizations.domain,
      granted.user_id, granted.session_id
    from refresh_token_families as granted, ${grantParents}
    where ${isOpenFor(attempt)}
    for no key update of granted`,
)

/** The family that a client may end. */
function isOpenFor(attempt: Attempt) {
  return sql<boolean>`(
    granted.family_hash = ${attempt.familyHash}
    and granted.ended_at is null
    and ${joinsGrantParents}
    and ${allOf(clientChecks(attempt))}
  )`
}

/** Accepts any token of the family: a replaced token may have leaked, which is a stronger reason to end the family. */
const endFamily = sqlStatement(
  (attempt: Attempt) => sql<LoggedFamily>`
    with ended as (
      update refresh_token_families as granted set ended_at = ${attempt.at}
      from ${grantParents}
      where ${isOpenFor(attempt)}
      returning ${knownColumns}, granted.code_id
    ), noted as (${insertEndedFamilies('ended', attempt.at)})
    select * from ended`,
)
