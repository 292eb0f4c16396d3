import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { open, seal, type SealContext } from '../crypto/seal.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import type { ServiceProviderKey } from '../saml/service-provider-key.js'
import type { ConnectionKey } from './connection-key.js'

/** Whose key it is: ours, or that of the built-in identity provider, which answers us. */
export type SsoKeyPurpose = 'service_provider' | 'test_identity_provider'

/** Our keys for a connection, the newest first: it signs our requests, and each one opens assertions. */
export function findServiceProviderKeys(
  deps: Pick<Deps, 'db' | 'keys'>,
  key: ConnectionKey,
): Promise<ServiceProviderKey[]> {
  return findSsoKeys(deps, deps.db, key, 'service_provider')
}

/** The keys of a connection that are for a purpose, the newest first. */
export async function findSsoKeys(
  { keys }: Pick<Deps, 'keys'>,
  db: Kysely<DB>,
  key: ConnectionKey,
  purpose: SsoKeyPurpose,
): Promise<ServiceProviderKey[]> {
  const rows = await db
    .selectFrom('sso_keys')
    .where('account_id', '=', key.accountId)
    .where('environment', '=', key.environment)
    .where('organization_id', '=', key.organizationId)
    .where('connection_id', '=', key.connectionId)
    .where('purpose', '=', purpose)
    .select(['id', 'private_key_sealed', 'certificate'])
    .orderBy('inserted_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map((row) => ({
    privateKey: open(keys.master, ssoKeyContext(key, row.id), row.private_key_sealed).toString(),
    certificate: row.certificate,
  }))
}

/** Stores a key that was made before the transaction, because the making takes time. */
export async function insertSsoKey(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  db: Kysely<DB>,
  key: ConnectionKey,
  { purpose, privateKey, certificate }: ServiceProviderKey & { readonly purpose: SsoKeyPurpose },
): Promise<void> {
  const id = uuidv7()
  await db
    .insertInto('sso_keys')
    .values({
      account_id: key.accountId,
      environment: key.environment,
      organization_id: key.organizationId,
      connection_id: key.connectionId,
      id,
      purpose,
      private_key_sealed: seal(keys.master, ssoKeyContext(key, id), privateKey),
      certificate,
      inserted_at: now(),
    })
    .execute()
}

/** Deletes the keys of a connection that are for a purpose. */
export async function deleteSsoKeys(
  db: Kysely<DB>,
  key: ConnectionKey,
  purpose: SsoKeyPurpose,
): Promise<void> {
  await db
    .deleteFrom('sso_keys')
    .where('account_id', '=', key.accountId)
    .where('environment', '=', key.environment)
    .where('organization_id', '=', key.organizationId)
    .where('connection_id', '=', key.connectionId)
    .where('purpose', '=', purpose)
    .execute()
}

/** The context under which a private key is sealed; the re-sealing command uses it too. */
export function ssoKeyContext(
  key: Pick<ConnectionKey, 'accountId' | 'organizationId' | 'connectionId'> & {
    readonly environment: string
  },
  id: string,
): SealContext {
  return {
    purpose: 'sso_key',
    scope: key.organizationId,
    aad: `sso_keys.private_key_sealed:${key.accountId}:${key.environment}:${key.connectionId}:${id}`,
  }
}
