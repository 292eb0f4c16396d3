import { minNonceLength } from '@portico/contract/client-authentication'
import type { UserTokens } from '@portico/contract/oauth'
import { sql, type Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change, repeated } from '../../delivery/events/change.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { endSession } from '../../directory/end-sessions.js'
import { toEndedFamily } from '../../tokens/families.js'
import { causeBy } from '../../platform/tenant.js'
import type { NamedIssuer } from '../../tokens/issuer.js'
import {
  checkAuthenticated,
  isApplication,
  withoutItsCredentials,
  type Client,
} from './client-authentication.js'
import {
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
import { challengeOf, isVerifierOf } from '../../tokens/pkce.js'
import { recordSessionClient } from './session-client.js'
import { insertFamily, newRefreshToken, type NewFamily } from './refresh-family.js'
import { grantColumns, signUserTokens, type SignableGrant } from './user-tokens.js'
import { isOrganizationOf, ofOwner, sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A presented code; undefined members were not sent. */
interface CodeExchange {
  readonly code: string
  readonly codeVerifier: string | undefined
  readonly redirectUri: string | undefined
  readonly client: Client
  /** The issuer whose token endpoint was called; undefined: the service's own. */
  readonly endpoint: NamedIssuer | undefined
  readonly origin: string | undefined
  readonly requestId: string
}

/**
 * Exchanges an authorization code for tokens of its user, once. A failed attempt also consumes the code. A reused code
 * has leaked, so the tokens issued from it are revoked (RFC 6749 section 4.1.2).
 *
 * @throws OAuthFailure `invalid_grant`, with the same text for every cause; the log event has the reason. `invalid_client` where the
 *   application has to authenticate, and has not: the code stays as it is.
 */
export async function exchangeCode(deps: Deps, exchange: CodeExchange): Promise<UserTokens> {
  const { client } = exchange
  const at = deps.now()
  const { refreshToken, family } = newRefreshToken(at)
  const presented: PresentedCode = {
    ...askerOf(exchange),
    ...family,
    isNamed: client.by !== 'nothing' || client.clientId !== undefined,
    codeHash: hashSecret(exchange.code),
    codeChallenge: challengeOf(exchange.codeVerifier),
    redirectUri: exchange.redirectUri ?? null,
    requestId: exchange.requestId,
  }
  const takeCode = takeCodeIn[formOf(deps.db, presented)]
  const [taken] = await repeated(deps.db, () => takeCode(deps.db, presented))
  if (taken === undefined) await refuseDeadCode(deps, exchange)
  else countGrant(deps, events, taken)
  if (taken?.reason !== null) {
    await checkAuthenticated(deps, client)
    throw new OAuthFailure(
      'invalid_grant',
      'The code is not one that can be exchanged. If it was issued, the log event TOKEN_EXCHANGE_FAILED has the reason.',
    )
  }
  const tokens = await signUserTokens(deps, taken, {
    nonce: taken.nonce ?? undefined,
    state: taken.state ?? undefined,
    code: exchange.code,
  })
  return { ...tokens, ...(taken.has_family && { refresh_token: refreshToken }) }
}

const events = { granted: 'TOKEN_EXCHANGED', refused: 'TOKEN_EXCHANGE_FAILED' } as const

interface PresentedCode extends Asker, NewFamily {
  readonly codeHash: Buffer
  /** Of the verifier; null without one. */
  readonly codeChallenge: string | null
  /** Null where it was not sent. */
  readonly redirectUri: string | null
  /** Whether the request names its client. */
  readonly isNamed: boolean
  readonly requestId: string
}

/** isPkceMet() of the code, by what its application demands now. */
const isPkceMetByCode = sql<boolean>`(
  granted.code_challenge is not null
  or applications.client_authentication = 'none'
  or applications.pkce = 'optional'
  or (applications.pkce = 'or_nonce' and length(granted.nonce) >= ${sql.lit(minNonceLength)})
)`

/** Conditions on an exchange, by the reason that is logged: that of the first which fails. */
function exchangeChecks(presented: PresentedCode) {
  const ofClient = grantChecks(presented)
  return {
    ...parentConditions,
    ...ofClient,
    session_ended: sql<boolean>`(sessions.ended_at is null and sessions.expires_at > ${presented.at})`,
    // A client_id is optional beside a code.
    client_id_mismatch: sql<boolean>`(not ${presented.isNamed}::boolean or ${ofClient.client_id_mismatch})`,
    redirect_uri_mismatch: sql<boolean>`(
      ${presented.redirectUri}::text is null or granted.redirect_uri = ${presented.redirectUri}
    )`,
    code_challenge_required: sql<boolean>`(
      ${isPkceMetByCode} and (applications.code_exchange <> 'pkce' or granted.code_challenge is not null)
    )`,
    code_verifier_rejected: sql<boolean>`granted.code_challenge is not distinct from ${presented.codeChallenge}::text`,
  }
}

interface TakenCode extends SignableGrant {
  readonly nonce: string | null
  readonly state: string | null
  /** Why it gets no tokens; null when it does. */
  readonly reason: string | null
  /** Whether it gets a refresh token. */
  readonly has_family: boolean
}

/**
 * Consumes the code, decides on the current state of everything it is bound to, records its application with the session, creates
 * its family and logs the outcome. Without the authentication that its application demands it is not consumed.
 */
const takeCodeOf = (form: GrantForm) =>
  statement((db, presented: PresentedCode) => ({
    compile: () =>
      sql<TakenCode>`
    with consumed as (
      update authorization_codes as granted set used_at = ${presented.at}
      from ${grantParents}
      where granted.code_hash = ${presented.codeHash}
        and granted.used_at is null
        and granted.expires_at > ${presented.at}
        and ${joinsGrantParents}
        and ${isAuthenticated(presented)}
      returning ${grantColumns(form)}, granted.id as code_id, granted.nonce, granted.state,
        ${firstFailed(exchangeChecks(presented))} as refusal
    ), client as (${recordSessionClient(presented.at)}
    ), decided as (
      select consumed.*,
        case when client.session_id is null then coalesce(consumed.refusal, 'session_ended') end as reason
      from consumed left join client on true
    ), ${insertFamily(presented)}, logged as (${insertGrantEvent(db, events, presented)})
    select decided.*, family.account_id is not null as has_family
    from decided left join family on true`.compile(db),
  }))

const takeCodeIn = { usual: takeCodeOf('usual'), whole: takeCodeOf('whole') }

/** @throws OAuthFailure `invalid_client` */
async function refuseDeadCode(deps: Deps, exchange: CodeExchange): Promise<void> {
  const cause = causeBy(exchange.requestId, 'system', 'token_endpoint')
  const { record: refusal } = await change(deps, cause, async (trx) => ({
    record: await refuseCode(deps, trx, exchange),
  }))
  if (refusal === 'invalid_client') throw withoutItsCredentials(exchange.client)
}

/**
 * Logs the refusal of a known code, and revokes the tokens of a reused one; an unknown code is not logged. Without the credentials
 * of an application that has to authenticate nothing is revoked.
 */
async function refuseCode(
  deps: Deps,
  trx: Transaction<DB>,
  exchange: CodeExchange,
): Promise<'invalid_client' | undefined> {
  const { client, requestId } = exchange
  const dead = await trx
    .selectFrom('authorization_codes as code')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'code')))
    .innerJoin('sessions', (join) =>
      join.on(sameTenant('sessions', 'code')).onRef('sessions.id', '=', 'code.session_id'),
    )
    .innerJoin('applications', (join) =>
      join.on(sameEnvironment('applications', 'code')).onRef('applications.id', '=', 'code.application_id'),
    )
    .where('code.code_hash', '=', hashSecret(exchange.code))
    .select([
      'code.account_id',
      'code.environment',
      'code.organization_id',
      'code.id as code_id',
      'code.code_challenge',
      sql<boolean>`(sessions.secret_hash is not null)`.as('is_of_browser'),
      'code.session_id',
      'code.user_id',
      'code.application_id',
      'code.used_at',
      'code.expires_at',
      'organizations.domain',
      'applications.client_authentication',
    ])
    .executeTakeFirst()
  if (dead === undefined) return undefined
  const isOpen = dead.client_authentication === 'none'
  if (!isOpen && client.by !== 'application') {
    const reason = 'client_authentication_required'
    await logEventOf(deps, trx, dead, { code: 'TOKEN_EXCHANGE_FAILED', reason, requestId })
    return 'invalid_client'
  }
  const isOfAnother = !isOpen && !isApplication(client, dead)
  if (dead.used_at !== null && !isOfAnother) await revokeIssued(deps, trx, dead, exchange)
  const isExpired = dead.expires_at <= deps.now()
  const state = dead.used_at !== null ? 'code_used' : isExpired ? 'code_expired' : 'changed_meanwhile'
  const reason = isOfAnother ? 'client_id_mismatch' : state
  await logEventOf(deps, trx, dead, { code: 'TOKEN_EXCHANGE_FAILED', reason, requestId })
  return undefined
}

