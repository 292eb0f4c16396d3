import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { StoredCertificate } from '../saml/metadata.js'
import { isOfConnection } from '../connections/connection-key.js'
import type { OnboardingConnection } from './connections.js'

/** The content of a stored version of the metadata. */
interface MetadataVersion {
  readonly version: number
  readonly isCurrent: boolean
  readonly entityId: string
  readonly redirectUrl: string | null
  readonly postUrl: string | null
  readonly certificates: readonly StoredCertificate[]
  readonly validUntil: Date | null
  readonly insertedAt: Date
}

/** The version that was uploaded here, else the current one; undefined where there is neither. */
export async function findShownVersion(
  { db }: Pick<Deps, 'db'>,
  connection: OnboardingConnection,
): Promise<MetadataVersion | undefined> {
  const version = connection.uploadedVersion ?? connection.currentVersion
  if (version === null) return undefined
  const row = await db
    .selectFrom('sso_metadata_versions')
    .where(isOfConnection('sso_metadata_versions', connection))
    .where('version', '=', version)
    .select([
      'version',
      'is_current',
      'entity_id',
      'redirect_url',
      'post_url',
      // Only written from parsed metadata.
      sql<StoredCertificate[]>`certificates`.as('certificates'),
      'valid_until',
      'inserted_at',
    ])
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    version: row.version,
    isCurrent: row.is_current,
    entityId: row.entity_id,
    redirectUrl: row.redirect_url,
    postUrl: row.post_url,
    certificates: row.certificates,
    validUntil: row.valid_until,
    insertedAt: row.inserted_at,
  }
}
