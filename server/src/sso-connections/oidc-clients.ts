import type { SsoOidcClient } from '@portico/contract/sso-records'
import { sql, type Kysely, type Transaction } from 'kysely'
import { open, seal, type SealContext } from '../crypto/seal.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { isConnection, isOfConnection, type ConnectionKey } from './connection-key.js'
import { keptVersions, noteChange } from './metadata-versions.js'

/** What we are to an OpenID provider. */
export interface OidcClientSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface NewOidcClient extends OidcClientSettings {
  readonly uploadedBy: SsoOidcClient['uploaded_by']
  /** Whether it takes the place of a client that is current. Where none is, it becomes current in any case. */
  readonly makeCurrent: boolean
}

/** A version of the client of a connection. */
export interface StoredOidcClient extends OidcClientSettings {
  /** From 1. */
  readonly version: number
}

/** Stores a client as the next version of a connection, for one that is locked. The event of the change is the caller's. */
export async function storeOidcClient(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  { issuer, clientId, clientSecret, uploadedBy, makeCurrent }: NewOidcClient,
): Promise<{ readonly version: number; readonly isCurrent: boolean }> {
  const at = now()
  const { last, isConfigured } = await lockClients(trx, key)
  const isCurrent = makeCurrent || !isConfigured
  const version = last + 1
  if (isCurrent) await dropCurrent(trx, key)
  await trx
    .insertInto('sso_oidc_clients')
    .values({
      account_id: key.accountId,
      environment: key.environment,
      organization_id: key.organizationId,
      connection_id: key.connectionId,
      version,
      is_current: isCurrent,
      issuer,
      client_id: clientId,
      client_secret_sealed: seal(keys.master, clientSecretContext(key, version), clientSecret),
      uploaded_by: uploadedBy,
      inserted_at: at,
    })
    .execute()
  await trx
    .updateTable('sso_onboardings')
    .set({ state: 'xml_provided', client_version: version, updated_at: at, version: sql`version + 1` })
    .where(isOfConnection('sso_onboardings', key))
    .execute()
  await noteChange(trx, key, { isCurrent, at })
  await forgetOldClients(trx, key)
  return { version, isCurrent }
}

/**
 * Makes a stored client the current one, also one from before.
 *
 * @returns Whether the connection has the version.
 */
export async function makeClientCurrent(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  version: number,
): Promise<boolean> {
  await lockClients(trx, key)
  await dropCurrent(trx, key)
  const made = await trx
    .updateTable('sso_oidc_clients')
    .set({ is_current: true })
    .where(isOfConnection('sso_oidc_clients', key))
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
  if (made === undefined) return false
  await noteChange(trx, key, { isCurrent: true, at: now() })
  return true
}

/** The client of a connection that is in use; undefined where there is none. */
export async function findCurrentClient(
  deps: Pick<Deps, 'keys'>,
  db: Kysely<DB>,
  key: ConnectionKey,
): Promise<StoredOidcClient | undefined> {
  const row = await clientsOf(db, key).where('is_current', '=', true).executeTakeFirst()
  return row && toStoredClient(deps, key, row)
}

/** A version of the client of a connection, which may not be in use. */
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

/** Has changes of one connection follow each other, so that versions are numbered and one at most is current. */
async function lockClients(
  trx: Transaction<DB>,
  key: ConnectionKey,
): Promise<{ last: number; isConfigured: boolean }> {
  await trx
    .selectFrom('sso_connections')
    .where(isConnection(key))
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const { last, is_configured: isConfigured } = await trx
    .selectFrom('sso_oidc_clients')
    .where(isOfConnection('sso_oidc_clients', key))
    .select([
      sql<number>`coalesce(max(version), 0)`.as('last'),
      sql<boolean>`coalesce(bool_or(is_current), false)`.as('is_configured'),
    ])
    .executeTakeFirstOrThrow()
  return { last, isConfigured }
}

async function dropCurrent(trx: Transaction<DB>, key: ConnectionKey): Promise<void> {
  await trx
    .updateTable('sso_oidc_clients')
    .set({ is_current: false })
    .where(isOfConnection('sso_oidc_clients', key))
    .where('is_current', '=', true)
    .execute()
}

/** Neither the current client is forgotten, nor the one that the onboarding waits to have tested. */
async function forgetOldClients(trx: Transaction<DB>, key: ConnectionKey): Promise<void> {
  await trx
    .deleteFrom('sso_oidc_clients')
    .where(isOfConnection('sso_oidc_clients', key))
    .where('is_current', '=', false)
    .where(
      sql<boolean>`version not in (
        select version from sso_oidc_clients
        where ${isOfConnection('sso_oidc_clients', key)} and not is_current
        order by version desc limit ${keptVersions}
      )`,
    )
    .where(
      sql<boolean>`version is distinct from (
        select client_version from sso_onboardings where ${isOfConnection('sso_onboardings', key)}
      )`,
    )
    .execute()
}
