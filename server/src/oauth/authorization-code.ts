import type { Scope } from '@portico/contract/access'
import type { Environment } from '@portico/contract/fields'
import type { UserTokens } from '@portico/contract/oauth'
import type { User } from '@portico/contract/users'
import { sql, type Transaction } from 'kysely'
import { v4 as uuidv4 } from 'uuid'
import { scopesOf } from '../api-keys/api-keys.js'
import { areApiKeyCredentials, isSecretOf } from '../api-keys/credentials.js'
import { isUsableBy } from '../applications/usable.js'
import type { Algorithm } from '../crypto/jwt.js'
import { hashSecret } from '../crypto/secret.js'
import type { DB } from '../db/schema.js'
import { statement } from '../db/statement.js'
import type { Deps } from '../deps.js'
import { change } from '../events/change.js'
import { logEvent, type LogEntry } from '../log-events/log-event.js'
import { isEmailDomainAllowed } from '../sessions/complete-sign-in.js'
import { endSession } from '../sessions/end-sessions.js'
import { activeSigningKey, signWith } from '../signing-keys/signing-keys.js'
import type { Cause } from '../tenant.js'
import { toMetaDataClaims } from '../token-customization/user-metadata.js'
import { getUser } from '../users/users.js'
import { issuerOf, toAccessTokenClaims, toIdTokenClaims, type ActClaim } from './claims.js'
import { OAuthFailure } from './oauth-failure.js'
import { isVerifierOf } from './pkce.js'

/** A code as it is presented; what is undefined was not sent. */
export interface CodeExchange {
  readonly code: string
  readonly codeVerifier: string | undefined
  readonly redirectUri: string | undefined
  /** The application, or with a secret the API key. */
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  /** Whose token endpoint was asked; undefined: the service's own. */
  readonly organizationDomain: string | undefined
  readonly origin: string | undefined
  readonly requestId: string
}

/**
 * Exchanges an authorization code for tokens of its user, once. An attempt that fails spends the code as well, and a
 * code that comes again ends the session it was made for: somebody else has it (RFC 6749 section 4.1.2).
 *
 * @throws OAuthFailure `invalid_grant`, with one text whatever was wrong; the log event has the reason.
 */
export async function exchangeCode(deps: Deps, exchange: CodeExchange): Promise<UserTokens> {
  const { record: grant } = await change(deps, causeOf(exchange), async (trx) => {
    const [spent] = await spendCode(trx, { codeHash: hashSecret(exchange.code), at: deps.now() })
    if (spent === undefined) {
      await refuseDeadCode(deps, trx, exchange)
      return { record: undefined }
    }
    const refusal = await whyRefused(deps, trx, spent, exchange)
    const user = refusal === undefined ? await findActiveUser(trx, spent, exchange) : undefined
    if (user === undefined) {
      const reason = refusal ?? 'user_inactive'
      await logExchange(deps, trx, exchange, spent, { code: 'TOKEN_EXCHANGE_FAILED', reason })
      return { record: undefined }
    }
    await logExchange(deps, trx, exchange, spent, { code: 'TOKEN_EXCHANGED', email: user.email })
    return { record: { spent, user } }
  })
  if (grant === undefined)
    throw new OAuthFailure('invalid_grant', 'The code is not one that can be exchanged.')
  return signTokens(deps, exchange, grant.spent, grant.user)
}

function causeOf({ requestId }: CodeExchange): Cause {
  return { requestId, actor: { type: 'system', id: 'token_endpoint' }, params: () => ({}) }
}

/** The code's one use, with all that must be true of what it is bound to, as it is at this moment. */
const spendCode = statement((db, { codeHash, at }: { codeHash: Buffer; at: Date }) =>
  db
    .updateTable('authorization_codes as code')
    .set({ used_at: at })
    .from(['sessions', 'users', 'applications', 'organizations', 'accounts'])
    .where('code.code_hash', '=', codeHash)
    .where('code.used_at', 'is', null)
    .where('code.expires_at', '>', at)
    .whereRef('sessions.account_id', '=', 'code.account_id')
    .whereRef('sessions.environment', '=', 'code.environment')
    .whereRef('sessions.organization_id', '=', 'code.organization_id')
    .whereRef('sessions.id', '=', 'code.session_id')
    .where('sessions.ended_at', 'is', null)
    .where('sessions.expires_at', '>', at)
    .whereRef('users.account_id', '=', 'code.account_id')
    .whereRef('users.environment', '=', 'code.environment')
    .whereRef('users.organization_id', '=', 'code.organization_id')
    .whereRef('users.id', '=', 'code.user_id')
    .whereRef('applications.account_id', '=', 'code.account_id')
    .whereRef('applications.environment', '=', 'code.environment')
    .whereRef('applications.id', '=', 'code.application_id')
    .whereRef('organizations.account_id', '=', 'code.account_id')
    .whereRef('organizations.id', '=', 'code.organization_id')
    .whereRef('accounts.id', '=', 'code.account_id')
    .returning([
      'code.account_id',
      sql<Environment>`code.environment`.as('environment'),
      'code.organization_id',
      'code.session_id',
      'code.user_id',
      'code.application_id',
      'code.redirect_uri',
      'code.code_challenge',
      'code.nonce',
      'code.state',
      'code.scope',
      'sessions.amr',
      // Written by completeSignIn() alone.
      sql<ActClaim | null>`sessions.act`.as('act'),
      'sessions.authenticated_at',
      'users.email_normalized',
      sql<boolean>`(users.active and users.deleted_at is null)`.as('is_user_active'),
      'applications.name as application_name',
      'applications.application_type',
      'applications.code_exchange',
      'applications.allowed_origins_cors',
      'applications.access_token_lifetime_in_seconds',
      // The table's check constraint and the contract allow nothing else.
      sql<Algorithm>`applications.token_signing_alg`.as('token_signing_alg'),
      isUsableBy(sql.ref('code.organization_id')).as('is_application_usable'),
      'organizations.domain',
      'organizations.allowed_email_domains',
      sql<boolean>`(organizations.deleted_at is null)`.as('is_organization_there'),
      'accounts.domain as account_domain',
    ]),
)

