import type { Scope } from '@portico/contract/access'
import type { Environment } from '@portico/contract/fields'
import type { Kysely } from 'kysely'
import { scopesOfKey } from '../../tokens/api-keys/api-keys.js'
import { secretColumns, areApiKeyCredentials, isSecretOf } from '../../tokens/api-keys/credentials.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'

/** An API key authenticated by its secret. */
export interface KeyClient {
  readonly apiKeyId: string
  readonly accountId: string
  readonly environment: Environment
  /** The organizations that the key is limited to; null: all of the account. */
  readonly organizationIds: readonly string[] | null
  readonly scopes: readonly Scope[]
}

/** The API key of valid credentials, else undefined; the response time does not reveal why they are invalid. */
export async function findKeyClient(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
): Promise<KeyClient | undefined> {
  const key = areApiKeyCredentials(clientId, clientSecret)
    ? // eslint-disable-next-line portico/tenant -- a client names itself, and its secret is verified
      await db
        .selectFrom('api_keys')
        .where('id', '=', clientId)
        .select(['id', 'account_id', 'environment', 'organization_ids', 'scopes', ...secretColumns])
        .executeTakeFirst()
    : undefined
  const isValid = isSecretOf(key, clientSecret, now())
  if (key === undefined || !isValid) return undefined
  return {
    apiKeyId: key.id,
    accountId: key.account_id,
    // The table's check constraint allows nothing else.
    environment: key.environment as Environment,
    organizationIds: key.organization_ids,
    scopes: scopesOfKey(key),
  }
}

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