/**
 * Revokes what was issued from a reused code. A session of the API belongs to this code only, and ends. A browser's session
 * serves all its applications, and its codes can leak in transit (RFC 9700 section 4.5.3.2): it stays, and only a request
 * with the code's verifier ends its family: its refresh tokens and its access tokens.
 */
async function revokeIssued(
  deps: Pick<Deps, 'db' | 'now' | 'metrics'>,
  trx: Transaction<DB>,
  dead: UsedCode,
  { codeVerifier }: CodeExchange,
): Promise<void> {
  const { account_id: accountId, environment, organization_id: organizationId, session_id: sessionId } = dead
  if (!dead.is_of_browser) {
    await endSession(deps, trx, { accountId, environment, organizationId, sessionId })
    return
  }
  if (dead.code_challenge !== null && !isVerifierOf(dead.code_challenge, codeVerifier)) return
  const at = deps.now()
  const owner = { accountId, environment, organizationId }
  await trx
    .with('noted', (db) =>
      db
        .insertInto('ended_families')
        .values(toEndedFamily(owner, dead.code_id, at))
        .onConflict((conflict) => conflict.doNothing()),
    )
    .updateTable('refresh_token_families')
    .set({ ended_at: at })
    .where(ofOwner(owner))
    .where('session_id', '=', sessionId)
    .where('code_id', '=', dead.code_id)
    .where('ended_at', 'is', null)
    .execute()
}

interface UsedCode extends Pick<TakenCode, 'account_id' | 'organization_id' | 'session_id' | 'code_id'> {
  readonly environment: string
  readonly code_challenge: string | null
  readonly is_of_browser: boolean
}
