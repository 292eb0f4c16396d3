import type { Scope } from '@portico/contract/access'
import type { Environment } from '@portico/contract/fields'
import type { UserTokens } from '@portico/contract/oauth'
import { sql, type Kysely, type Transaction } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'
import type { Algorithm } from '../../platform/crypto/jwt.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import { endSession } from '../../directory/end-sessions.js'
import { toEndedFamily } from '../../tokens/families.js'
import { causeBy } from '../../platform/tenant.js'
import type { ActClaim } from '../../tokens/claims.js'
import type { IssuerKind, NamedIssuer } from '../../tokens/issuer.js'
import type { RequestedClaims } from '../../tokens/user-claims.js'
import { toApplicationId } from './application-client.js'
import {
  checkAuthenticated,
  isApplication,
  withoutItsCredentials,
  type Client,
} from './client-authentication.js'
import { scopeOfMethod, type KeyClient } from './key-client.js'
import { OAuthFailure } from './oauth-failure.js'
import { isPkceMet, isVerifierOf } from '../../tokens/pkce.js'
import { forgetSessionClient, recordSessionClient } from './session-client.js'
import { issueRefreshToken } from './refresh-family.js'
import { hasOfflineAccess } from '../../tokens/scopes.js'
import {
  identityDataOfSession,
  impersonationEnd,
  signUserTokens,
  tokenColumns,
  userOf,
} from './user-tokens.js'
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
  const { requestId } = exchange
  const cause = causeBy(requestId, 'system', 'token_endpoint')
  const { record: grant } = await change(deps, cause, async (trx) => {
    const [consumed] = await takeCode(trx, {
      codeHash: hashSecret(exchange.code),
      ...applicationOf(exchange.client),
      at: deps.now(),
    })
    if (consumed === undefined) return { record: await refuseCode(deps, trx, exchange) }
    const refusal = whyRefused(consumed, exchange)
    const user = refusal === undefined ? userOf(consumed) : undefined
    if (user === undefined) {
      const reason = refusal ?? 'user_inactive'
      const failed = { code: 'TOKEN_EXCHANGE_FAILED', reason, email: null, requestId } as const
      await logEventOf(deps, trx, consumed, failed)
      if (consumed.is_first_of_session === true) await forgetSessionClient(trx, consumed)
      return { record: undefined }
    }
    const refreshToken = hasOfflineAccess(consumed.scope)
      ? await issueRefreshToken(deps, trx, consumed)
      : undefined
    await logEventOf(deps, trx, consumed, { code: 'TOKEN_EXCHANGED', email: user.email, requestId })
    return { record: { consumed, user, refreshToken } }
  })
  if (grant === 'invalid_client') throw withoutItsCredentials(exchange.client)
  if (grant === undefined) {
    await checkAuthenticated(deps, exchange.client)
    throw new OAuthFailure(
      'invalid_grant',
      'The code is not one that can be exchanged. If it was issued, the log event TOKEN_EXCHANGE_FAILED has the reason.',
    )
  }
  const { consumed, user, refreshToken } = grant
  const binding = {
    nonce: consumed.nonce ?? undefined,
    state: consumed.state ?? undefined,
    code: exchange.code,
  }
  const tokens = await signUserTokens(deps, consumed, user, binding)
  return { ...tokens, ...(refreshToken !== undefined && { refresh_token: refreshToken }) }
}

interface PresentedCode {
  readonly codeHash: Buffer
  /** Of the application that has authenticated; null where none has. */
  readonly applicationAccountId: string | null
  readonly applicationEnvironment: string | null
  readonly applicationId: string | null
  readonly at: Date
}

function applicationOf(client: Client) {
  const application = client.by === 'application' ? client.application : undefined
  return {
    applicationAccountId: application?.accountId ?? null,
    applicationEnvironment: application?.environment ?? null,
    applicationId: application?.applicationId ?? null,
  }
}

