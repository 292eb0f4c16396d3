import type { SsoMetadata } from '@portico/contract/sso-records'
import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { isConnection, isOfConnection, type ConnectionKey } from './connection-key.js'

/** Versions kept beside the current one, to go back to. */
const keptVersions = 10

/** What of a connection has versions, with the column of its onboarding for the one that waits to be tested. */
const waitingColumns = {
  sso_metadata_versions: 'metadata_version',
  sso_oidc_clients: 'client_version',
} as const satisfies Partial<Record<keyof DB, keyof DB['sso_onboardings']>>

type VersionTable = keyof typeof waitingColumns

export interface NewVersion {
  readonly uploadedBy: SsoMetadata['uploaded_by']
  /** Whether it takes the place of one that is current. Where none is, it becomes current in any case. */
  readonly makeCurrent: boolean
}

export interface StoredVersion {
  /** From 1. */
  readonly version: number
  readonly isCurrent: boolean
}

/**
 * Stores the next version of a connection. Its onboarding has it now; a connection that had none is configured. The event
 * of the change is the caller's.
 *
 * @param insert Inserts the row: what every version has, and what it is a version of.
 */
export async function storeVersion(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  table: VersionTable,
  key: ConnectionKey,
  {
    uploadedBy,
    makeCurrent,
    insert,
  }: NewVersion & { readonly insert: (row: VersionRow) => Promise<unknown> },
): Promise<StoredVersion> {
  const at = now()
  const { last, isConfigured } = await lockVersions(trx, table, key)
  const isCurrent = makeCurrent || !isConfigured
  const version = last + 1
  if (isCurrent) await dropCurrent(trx, table, key)
  await insert({ ...toOwner(key), version, is_current: isCurrent, uploaded_by: uploadedBy, inserted_at: at })
  await trx
    .updateTable('sso_onboardings')
    .set({
      state: 'xml_provided',
      [waitingColumns[table]]: version,
      updated_at: at,
      version: sql`version + 1`,
    })
    .where(isOfConnection('sso_onboardings', key))
    .execute()
  await noteChange(trx, key, { isCurrent, at })
  await forgetOldVersions(trx, table, key)
  return { version, isCurrent }
}

/** What every version has. */
type VersionRow = ReturnType<typeof toOwner> & {
  readonly version: number
  readonly is_current: boolean
  readonly uploaded_by: SsoMetadata['uploaded_by']
  readonly inserted_at: Date
}

function toOwner({ accountId, environment, organizationId, connectionId }: ConnectionKey) {
  return {
    account_id: accountId,
    environment,
    organization_id: organizationId,
    connection_id: connectionId,
  }
}

/**
 * Makes a stored version the current one, also one from before.
 *
 * @returns Whether the connection has the version.
 */
export async function makeVersionCurrent(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  table: VersionTable,
  key: ConnectionKey,
  version: number,
): Promise<boolean> {
  await lockVersions(trx, table, key)
  await dropCurrent(trx, table, key)
  const made = await trx
    .updateTable(table)
    .set({ is_current: true })
    .where(isOfConnection(table, key))
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
  if (made === undefined) return false
  await noteChange(trx, key, { isCurrent: true, at: now() })
  return true
}

/** Has changes of one connection follow each other, so that versions are numbered and one at most is current. */
async function lockVersions(
  trx: Transaction<DB>,
  table: VersionTable,
  key: ConnectionKey,
): Promise<{ last: number; isConfigured: boolean }> {
  await trx
    .selectFrom('sso_connections')
    .where(isConnection(key))
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const { last, is_configured: isConfigured } = await trx
    .selectFrom(table)
    .where(isOfConnection(table, key))
    .select([
      sql<number>`coalesce(max(version), 0)`.as('last'),
      sql<boolean>`coalesce(bool_or(is_current), false)`.as('is_configured'),
    ])
    .executeTakeFirstOrThrow()
  return { last, isConfigured }
}

async function dropCurrent(trx: Transaction<DB>, table: VersionTable, key: ConnectionKey): Promise<void> {
  await trx
    .updateTable(table)
    .set({ is_current: false })
    .where(isOfConnection(table, key))
    .where('is_current', '=', true)
    .execute()
}

/**
 * Notes that a connection has other metadata, or another client; other metadata have other certificates, of which nobody has
 * been warned. Once there is something in use it is configured.
 */
async function noteChange(
  trx: Transaction<DB>,
  key: ConnectionKey,
  { isCurrent, at }: { readonly isCurrent: boolean; readonly at: Date },
): Promise<void> {
  await trx
    .updateTable('sso_connections')
    .set({ updated_at: at, version: sql`version + 1` })
    .$if(isCurrent, (update) =>
      update.set({
        certificate_warned_at: null,
        state: sql`case when state = 'tested' then state else 'configured' end`,
      }),
    )
    .where(isConnection(key))
    .execute()
}

/** Neither the current version is forgotten, nor the one that the onboarding waits to have tested. */
async function forgetOldVersions(
  trx: Transaction<DB>,
  table: VersionTable,
  key: ConnectionKey,
): Promise<void> {
  await trx
    .deleteFrom(table)
    .where(isOfConnection(table, key))
    .where('is_current', '=', false)
    .where(
      sql<boolean>`version not in (
        select version from ${sql.table(table)}
        where ${isOfConnection(table, key)} and not is_current
        order by version desc limit ${keptVersions}
      )`,
    )
    .where(
      sql<boolean>`version is distinct from (
        select ${sql.ref(waitingColumns[table])} from sso_onboardings where ${isOfConnection('sso_onboardings', key)}
      )`,
    )
    .execute()
}
