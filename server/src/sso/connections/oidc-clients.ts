import type { SsoOidcClient } from '@portico/contract/sso-records'
import type { Kysely, Transaction } from 'kysely'
import { open, seal, type SealContext } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { isOfConnection, type ConnectionKey } from './connection-key.js'
import { storeVersion, type NewVersion, type StoredVersion } from './stored-versions.js'

/** Our client at an OpenID provider. */
export interface OidcClientSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

interface NewOidcClient extends OidcClientSettings, NewVersion {
  readonly uploadedBy: SsoOidcClient['uploaded_by']
}

/** A version of the client of a connection. */
export interface StoredOidcClient extends OidcClientSettings {
  /** From 1. */
  readonly version: number
}

/** Stores a client as the next version of a connection, as storeVersion() says. */
export function storeOidcClient(
  deps: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  { issuer, clientId, clientSecret, ...version }: NewOidcClient,
): Promise<StoredVersion> {
  return storeVersion(deps, trx, 'sso_oidc_clients', key, {
    ...version,
    insert: (row) =>
      trx
        .insertInto('sso_oidc_clients')
        .values({
          ...row,
          issuer,
          client_id: clientId,
          client_secret_sealed: seal(deps.keys.master, clientSecretContext(key, row.version), clientSecret),
        })
        .execute(),
  })
}

/** The current client of a connection; undefined without one. */
export async function findCurrentClient(
  deps: Pick<Deps, 'keys'>,
  db: Kysely<DB>,
  key: ConnectionKey,
): Promise<StoredOidcClient | undefined> {
  const row = await clientsOf(db, key).where('is_current', '=', true).executeTakeFirst()
  return row && toStoredClient(deps, key, row)
}

/** A version of the client of a connection, current or not. */
export async function findClientVersion(
  deps: Pick<Deps, 'keys'>,
  db: Kysely<DB>,
  key: ConnectionKey,
  version: number,
): Promise<StoredOidcClient | undefined> {
  const row = await clientsOf(db, key).where('version', '=', version).executeTakeFirst()
  return row && toStoredClient(deps, key, row)
}

function clientsOf(db: Kysely<DB>, key: ConnectionKey) {
  return db
    .selectFrom('sso_oidc_clients')
    .where(isOfConnection('sso_oidc_clients', key))
    .select(['version', 'issuer', 'client_id', 'client_secret_sealed'])
}

type ClientRow = Awaited<ReturnType<ReturnType<typeof clientsOf>['executeTakeFirstOrThrow']>>

function toStoredClient({ keys }: Pick<Deps, 'keys'>, key: ConnectionKey, row: ClientRow): StoredOidcClient {
  const context = clientSecretContext(key, row.version)
  return {
    version: row.version,
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: open(keys.master, context, row.client_secret_sealed).toString(),
  }
}

/** The context under which a client's secret is sealed; the re-sealing command uses it too. */
export function clientSecretContext(
  key: Pick<ConnectionKey, 'accountId' | 'organizationId' | 'connectionId'> & {
    readonly environment: string
  },
  version: number,
): SealContext {
  const { accountId, environment, organizationId, connectionId } = key
  const row = `${accountId}:${environment}:${connectionId}:${version}`
  return {
    purpose: 'sso_oidc_client',
    scope: organizationId,
    aad: `sso_oidc_clients.client_secret_sealed:${row}`,
  }
}
