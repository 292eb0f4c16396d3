import type { Scope } from '@portico/contract/access'
import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { scopesOfKey } from '../../tokens/api-keys/api-keys.js'
import { secretColumns, areApiKeyCredentials, isSecretOf } from '../../tokens/api-keys/credentials.js'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'

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

/** The API key of valid credentials, else undefined; the response time does not reveal why they are invalid. */
export async function findKeyClient(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
): Promise<KeyClient | undefined> {
  const [key] = areApiKeyCredentials(clientId, clientSecret) ? await selectKey(db, { clientId }) : []
  const isValid = isSecretOf(key, clientSecret, now())
  if (key === undefined || !isValid) return undefined
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
export const scopeOfMethod: ReadonlyMap<string, Scope> = new Map([
  ['email', 'write:magic_links'],
  ['relay', 'write:magic_links'],
  ['pwd', 'write:passwords'],
  ['otp', 'write:totp'],
  ['sms', 'write:totp'],
  ['sso', 'write:sso_connections'],
])

/** The sign-in methods that a key with these scopes may use. */
export function signInMethodsOf(scopes: readonly Scope[]): string[] {
  return [...scopeOfMethod].flatMap(([way, scope]) => (scopes.includes(scope) ? [way] : []))
}
