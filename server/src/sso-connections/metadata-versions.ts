import { sql, type Transaction } from 'kysely'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { invalid } from '../errors.js'
import { MetadataFault, readIdpMetadata, type IdpMetadata } from '../saml/metadata.js'
import { isConnection, isOfConnection, type ConnectionKey } from './connection-key.js'

/** Versions kept beside the current one, to go back to. */
export const keptVersions = 10

/** The metadata of an identity provider, as they were sent and as they were read. */
export interface ReadMetadata {
  readonly xml: string
  readonly metadata: IdpMetadata
}

export interface NewMetadata extends ReadMetadata {
  readonly uploadedBy: 'api_key' | 'sso_admin' | 'service'
  /** Whether they take the place of metadata that are current. Where none are, they become current in any case. */
  readonly makeCurrent: boolean
}

export interface StoredMetadata {
  /** From 1. */
  readonly version: number
  readonly isCurrent: boolean
}

/**
 * Reads metadata that a caller has sent.
 *
 * @throws ApiError `invalid_parameters` with the fault of the document.
 */
export function checkedMetadata(xml: string): ReadMetadata {
  try {
    return { xml, metadata: readIdpMetadata(xml) }
  } catch (error) {
    if (!(error instanceof MetadataFault)) throw error
    throw invalid('metadata', error.code, error.message)
  }
}

/**
 * Stores metadata as the next version of a connection. Its onboarding has its XML now; a connection that had none is
 * configured. The event of the change is the caller's.
 */
export async function storeMetadata(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  { xml, metadata, uploadedBy, makeCurrent }: NewMetadata,
): Promise<StoredMetadata> {
  const at = now()
  const { last, isConfigured } = await lockVersions(trx, key)
  const isCurrent = makeCurrent || !isConfigured
  const version = last + 1
  if (isCurrent) await dropCurrent(trx, key)
  await trx
    .insertInto('sso_metadata_versions')
    .values({
      account_id: key.accountId,
      environment: key.environment,
      organization_id: key.organizationId,
      connection_id: key.connectionId,
      version,
      is_current: isCurrent,
      xml,
      entity_id: metadata.entityId,
      redirect_url: metadata.redirectUrl,
      post_url: metadata.postUrl,
      certificates: JSON.stringify(metadata.certificates),
      valid_until: metadata.validUntil,
      uploaded_by: uploadedBy,
      inserted_at: at,
    })
    .execute()
  await trx
    .updateTable('sso_onboardings')
    .set({ state: 'xml_provided', metadata_version: version, updated_at: at, version: sql`version + 1` })
    .where(isOfConnection('sso_onboardings', key))
    .execute()
  await noteChange(trx, key, { isCurrent, at })
  await forgetOldVersions(trx, key)
  return { version, isCurrent }
}

/**
 * Makes a stored version the current one, also one from before.
 *
 * @returns Whether the connection has the version.
 */
export async function makeVersionCurrent(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  version: number,
): Promise<boolean> {
  await lockVersions(trx, key)
  await dropCurrent(trx, key)
  const made = await trx
    .updateTable('sso_metadata_versions')
    .set({ is_current: true })
    .where(isOfConnection('sso_metadata_versions', key))
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
  if (made === undefined) return false
  await noteChange(trx, key, { isCurrent: true, at: now() })
  return true
}

/** Has uploads of one connection follow each other, so that versions are numbered and one at most is current. */
async function lockVersions(
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
    .selectFrom('sso_metadata_versions')
    .where(isOfConnection('sso_metadata_versions', key))
    .select([
      sql<number>`coalesce(max(version), 0)`.as('last'),
      sql<boolean>`coalesce(bool_or(is_current), false)`.as('is_configured'),
    ])
    .executeTakeFirstOrThrow()
  return { last, isConfigured }
}

async function dropCurrent(trx: Transaction<DB>, key: ConnectionKey): Promise<void> {
  await trx
    .updateTable('sso_metadata_versions')
    .set({ is_current: false })
    .where(isOfConnection('sso_metadata_versions', key))
    .where('is_current', '=', true)
    .execute()
}

/**
 * Notes that a connection has other metadata, or another client; other metadata have other certificates, of which nobody has
 * been warned. Once there is something in use it is configured.
 */
export async function noteChange(
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
async function forgetOldVersions(trx: Transaction<DB>, key: ConnectionKey): Promise<void> {
  await trx
    .deleteFrom('sso_metadata_versions')
    .where(isOfConnection('sso_metadata_versions', key))
    .where('is_current', '=', false)
    .where(
      sql<boolean>`version not in (
        select version from sso_metadata_versions
        where ${isOfConnection('sso_metadata_versions', key)} and not is_current
        order by version desc limit ${keptVersions}
      )`,
    )
    .where(
      sql<boolean>`version is distinct from (
        select metadata_version from sso_onboardings where ${isOfConnection('sso_onboardings', key)}
      )`,
    )
    .execute()
}