type SpentCode = Awaited<ReturnType<typeof spendCode>>[number]

/** Why a code that was good gets no tokens; undefined when it does. */
async function whyRefused(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  spent: SpentCode,
  exchange: CodeExchange,
): Promise<string | undefined> {
  const reason = whyNotAllowed(spent) ?? whyNotBound(spent, exchange)
  return reason ?? whyNotByApiKey(deps, trx, spent, exchange)
}

/** What has changed since the user signed in. */
function whyNotAllowed(spent: SpentCode): string | undefined {
  if (!spent.is_organization_there) return 'organization_deleted'
  if (!spent.is_application_usable) return 'application_not_usable'
  if (!spent.is_user_active) return 'user_inactive'
  const isAllowed = isEmailDomainAllowed(spent.allowed_email_domains, spent.email_normalized)
  return isAllowed ? undefined : 'email_domain_not_allowed'
}

/** What of the request is not what the code is bound to. */
function whyNotBound(spent: SpentCode, exchange: CodeExchange): string | undefined {
  const { organizationDomain, redirectUri, origin } = exchange
  if (organizationDomain !== undefined && organizationDomain !== spent.domain) return 'wrong_organization'
  if (redirectUri !== undefined && redirectUri !== spent.redirect_uri) return 'redirect_uri_mismatch'
  if (origin !== undefined && !spent.allowed_origins_cors.includes(origin)) return 'origin_not_allowed'
  if (!isClientOf(spent, exchange)) return 'client_id_mismatch'
  if (spent.code_exchange === 'pkce' && spent.code_challenge === null) return 'code_challenge_required'
  return isVerifierOf(spent.code_challenge, exchange.codeVerifier) ? undefined : 'code_verifier_rejected'
}

/** A client_id without a secret names the application, also in its prefixed form such as app_<uuid>. */
function isClientOf(spent: SpentCode, { clientId, clientSecret }: CodeExchange): boolean {
  if (clientId === undefined || clientSecret !== undefined) return true
  return clientId.toLowerCase().split('_').at(-1) === spent.application_id
}

/** What is wrong with the API key of the request, where the application demands one or a secret was sent. */
async function whyNotByApiKey(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  spent: SpentCode,
  { clientId, clientSecret }: CodeExchange,
): Promise<string | undefined> {
  const isDemanded = spent.code_exchange === 'api_key'
  if (!isDemanded && clientSecret === undefined) return undefined
  if (clientId === undefined || clientSecret === undefined) return 'api_key_rejected'
  const key = areApiKeyCredentials(clientId, clientSecret)
    ? await findApiKey(trx, spent, clientId)
    : undefined
  const isValid = isSecretOf(key, clientSecret, now())
  if (key === undefined || !isValid) return 'api_key_rejected'
  return isDemanded && !maySignIn(scopesOf(key), spent.amr) ? 'insufficient_scope' : undefined
}

/**
 * Who may have a user pass a factor may have what it is worth; a key for reading users may not sign in as them.
 *
 * @param amr How the user was authenticated.
 */
function maySignIn(scopes: readonly Scope[], amr: readonly string[]): boolean {
  return amr.some((way) => {
    const scope = scopeOfWay.get(way)
    return scope !== undefined && scopes.includes(scope)
  })
}

const scopeOfWay: ReadonlyMap<string, Scope> = new Map([
  ['email', 'write:magic_links'],
  ['relay', 'write:magic_links'],
  ['pwd', 'write:passwords'],
  ['otp', 'write:totp'],
  ['sms', 'write:totp'],
])

