import type { UserTokens } from '@portico/contract/oauth'
import { sql, type Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement, statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change, repeated } from '../../delivery/events/change.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { causeBy } from '../../platform/tenant.js'
import { checkAuthenticated, withoutItsCredentials, type Client } from './client-authentication.js'
import {
  allOf,
  askerOf,
  firstFailed,
  grantChecks,
  grantParents,
  isAuthenticated,
  joinsGrantParents,
  parentConditions,
  type Asker,
} from './grant-conditions.js'
import { countGrant, insertGrantEvent } from './grant-event.js'
import { formOf, type GrantForm } from './grant-form.js'
import { OAuthFailure } from './oauth-failure.js'
import {
  isCurrent,
  knownColumns,
  narrowScope,
  readRefreshToken,
  repeatableMs,
  successorsOf,
  type LoggedFamily,
} from './refresh-family.js'
import { insertEndedFamilies } from '../../tokens/families.js'
import type { NamedIssuer } from '../../tokens/issuer.js'
import { scopesOf } from '../../tokens/scopes.js'
import { grantColumns, signUserTokens, type SignableGrant } from './user-tokens.js'
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
  const at = deps.now()
  const attempt: Attempt = {
    ...askerOf(refresh),
    scopes: asked,
    familyHash: hashSecret(token.handle),
    tokenHash: hashSecret(token.secret),
    successorHashes: successors.map(hashSecret),
    repeatableSince: new Date(at.getTime() - repeatableMs),
    requestId: refresh.requestId,
    at,
  }
  const rotate = rotateIn[formOf(deps.db, attempt)]
  const [rotated] = await repeated(deps.db, () => rotate(deps.db, attempt))
  if (rotated === undefined) await refuseToken(deps, refresh, attempt)
  else countGrant(deps, events, rotated)
  if (rotated?.reason !== null) {
    await checkAuthenticated(deps, refresh.client)
    throw refused()
  }
  const next = successors.find((secret) => hashSecret(secret).equals(rotated.token_hash))
  if (next === undefined) throw new Error('a refresh token was granted whose successor is not known')
  const tokens = await signUserTokens(deps, { ...rotated, scope: narrowScope(rotated.scope, asked) })
  return { ...tokens, refresh_token: `${token.handle}.${next}` }
}

const events = { granted: 'TOKEN_REFRESHED', refused: 'TOKEN_REFRESH_FAILED' } as const

function refused(): OAuthFailure {
  return new OAuthFailure(
    'invalid_grant',
    'The refresh token is not one that can be exchanged. If it was issued, the log event TOKEN_REFRESH_FAILED has the reason.',
  )
}

interface Attempt extends Asker {
  readonly scopes: readonly string[]
  readonly familyHash: Buffer
  readonly tokenHash: Buffer
  /** Of the candidates for the next token, that of the current master key first. */
  readonly successorHashes: readonly Buffer[]
  readonly repeatableSince: Date
  readonly requestId: string
  readonly at: Date
}

/** Conditions on a refresh, by the reason that is logged when one fails. */
function refreshChecks(attempt: Attempt) {
  return {
    ...parentConditions,
    ...grantChecks(attempt),
    invalid_scope: sql<boolean>`${attempt.scopes}::text[] <@ string_to_array(granted.scope, ' ')`,
  }
}

interface RotatedFamily extends SignableGrant {
  /** Of the new current token. */
  readonly token_hash: Buffer
  /** Why it gets no tokens after all; null when it does. */
  readonly reason: string | null
}

/**
 * Consumes the token, or repeats its answer, under the conditions on the family, its parents and the client, and logs it. Of parallel
 * requests the first rotates the token, and the others repeat its answer: where that was derived from a master key which has been
 * removed, it is not known. A session that ends meanwhile gets no tokens: its row is written last, and looked at again.
 */
const rotateOf = (form: GrantForm) =>
  statement((db, attempt: Attempt) => ({
    compile: () =>
      sql<RotatedFamily>`
    with consumed as (
      update refresh_token_families as granted set
        token_hash = case
          when granted.token_hash = ${attempt.tokenHash} then (${attempt.successorHashes}::bytea[])[1] else granted.token_hash
        end,
        previous_token_hash = ${attempt.tokenHash},
        rotated_at = case
          when granted.token_hash = ${attempt.tokenHash} then ${attempt.at} else granted.rotated_at
        end
      from ${grantParents}
      where granted.family_hash = ${attempt.familyHash}
        and ${isCurrent(attempt)}
        and granted.ended_at is null
        and granted.expires_at > ${attempt.at}
        and ${joinsGrantParents}
        and ${allOf(refreshChecks(attempt))}
      returning ${grantColumns(form)}, granted.code_id, granted.token_hash
    ), used as (
      update sessions set last_used_at = ${attempt.at}
      from consumed
      where ${sameTenant('sessions', 'consumed')}
        and sessions.id = consumed.session_id
        and sessions.ended_at is null
      returning sessions.id
    ), decided as (
      select consumed.*, case
        when used.id is null then 'session_ended'
        when consumed.token_hash <> all(${attempt.successorHashes}::bytea[]) then 'successor_unknown'
      end as reason
      from consumed left join used on true
    ), logged as (${insertGrantEvent(db, events, attempt)})
    select * from decided`.compile(db),
  }))

const rotateIn = { usual: rotateOf('usual'), whole: rotateOf('whole') }

/**
 * Refuses a token that cannot be exchanged.
 *
 * @throws OAuthFailure `invalid_scope`, `invalid_client`
 */
async function refuseToken(deps: Deps, refresh: Refresh, attempt: Attempt): Promise<void> {
  const cause = causeBy(refresh.requestId, 'system', 'token_endpoint')
  const { record: refusal } = await change(deps, cause, async (trx) => ({
    record: await refuse(deps, trx, attempt),
  }))
  if (refusal === 'invalid_scope')
    throw new OAuthFailure('invalid_scope', 'The refresh token does not have all of these scopes.')
  if (refusal === 'invalid_client') throw withoutItsCredentials(refresh.client)
}

/** Ends the family of a replaced token, and logs the refusal of a known one; an unknown token is not logged. */
async function refuse(
  deps: Deps,
  trx: Transaction<DB>,
  attempt: Attempt,
): Promise<'invalid_scope' | 'invalid_client' | undefined> {
  const { requestId } = attempt
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
      update refresh_token_families as granted set ended_at = ${attempt.at}
      from ${grantParents}
      where granted.family_hash = ${attempt.familyHash}
        and not coalesce(${isCurrent(attempt)}, false)
        and granted.ended_at is null
        and ${joinsGrantParents}
        and ${isAuthenticated(attempt)}
      returning ${knownColumns}, granted.code_id
    ), noted as (${insertEndedFamilies('ended', attempt.at)})
    select * from ended`,
)

/** Why a token was refused: the first failed condition. */
const findRefused = sqlStatement(
  (attempt: Attempt) => sql<LoggedFamily & { reason: string | null }>`
    select ${knownColumns}, ${firstFailed({
      family_ended: sql<boolean>`granted.ended_at is null`,
      refresh_token_expired: sql<boolean>`granted.expires_at > ${attempt.at}`,
      ...refreshChecks(attempt),
    })} as reason
    from refresh_token_families as granted, ${grantParents}
    where granted.family_hash = ${attempt.familyHash}
      and ${joinsGrantParents}`,
)
