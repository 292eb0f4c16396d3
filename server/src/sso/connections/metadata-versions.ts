import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { invalid } from '../../platform/errors.js'
import { MetadataFault, readIdpMetadata, type IdpMetadata } from '../saml/metadata.js'
import type { ConnectionKey } from './connection-key.js'
import { storeVersion, type NewVersion, type StoredVersion } from './stored-versions.js'

/** The metadata of an identity provider, as sent and as parsed. */
interface ReadMetadata {
  readonly xml: string
  readonly metadata: IdpMetadata
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

/** Stores metadata as the next version of a connection, as storeVersion() says. */
export function storeMetadata(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  { xml, metadata, ...version }: ReadMetadata & NewVersion,
): Promise<StoredVersion> {
  return storeVersion(deps, trx, 'sso_metadata_versions', key, {
    ...version,
    insert: (row) =>
      trx
        .insertInto('sso_metadata_versions')
        .values({
          ...row,
          xml,
          entity_id: metadata.entityId,
          redirect_url: metadata.redirectUrl,
          post_url: metadata.postUrl,
          certificates: JSON.stringify(metadata.certificates),
          valid_until: metadata.validUntil,
        })
        .execute(),
  })
}
