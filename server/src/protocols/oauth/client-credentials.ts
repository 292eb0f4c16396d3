import { scopes as allScopes } from '@portico/contract/access'
import type { ApiToken } from '@portico/contract/oauth'
import { nilId } from '@portico/contract/fields'
import { sql } from 'kysely'
import { scopesOfKey } from '../../tokens/api-keys/api-keys.js'
import { apiAudience, apiTokenLifetimeSeconds } from '../../tokens/api-keys/api-token.js'
import { areApiKeyCredentials, isHashOf, isSecretOf } from '../../tokens/api-keys/credentials.js'
import { newTimelessId } from '../../platform/crypto/random.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { insertFrom } from '../../platform/db/insert-if.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { accountKeys, signWith } from '../../tokens/signing-keys/signing-keys.js'
import { toRefusedKey } from './key-client.js'
import { OAuthFailure } from './oauth-failure.js'
import { sameEnvironment } from '../../platform/db/tenant-predicate.js'

interface KeyCredentials {
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  readonly domain: string | undefined
  /** A subset of the key's scopes, separated by spaces. */
  readonly scope: string | undefined
}

/**
 * The client-credentials grant (RFC 6749 section 4.4): exchanges an API key for an access token of this API.
 *
 * @throws OAuthFailure `invalid_client`, with the same text whichever parameter is wrong; `invalid_scope`.
 */
export async function grantClientCredentials(
  deps: Deps,
  credentials: KeyCredentials,
  requestId: string,
): Promise<ApiToken> {
  const { clientId, clientSecret, domain } = credentials
  if (clientId === undefined || clientSecret === undefined || domain === undefined)
    throw new OAuthFailure('invalid_request', 'client_id, client_secret and domain are required.')

  const asked = credentials.scope?.split(' ').filter((scope) => scope !== '') ?? []
  const at = deps.now()
  const key = areApiKeyCredentials(clientId, clientSecret)
    ? await findKeyAndLog(deps, { clientId, clientSecret, domain, asked, requestId, at })
    : undefined
  const isValid = isSecretOf(key, clientSecret, at)
  if (key === undefined || !isValid || key.domain !== domain) {
    // Not awaited: the response time must not reveal whether the key exists.
    if (key !== undefined) {
      logEventOf(deps, deps.db, key, { code: 'API_KEY_TOKEN_REFUSED', clientId: key.id, requestId }).catch(
        (error: unknown) =>
          deps.log.warn({ err: error }, 'the log event of a refused token request cannot be stored'),
      )
    }
    const refused = toRefusedKey({ clientId, clientSecret }, key, at)
    throw new OAuthFailure('invalid_client', 'client_id, client_secret and domain do not name an API key.', {
      refusedClient: isValid ? { ...refused, reason: 'domain_mismatch' } : refused,
    })
  }

  const allowed = scopesOfKey(key)
  const granted = asked.length === 0 ? allowed : allowed.filter((scope) => asked.includes(scope))
  if (asked.some((scope) => !granted.some((allowedScope) => allowedScope === scope)))
    throw new OAuthFailure('invalid_scope', 'The API key does not have all of these scopes.')
  if (key.is_logged !== true) throw new Error('the statement has not logged a token that is granted')

  const issuedAt = Math.floor(at.getTime() / 1000)
  const scope = granted.join(' ')
  const token = signWith(deps, accountKeys(key.account_id, key.environment), key, {
    algorithm: 'ES256',
    typ: 'at+jwt',
    claims: {
      iss: deps.config.baseUrl,
      aud: apiAudience(deps.config.baseUrl),
      sub: key.id,
      client_id: key.id,
      account_id: key.account_id,
      tnt: key.domain,
      dbs: key.environment,
      env: key.environment,
      jtt: 'api_key',
      ver: 3,
      scope,
      iat: issuedAt,
      nbf: issuedAt,
      exp: issuedAt + apiTokenLifetimeSeconds,
      jti: newTimelessId(),
    },
  })
  deps.metrics.countSignIn('API_KEY_TOKEN_ISSUED')
  return { access_token: token, token_type: 'Bearer', expires_in: apiTokenLifetimeSeconds, scope }
}

interface AskedToken {
  readonly clientId: string
  readonly domain: string
  readonly asked: readonly string[]
  readonly requestId: string
  readonly at: Date
}

/** The key with its signing key, and the log of the token if the statement finds that it is granted. */
async function findKeyAndLog(
  { db }: Deps,
  { clientSecret, ...token }: AskedToken & { clientSecret: string },
) {
  const areScopes = token.asked.every((scope) => allScopes.some((known) => known === scope))
  const [key] = await selectKeyAndLog(db, { ...token, areScopes, secretHash: hashSecret(clientSecret) })
  return key
}

interface HashedToken extends AskedToken {
  readonly secretHash: Buffer
  readonly areScopes: boolean
}

/**
 * Reads the key, its account's domain and the account's signing key, and writes the log event of a token that is granted.
 * A refusal writes nothing here, whether the key exists or not, so that both take the same time.
 */
const selectKeyAndLog = statement((db, token: HashedToken) =>
  db
    .with('key', (cte) =>
      cte
        .selectFrom('api_keys as key')
        .innerJoin('accounts', 'accounts.id', 'key.account_id')
        .innerJoin('signing_keys as signing', (join) =>
          join
            .on(sameEnvironment('signing', 'key'))
            .on('signing.organization_id', '=', nilId)
            .on('signing.algorithm', '=', 'ES256')
            .on('signing.state', '=', 'active'),
        )
        .where('key.id', '=', token.clientId)
        .select([
          'key.account_id',
          'key.environment',
          'key.id',
          'key.secret_hash',
          'key.previous_secret_hash',
          'key.previous_secret_expires_at',
          'key.scopes',
          'key.expires_at',
          'key.revoked_at',
          'accounts.domain',
          'signing.kid',
          'signing.private_key_sealed',
        ]),
    )
    .with('logged', () =>
      insertFrom(
        db,
        'log_events',
        {
          account_id: sql.ref('key.account_id'),
          environment: sql.ref('key.environment'),
          domain: sql.ref('key.domain'),
          event_code: 'API_KEY_TOKEN_ISSUED',
          client_id: sql.ref('key.id'),
          request_id: token.requestId,
          inserted_at: token.at,
        },
        sql`from key where ${isGranted(token)}`,
      ).returning(sql<boolean>`true`.as('is_logged')),
    )
    .selectFrom('key')
    .leftJoin('logged', (join) => join.onTrue())
    .selectAll('key')
    .select('logged.is_logged'),
)

/** The demands of grantClientCredentials() on a key, in SQL. */
function isGranted({ domain, asked, areScopes, secretHash, at }: HashedToken) {
  return sql<boolean>`(
    ${isHashOf(secretHash, at)}
    and key.domain = ${domain}
    and ${areScopes}::boolean
    and (key.scopes is null or ${asked}::text[] <@ key.scopes)
  )`
}