/** Whether the application of the code has authenticated, if it has to: another one does not consume it. */
function isAuthenticated(presented: PresentedCode) {
  return sql<boolean>`(
    applications.client_authentication = 'none'
    or (
      code.account_id = ${presented.applicationAccountId}::uuid
      and code.environment = ${presented.applicationEnvironment}
      and code.application_id = ${presented.applicationId}::uuid
    )
  )`
}

/** Consumes the code, and reads the current state of everything it is bound to. */
const consumeCode = (db: Kysely<DB>, presented: PresentedCode) =>
  db
    .updateTable('authorization_codes as code')
    .set({ used_at: presented.at })
    .from(['sessions', 'users', 'applications', 'organizations', 'accounts'])
    .where('code.code_hash', '=', presented.codeHash)
    .where('code.used_at', 'is', null)
    .where('code.expires_at', '>', presented.at)
    .where(isAuthenticated(presented))
    .where(sameTenant('sessions', 'code'))
    // The user of the session is the code's. To say so has the planner find the session by its user, who may have many.
    .whereRef('sessions.id', '=', 'code.session_id')
    .where('sessions.ended_at', 'is', null)
    .where('sessions.expires_at', '>', presented.at)
    .where(sameTenant('users', 'code'))
    .whereRef('users.id', '=', 'code.user_id')
    .where(sameEnvironment('applications', 'code'))
    .whereRef('applications.id', '=', 'code.application_id')
    .where(isOrganizationOf('organizations', 'code'))
    .whereRef('accounts.id', '=', 'code.account_id')
    .returning([
      'code.account_id',
      sql<Environment>`code.environment`.as('environment'),
      'code.id as code_id',
      'code.session_id',
      'code.user_id',
      'code.application_id',
      // The table's check constraint allows nothing else.
      sql<IssuerKind>`code.issuer`.as('issuer'),
      'code.redirect_uri',
      'code.code_challenge',
      'code.nonce',
      'code.state',
      'code.scope',
      // Only written from the parameter claims.
      sql<RequestedClaims | null>`code.claims`.as('claims'),
      'code.amr',
      // Only written by completeSignIn().
      sql<ActClaim | null>`sessions.act`.as('act'),
      'code.authenticated_at',
      impersonationEnd().as('impersonated_until'),
      identityDataOfSession().as('identity_data'),
      'users.email_normalized',
      sql<boolean>`(users.active and users.deleted_at is null)`.as('is_user_active'),
      'applications.name as application_name',
      'applications.application_type',
      'applications.code_exchange',
      'applications.client_authentication',
      'applications.pkce',
      'applications.allowed_origins_cors',
      'applications.access_token_lifetime_in_seconds',
      // The table's check constraint and the contract allow nothing else.
      sql<Algorithm>`applications.token_signing_alg`.as('token_signing_alg'),
      isUsableBy(sql.ref('code.organization_id')).as('is_application_usable'),
      'organizations.domain',
      'organizations.allowed_email_domains',
      sql<boolean>`(organizations.deleted_at is null)`.as('is_organization_there'),
      'accounts.domain as account_domain',
      ...tokenColumns('code'),
    ])

/** Consumes the code, and records its application with the session, in one statement. */
const takeCode = statement((db, presented: PresentedCode) =>
  db
    .with('consumed', () => consumeCode(db, presented))
    .with('client', () => recordSessionClient(presented.at))
    .selectFrom('consumed')
    .selectAll('consumed')
    .leftJoin('client', (join) => join.onTrue())
    .select('client.is_first as is_first_of_session')
    .select(sql<boolean>`(client.is_first is not null)`.as('is_session_held')),
)

type ConsumedCode = Awaited<ReturnType<typeof takeCode>>[number]

/** Why a consumed code gets no tokens; undefined when it does. */
function whyRefused(consumed: ConsumedCode, exchange: CodeExchange): string | undefined {
  return (
    whyNotAllowed(consumed) ?? whyNotBound(consumed, exchange) ?? whyNotByApiKey(consumed, exchange.client)
  )
}

