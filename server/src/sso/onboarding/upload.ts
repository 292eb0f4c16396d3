import type { Deps } from '../../delivery/deps.js'
import { readIdpMetadata, type IdpMetadata } from '../saml/metadata.js'
import { storeMetadata } from '../connections/metadata-versions.js'
import type { StoredVersion } from '../connections/stored-versions.js'
import type { AdminSession } from '../admins/admin-session.js'
import type { OnboardingConnection } from './connections.js'
import {
  confirmPendingUpload,
  findPendingUpload,
  keepPendingUpload,
  type UploadConfirmation,
} from './waiting-upload.js'

/** The limit of metadata, in bytes; those of one identity provider have some thousand. */
export const maxMetadataBytes = 512_000

/** Parsed metadata that wait for the administrator to confirm them. */
export interface Upload {
  readonly uploadId: string
  readonly metadata: IdpMetadata
}

/**
 * Keeps metadata in the session until the administrator confirms them.
 *
 * @throws MetadataFault when they cannot be read.
 */
export async function keepUpload(
  deps: Pick<Deps, 'db' | 'now'>,
  session: AdminSession,
  connection: OnboardingConnection,
  xml: string,
): Promise<void> {
  readIdpMetadata(xml)
  await keepPendingUpload(deps, session, connection, { xml, clientSealed: null })
}

/** The metadata that wait in the session for a connection. */
export async function findUpload(
  deps: Pick<Deps, 'db'>,
  session: AdminSession,
  connection: OnboardingConnection,
): Promise<Upload | undefined> {
  const waiting = await findPendingUpload(deps, session, connection)
  if (waiting === undefined || waiting.xml === null) return undefined
  return { uploadId: waiting.uploadId, metadata: readIdpMetadata(waiting.xml) }
}

/** Stores metadata as the next version of the connection, as confirmPendingUpload() says. */
export function confirmUpload(
  deps: Deps,
  session: AdminSession,
  connection: OnboardingConnection,
  confirmation: UploadConfirmation,
): Promise<StoredVersion | undefined> {
  return confirmPendingUpload(deps, session, connection, confirmation, async (trx, { xml }) => {
    if (xml === null) return undefined
    return storeMetadata(deps, trx, connection, {
      xml,
      metadata: readIdpMetadata(xml),
      uploadedBy: 'sso_admin',
      makeCurrent: false,
    })
  })
}
