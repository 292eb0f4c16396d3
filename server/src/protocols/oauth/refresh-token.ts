import type { UserTokens } from '@portico/contract/oauth'
import { sql, type RawBuilder, type Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { causeBy } from '../../platform/tenant.js'
import { checkAuthenticated, withoutItsCredentials, type Client } from './client-authentication.js'
import { OAuthFailure } from './oauth-failure.js'
import {
  allOf,
  askerOf,
  familyParents,
  isCurrent,
  joinsFamilyParents,
  knownColumns,
  mayEnd,
  narrowScope,
  readRefreshToken,
  refreshChecks,
  repeatableMs,
  parentConditions,
  successorsOf,
  type RefreshClient,
  type LoggedFamily,
} from './refresh-family.js'
import { insertEndedFamilies } from '../../tokens/families.js'
import type { NamedIssuer } from '../../tokens/issuer.js'
import { scopesOf } from '../../tokens/scopes.js'
import {
  identityDataOfSession,
  signUserTokens,
  tokenColumnsInSql,
  userOf,
  type WholeGrant,
} from './user-tokens.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

/** A presented refresh token. */
export interface Refresh {
  readonly refreshToken: string
  readonly client: Client
  /** A subset of the granted scopes, separated by spaces. */
  readonly scope: string | undefined
  /** The issuer whose token endpoint was called; undefined: the service's own. */
  readonly endpoint: NamedIssuer | undefined
  readonly origin: string | undefined
  readonly requestId: string
}

/**
 * Exchanges a refresh token for tokens of its user and the next refresh token. The previous token is accepted for another
 * 30 s, and where the application authenticates until the next one is used; any older token of the family has leaked and ends
 * the family (RFC 9700 section 4.14.2). A refusal for another reason leaves the token valid.
 *
 * @throws OAuthFailure `invalid_grant`, with the same text for every cause; the log event has the reason. `invalid_scope`, and
 *   `invalid_client` where the application has to authenticate, and has not.
 */
export async function refreshTokens(deps: Deps, refresh: Refresh): Promise<UserTokens> {
  const token = readRefreshToken(refresh.refreshToken)
  if (token === undefined) {
    await checkAuthenticated(deps, refresh.client)
    throw refused()
  }
  const asked = scopesOf(refresh.scope ?? '')
  const successors = successorsOf(deps, token)
  const [successor = ''] = successors
  const { requestId } = refresh
  const cause = causeBy(requestId, 'system', 'token_endpoint')
  const { record } = await change(deps, cause, async (trx) => {
    const at = deps.now()
    const attempt: Attempt = {
      ...askerOf(refresh),
      scopes: asked,
      familyHash: hashSecret(token.handle),
      tokenHash: hashSecret(token.secret),
      successorHash: hashSecret(successor),
      repeatableSince: new Date(at.getTime() - repeatableMs),
      at,
    }
    const [rotated] = await rotate(trx, attempt)
    if (rotated === undefined) return { record: await refuse(deps, trx, refresh, attempt) }
    const next = successors.find((secret) => hashSecret(secret).equals(rotated.token_hash))
    const user = next === undefined ? undefined : userOf(rotated)
    // `next` is undefined when the answer to repeat was derived from a master key that has been removed.
    if (next === undefined || user === undefined) {
      const reason = next === undefined ? 'successor_unknown' : 'user_inactive'
      const failed = { code: 'TOKEN_REFRESH_FAILED', reason, email: null, requestId } as const
      await logEventOf(deps, trx, rotated, failed)
      return { record: undefined }
    }
    await logEventOf(deps, trx, rotated, { code: 'TOKEN_REFRESHED', email: user.email, requestId })
    return { record: { rotated, user, refreshToken: `${token.handle}.${next}` } }
  })
  if (record === 'invalid_scope')
    throw new OAuthFailure('invalid_scope', 'The refresh token does not have all of these scopes.')
  if (record === 'invalid_client') throw withoutItsCredentials(refresh.client)
  if (record === undefined) {
    await checkAuthenticated(deps, refresh.client)
    throw refused()
  }
  const { rotated, user, refreshToken } = record
  const tokens = await signUserTokens(deps, { ...rotated, scope: narrowScope(rotated.scope, asked) }, user)
  return { ...tokens, refresh_token: refreshToken }
}

function refused(): OAuthFailure {
  return new OAuthFailure(
    'invalid_grant',
    'The refresh token is not one that can be exchanged. If it was issued, the log event TOKEN_REFRESH_FAILED has the reason.',
  )
}

interface Attempt extends RefreshClient {
  readonly scopes: readonly string[]
  readonly familyHash: Buffer
  readonly tokenHash: Buffer
  readonly successorHash: Buffer
  readonly repeatableSince: Date
  readonly at: Date
}

interface RotatedFamily extends WholeGrant {
  /** Of the new current token. */
  readonly token_hash: Buffer
}

/**
 * Consumes the token, or repeats its answer, under the conditions on the family, its parents and the client. Of parallel
 * requests the first rotates the token, and the others repeat its answer.
 */
const rotate = sqlStatement(
  (attempt: Attempt) => sql<RotatedFamily>`
    with consumed as (
      update refresh_token_families as family set
        token_hash = case
          when family.token_hash = ${attempt.tokenHash} then ${attempt.successorHash} else family.token_hash
        end,
        previous_token_hash = ${attempt.tokenHash},
        rotated_at = case
          when family.token_hash = ${attempt.tokenHash} then ${attempt.at} else family.rotated_at
        end
      from ${familyParents}
      where family.family_hash = ${attempt.familyHash}
        and ${isCurrent(attempt)}
        and family.ended_at is null
        and family.expires_at > ${attempt.at}
        and ${joinsFamilyParents}
        and ${allOf(parentConditions)}
        and ${allOf(refreshChecks(attempt))}
      returning family.account_id, accounts.domain as account_domain, family.environment,
        organizations.domain, family.session_id, family.code_id, family.user_id, family.application_id, family.issuer,
        applications.name as application_name, applications.application_type,
        applications.access_token_lifetime_in_seconds, applications.token_signing_alg,
        family.scope, family.claims, family.amr, sessions.act, family.authenticated_at, family.token_hash,
        ${identityDataOfSession()} as identity_data, ${tokenColumnsInSql('family')}
    ), used as (
      update sessions set last_used_at = ${attempt.at}
      from consumed
      where ${sameTenant('sessions', 'consumed')}
        and sessions.id = consumed.session_id
    )
    select * from consumed`,
)

/** Ends the family of a replaced token, and logs the refusal of a known one; an unknown token is not logged. */
async function refuse(
  deps: Deps,
  trx: Transaction<DB>,
  { requestId }: Refresh,
  attempt: Attempt,
): Promise<'invalid_scope' | 'invalid_client' | undefined> {
  const [reused] = await endReused(trx, attempt)
  if (reused !== undefined) {
    await logEventOf(deps, trx, reused, { code: 'REFRESH_TOKEN_REUSED', requestId })
    return undefined
  }
  const [known] = await findRefused(trx, attempt)
  if (known === undefined) return undefined
  const reason = known.reason ?? 'changed_meanwhile'
  await logEventOf(deps, trx, known, { code: 'TOKEN_REFRESH_FAILED', reason, requestId })
  if (reason === 'client_authentication_required') return 'invalid_client'
  return reason === 'invalid_scope' ? reason : undefined
}

const endReused = sqlStatement(
  (attempt: Attempt) => sql<LoggedFamily>`
    with ended as (
      update refresh_token_families as family set ended_at = ${attempt.at}
      from ${familyParents}
      where family.family_hash = ${attempt.familyHash}
        and not coalesce(${isCurrent(attempt)}, false)
        and family.ended_at is null
        and ${joinsFamilyParents}
        and ${mayEnd(attempt)}
      returning ${knownColumns}, family.code_id
    ), noted as (${insertEndedFamilies('ended', attempt.at)})
    select * from ended`,
)

/** Why a token was refused: the first failed condition. */
const findRefused = sqlStatement(
  (attempt: Attempt) => sql<LoggedFamily & { reason: string | null }>`
    select ${knownColumns}, case
      when family.ended_at is not null then 'family_ended'
      when family.expires_at <= ${attempt.at} then 'refresh_token_expired'
      ${toCaseBranches({ ...parentConditions, ...refreshChecks(attempt) })}
    end as reason
    from refresh_token_families as family, ${familyParents}
    where family.family_hash = ${attempt.familyHash}
      and ${joinsFamilyParents}`,
)

function toCaseBranches(demands: Readonly<Record<string, RawBuilder<boolean>>>) {
  const lines = Object.entries(demands).map(
    ([reason, isMet]) => sql`when not coalesce(${isMet}, false) then ${sql.lit(reason)}`,
  )
  return sql.join(lines, sql` `)
}
