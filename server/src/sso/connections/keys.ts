import { sql, type Kysely, type RawBuilder } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { open, seal, type SealContext } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import type { ServiceProviderKey } from '../saml/service-provider-key.js'
import { connectionKeyColumns, type ConnectionKey } from './connection-key.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** The owner of a key: we, or the built-in identity provider. */
type SsoKeyPurpose = 'service_provider' | 'test_identity_provider'

/** Our keys for a connection, the newest first: the newest signs our requests, and each one decrypts assertions. */
export function findServiceProviderKeys(
  deps: Pick<Deps, 'db' | 'keys'>,
  key: ConnectionKey,
): Promise<ServiceProviderKey[]> {
  return findSsoKeys(deps, deps.db, key, 'service_provider')
}

/** The keys of a connection for a purpose, the newest first. */
export async function findSsoKeys(
  deps: Pick<Deps, 'keys'>,
  db: Kysely<DB>,
  key: ConnectionKey,
  purpose: SsoKeyPurpose,
): Promise<ServiceProviderKey[]> {
  const row = await db
    .selectFrom('sso_connections as connection')
    .where(ofOwner(key, 'connection'))
    .where('connection.id', '=', key.connectionId)
    .select(ssoKeysOfConnection(purpose).as('keys'))
    .executeTakeFirst()
  return openSsoKeys(deps, key, row?.keys ?? [])
}

/** A key as it is stored; the private key is sealed, in base64. */
interface StoredKey {
  readonly id: string
  readonly private_key_sealed: string
  readonly certificate: string
}

/** The keys for a purpose of a statement's row `connection`, the newest first. */
export function ssoKeysOfConnection(purpose: SsoKeyPurpose): RawBuilder<StoredKey[]> {
  return sql<StoredKey[]>`(
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', key.id, 'private_key_sealed', encode(key.private_key_sealed, 'base64'), 'certificate', key.certificate
    ) order by key.inserted_at desc, key.id desc), '[]')
    from sso_keys as key
    where key.account_id = connection.account_id
      and key.environment = connection.environment
      and key.organization_id = connection.organization_id
      and key.connection_id = connection.id
      and key.purpose = ${purpose}
  )`
}

/** Opens the sealed keys of a connection. */
export function openSsoKeys(
  { keys }: Pick<Deps, 'keys'>,
  key: ConnectionKey,
  stored: readonly StoredKey[],
): ServiceProviderKey[] {
  return stored.map(({ id, private_key_sealed: sealed, certificate }) => ({
    privateKey: open(keys.master, ssoKeyContext(key, id), Buffer.from(sealed, 'base64')).toString(),
    certificate,
  }))
}

/** Stores a key that was generated before the transaction, because generation is slow. */
export async function insertSsoKey(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  db: Kysely<DB>,
  key: ConnectionKey,
  { purpose, privateKey, certificate }: ServiceProviderKey & { readonly purpose: SsoKeyPurpose },
): Promise<void> {
  const id = newId()
  await db
    .insertInto('sso_keys')
    .values({
      ...connectionKeyColumns(key),
      id,
      purpose,
      private_key_sealed: seal(keys.master, ssoKeyContext(key, id), privateKey),
      certificate,
      inserted_at: now(),
    })
    .execute()
}

/** Deletes the keys of a connection for a purpose. */
export async function deleteSsoKeys(
  db: Kysely<DB>,
  key: ConnectionKey,
  purpose: SsoKeyPurpose,
): Promise<void> {
  await db
    .deleteFrom('sso_keys')
    .where(ofOwner(key))
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
