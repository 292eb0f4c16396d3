import type { SsoMetadata } from '@portico/contract/sso-records'
import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { connectionKeyColumns, isConnection, isOfConnection, type ConnectionKey } from './connection-key.js'

/** Earlier versions that are kept beside the current one. */
const keptVersions = 10

/** The versioned tables of a connection, with the onboarding's column for the version that awaits its test. */
const waitingColumns = {
  sso_metadata_versions: 'metadata_version',
  sso_oidc_clients: 'client_version',
} as const satisfies Partial<Record<keyof DB, keyof DB['sso_onboardings']>>

type VersionTable = keyof typeof waitingColumns

export interface NewVersion {
  readonly uploadedBy: SsoMetadata['uploaded_by']
  /** Whether it replaces a current version. Without one, it always becomes current. */
  readonly makeCurrent: boolean
}

export interface StoredVersion {
  /** From 1. */
  readonly version: number
  readonly isCurrent: boolean
}

/**
 * Stores the next version of a connection, also in its onboarding; the first one makes it configured. The caller emits the
 * event.
 *
 * @param insert Inserts the row, from the columns that every version has.
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
  await insert({
    ...connectionKeyColumns(key),
    version,
    is_current: isCurrent,
    uploaded_by: uploadedBy,
    inserted_at: at,
  })
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

/** The columns of every version. */
type VersionRow = ReturnType<typeof connectionKeyColumns> & {
  readonly version: number
  readonly is_current: boolean
  readonly uploaded_by: SsoMetadata['uploaded_by']
  readonly inserted_at: Date
}

/**
 * Makes a stored version the current one, also an earlier one.
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

/** Serializes the changes of a connection, so that versions are numbered and at most one is current. */
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

/** Marks a connection as changed. A current version makes it configured; its certificates have had no expiry warning yet. */
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

/** Keeps the current version and the one that awaits its test. */
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