/** Changes since the sign-in that forbid the exchange. */
function whyNotAllowed(consumed: ConsumedCode): string | undefined {
  if (!consumed.is_organization_there) return 'organization_deleted'
  if (!consumed.is_application_usable) return 'application_not_usable'
  if (!consumed.is_user_active) return 'user_inactive'
  if (!consumed.is_session_held) return 'session_ended'
  const isAllowed = isEmailDomainAllowed(consumed.allowed_email_domains, consumed.email_normalized)
  return isAllowed ? undefined : 'email_domain_not_allowed'
}

/** The mismatch between the request and the binding of the code. */
function whyNotBound(consumed: ConsumedCode, exchange: CodeExchange): string | undefined {
  const { endpoint, redirectUri, origin } = exchange
  const elsewhere = endpoint && whyElsewhere(consumed, endpoint)
  if (elsewhere !== undefined) return elsewhere
  if (redirectUri !== undefined && redirectUri !== consumed.redirect_uri) return 'redirect_uri_mismatch'
  if (origin !== undefined && !consumed.allowed_origins_cors.includes(origin)) return 'origin_not_allowed'
  if (!isClientOf(consumed, exchange.client)) return 'client_id_mismatch'
  if (consumed.code_exchange === 'pkce' && consumed.code_challenge === null) return 'code_challenge_required'
  if (!isPkceMet(consumed, consumed)) return 'code_challenge_required'
  return isVerifierOf(consumed.code_challenge, exchange.codeVerifier) ? undefined : 'code_verifier_rejected'
}

/** The token endpoints of a code are that of its issuer, and the service's own. */
function whyElsewhere(consumed: ConsumedCode, { kind, domain }: NamedIssuer): string | undefined {
  if (kind !== consumed.issuer) return 'wrong_issuer'
  if (kind === 'account') return domain === consumed.account_domain ? undefined : 'wrong_issuer'
  return domain === consumed.domain ? undefined : 'wrong_organization'
}

/** A client_id is optional beside a code; an API key acts for any application of its account. */
function isClientOf(consumed: ConsumedCode, client: Client): boolean {
  if (client.by === 'application') return isApplication(client, consumed)
  if (client.by === 'api_key' || client.clientId === undefined) return true
  return toApplicationId(client.clientId) === consumed.application_id
}

/** Why the API key of the request is refused, or the lack of one that the application requires. */
function whyNotByApiKey(consumed: ConsumedCode, client: Client): string | undefined {
  const isDemanded = consumed.code_exchange === 'api_key'
  if (client.by !== 'api_key') return isDemanded ? 'api_key_rejected' : undefined
  if (!isKeyFor(consumed, client.key)) return 'api_key_rejected'
  return isDemanded && !maySignIn(client.key.scopes, consumed.amr) ? 'insufficient_scope' : undefined
}

/**
 * A key that may run a sign-in method may exchange its codes; a key that only reads users may not sign in as them.
 *
 * @param amr How the user was authenticated.
 */
function maySignIn(scopes: readonly Scope[], amr: readonly string[]): boolean {
  return amr.some((method) => {
    const scope = scopeOfMethod.get(method)
    return scope !== undefined && scopes.includes(scope)
  })
}

/** Whether a key may act in the environment and organization of the code. */
function isKeyFor(consumed: ConsumedCode, { accountId, environment, organizationIds }: KeyClient): boolean {
  if (accountId !== consumed.account_id) return false
  if (environment !== consumed.environment) return false
  return organizationIds === null || organizationIds.includes(consumed.organization_id)
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
  const state = dead.used_at !== null ? 'code_used' : isExpired ? 'code_expired' : 'session_ended'
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

interface UsedCode extends Pick<ConsumedCode, 'account_id' | 'organization_id' | 'session_id' | 'code_id'> {
  readonly environment: string
  readonly code_challenge: string | null
  readonly is_of_browser: boolean
}
