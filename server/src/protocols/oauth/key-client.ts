import type { Scope } from '@portico/contract/access'
import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { scopesOfKey } from '../../tokens/api-keys/api-keys.js'
import {
  areApiKeyCredentials,
  isApiKeyId,
  isSecretOf,
  secretColumns,
  type KeySecrets,
} from '../../tokens/api-keys/credentials.js'
import { isApiKeySecret } from '../../platform/crypto/secret.js'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { invalidClient, type ClientRefusal, type RefusedClient } from './oauth-failure.js'

/** An API key authenticated by its secret. */
export interface KeyClient {
  readonly apiKeyId: string
  readonly accountId: string
  readonly accountDomain: string
  readonly environment: Environment
  /** The organizations that the key is limited to; null: all of the account. */
  readonly organizationIds: readonly string[] | null
  readonly scopes: readonly Scope[]
}

/** The authenticated API key that introspects. */
export type Introspector = Omit<KeyClient, 'apiKeyId' | 'scopes'>

/**
 * The API key of valid credentials. The response time does not reveal why others are refused.
 *
 * @throws OAuthFailure `invalid_client`
 */
export async function getKeyClient(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
): Promise<KeyClient> {
  const [key] = areApiKeyCredentials(clientId, clientSecret) ? await selectKey(db, { clientId }) : []
  const at = now()
  const isValid = isSecretOf(key, clientSecret, at)
  if (key === undefined || !isValid) throw invalidClient(toRefusedKey({ clientId, clientSecret }, key, at))
  return {
    apiKeyId: key.id,
    accountId: key.account_id,
    accountDomain: key.account_domain,
    // The table's check constraint allows nothing else.
    environment: key.environment as Environment,
    organizationIds: key.organization_ids,
    scopes: scopesOfKey(key),
  }
}

/** Why an API key is not authenticated, for the log. */
export function toRefusedKey(
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  key: (KeySecrets & { readonly account_id: string; readonly environment: string }) | undefined,
  at: Date,
): RefusedClient {
  // An application's has its own form; another text may be the secret of either, cut off or with a blank.
  if (!isApiKeySecret(clientSecret)) return { reason: 'secret_malformed', clientId: knownForm(clientId) }
  if (!isApiKeyId(clientId)) return { reason: 'client_id_malformed' }
  if (key === undefined) return { reason: 'api_key_unknown', clientId }
  return { reason: whyInvalid(key, at), clientId, accountId: key.account_id, environment: key.environment }
}

function whyInvalid({ revoked_at, expires_at }: KeySecrets, at: Date): ClientRefusal {
  if (revoked_at !== null) return 'api_key_revoked'
  return expires_at !== null && expires_at <= at ? 'api_key_expired' : 'secret_unknown'
}

/** A client_id that has the form of an id; any other text stays out of the log. */
function knownForm(clientId: string): string | undefined {
  return isApiKeyId(clientId) ? clientId : undefined
}

const selectKey = lookup((db, { clientId }: { clientId: string }) =>
  // eslint-disable-next-line portico/tenant -- a client names itself, and its secret is verified
  db
    .selectFrom('api_keys')
    .where('id', '=', clientId)
    .select([
      'id',
      'account_id',
      sql<string>`(select domain from accounts where accounts.id = api_keys.account_id)`.as('account_domain'),
      'environment',
      'organization_ids',
      'scopes',
      ...secretColumns,
    ]),
)

/** The scope that a key needs to exchange codes and tokens of each sign-in method. */
const scopeOfMethod: ReadonlyMap<string, Scope> = new Map([
  ['email', 'write:magic_links'],
  ['relay', 'write:magic_links'],
  ['pwd', 'write:passwords'],
  ['otp', 'write:totp'],
  ['sms', 'write:totp'],
  ['sso', 'write:sso_connections'],
  ['impersonation', 'write:impersonations'],
])

/** The sign-in methods that a key with these scopes may use. */
export function signInMethodsOf(scopes: readonly Scope[]): string[] {
  return [...scopeOfMethod].flatMap(([way, scope]) => (scopes.includes(scope) ? [way] : []))
}