/** The API key of this id that may act where the code was made. */
function findApiKey(trx: Transaction<DB>, spent: SpentCode, clientId: string) {
  return trx
    .selectFrom('api_keys')
    .where('account_id', '=', spent.account_id)
    .where('environment', '=', spent.environment)
    .where('id', '=', clientId)
    .where(sql<boolean>`(organization_ids is null or ${spent.organization_id} = any(organization_ids))`)
    .select([
      'secret_hash',
      'previous_secret_hash',
      'previous_secret_expires_at',
      'expires_at',
      'revoked_at',
      'scopes',
    ])
    .executeTakeFirst()
}

async function findActiveUser(
  trx: Transaction<DB>,
  spent: SpentCode,
  exchange: CodeExchange,
): Promise<User | undefined> {
  const tenant = {
    accountId: spent.account_id,
    accountDomain: spent.account_domain,
    environment: spent.environment,
    domain: spent.domain,
    organizationIds: null,
    cause: causeOf(exchange),
  }
  const { record } = await getUser({ db: trx }, tenant, spent.user_id)
  return 'deleted' in record || !record.active ? undefined : record
}

/** After the commit, so that a slow signature, or the making of the first RS256 key, holds no transaction open. */
async function signTokens(
  deps: Deps,
  { code }: CodeExchange,
  spent: SpentCode,
  user: User,
): Promise<UserTokens> {
  const algorithm = spent.token_signing_alg
  const owner = {
    accountId: spent.account_id,
    environment: spent.environment,
    organizationId: spent.organization_id,
  }
  const key = await activeSigningKey(deps, deps.db, owner, algorithm)
  const lifetimeSeconds = spent.access_token_lifetime_in_seconds
  const facts = {
    issuer: issuerOf(deps.config.baseUrl, spent.domain),
    environment: spent.environment,
    organizationDomain: spent.domain,
    user,
    metaData: toMetaDataClaims(user.metadata),
    application: {
      id: spent.application_id,
      name: spent.application_name,
      application_type: spent.application_type,
    },
    // openid asks for the ID token and permits nothing, so that it is no scope of the access token.
    scopes: spent.scope.split(' ').filter((scope) => scope !== '' && scope !== 'openid'),
    amr: spent.amr,
    sessionId: spent.session_id,
    act: spent.act ?? undefined,
    issuedAtSeconds: Math.floor(deps.now().getTime() / 1000),
    lifetimeSeconds,
  }
  const accessToken = signWith(deps, owner, key, {
    algorithm,
    typ: 'at+jwt',
    claims: toAccessTokenClaims({ ...facts, jti: uuidv4() }),
  })
  const idToken = signWith(deps, owner, key, {
    algorithm,
    typ: 'JWT',
    claims: toIdTokenClaims({
      ...facts,
      jti: uuidv4(),
      authTimeSeconds: Math.floor(spent.authenticated_at.getTime() / 1000),
      nonce: spent.nonce ?? undefined,
      state: spent.state ?? undefined,
      accessToken,
      code,
    }),
  })
  return {
    access_token: accessToken,
    id_token: idToken,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    scope: spent.scope,
  }
}

/** A code that never was leaves no trace; a used one that comes again ends its session. */
async function refuseDeadCode(deps: Deps, trx: Transaction<DB>, exchange: CodeExchange): Promise<void> {
  const dead = await trx
    .selectFrom('authorization_codes as code')
    .innerJoin('organizations', (join) =>
      join
        .onRef('organizations.account_id', '=', 'code.account_id')
        .onRef('organizations.id', '=', 'code.organization_id'),
    )
    .where('code.code_hash', '=', hashSecret(exchange.code))
    .select([
      'code.account_id',
      'code.environment',
      'code.organization_id',
      'code.session_id',
      'code.user_id',
      'code.application_id',
      'code.used_at',
      'code.expires_at',
      'organizations.domain',
    ])
    .executeTakeFirst()
  if (dead === undefined) return
  if (dead.used_at !== null) {
    const { account_id: accountId, organization_id: organizationId, session_id: sessionId } = dead
    await endSession(deps, trx, { accountId, environment: dead.environment, organizationId, sessionId })
  }
  const isExpired = dead.expires_at <= deps.now()
  const reason = dead.used_at !== null ? 'code_used' : isExpired ? 'code_expired' : 'session_ended'
  await logExchange(deps, trx, exchange, dead, { code: 'TOKEN_EXCHANGE_FAILED', reason })
}

/** What is known of a code that is told of. */
type KnownCode = Pick<
  SpentCode,
  'account_id' | 'organization_id' | 'user_id' | 'application_id' | 'domain'
> & { readonly environment: string }

function logExchange(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { requestId }: CodeExchange,
  known: KnownCode,
  entry: Pick<LogEntry, 'code' | 'reason' | 'email'>,
): Promise<void> {
  return logEvent(deps, trx, {
    ...entry,
    accountId: known.account_id,
    environment: known.environment,
    organizationId: known.organization_id,
    domain: known.domain,
    clientId: known.application_id,
    userId: known.user_id,
    requestId,
  })
}
