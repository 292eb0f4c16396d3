import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { withoutUpload } from '../invitations/links.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { limit } from '../../delivery/limits/limits.js'
import { isOfConnection } from '../connections/connection-key.js'
import { emitOnboarding } from '../connections/onboarding.js'
import type { StoredVersion } from '../connections/stored-versions.js'
import { emitConnection } from '../connections/whole-connection.js'
import type { AdminSession } from '../admins/admin-session.js'
import { lockConnectionRow, type OnboardingConnection } from './connections.js'
import { enqueueMetadataNotices } from './metadata-notice.js'
import { adminCause, logAdmin } from './note.js'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'

/** Stored versions of a connection: setting it up takes a few, and each is mailed to every administrator. */
const uploads = limit('sso-metadata', { windowSeconds: 60 * 60, most: () => 10 })

/** An upload in the session of an administrator that waits to be confirmed: metadata, or a client, which is sealed. */
interface WaitingUpload {
  readonly xml: string | null
  readonly clientSealed: Buffer | null
}

/** Keeps an upload for a connection in the session, in place of an earlier one. */
export async function keepPendingUpload(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { accountId, organizationId, sessionId }: AdminSession,
  { connectionId }: OnboardingConnection,
  { xml, clientSealed }: WaitingUpload,
): Promise<void> {
  await db
    .updateTable('sso_admin_sessions')
    .set({
      upload_id: newId(),
      upload_connection_id: connectionId,
      upload_xml: xml,
      upload_client_sealed: clientSealed,
    })
    .where(ofOrganization({ accountId, organizationId }))
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now())
    .execute()
}

/** The upload for a connection in the session. */
export async function findPendingUpload(
  { db }: Pick<Deps, 'db'>,
  { accountId, organizationId, sessionId }: AdminSession,
  { connectionId }: OnboardingConnection,
): Promise<(WaitingUpload & { readonly uploadId: string }) | undefined> {
  const row = await db
    .selectFrom('sso_admin_sessions')
    .where(ofOrganization({ accountId, organizationId }))
    .where('id', '=', sessionId)
    .where('upload_connection_id', '=', connectionId)
    .select(['upload_id', 'upload_xml', 'upload_client_sealed'])
    .executeTakeFirst()
  if (row?.upload_id == null) return undefined
  return { uploadId: row.upload_id, xml: row.upload_xml, clientSealed: row.upload_client_sealed }
}

export interface UploadConfirmation {
  /** The upload that the administrator was shown. */
  readonly uploadId: string
  readonly requestId: string
}

/**
 * Stores the confirmed upload, once, as the next version of the connection: it is in use at once where there was no
 * version, and otherwise as soon as the operator says so. The administrators of the organization are informed by mail.
 *
 * @param store Stores the upload; undefined when it is of the other protocol.
 * @returns Undefined when the upload was replaced or stored already, or the onboarding was restarted.
 * @throws ApiError `rate_limited` when the connection was given too many in the last hour.
 */
export async function confirmPendingUpload(
  deps: Deps,
  session: AdminSession,
  connection: OnboardingConnection,
  { uploadId, requestId }: UploadConfirmation,
  store: (trx: Transaction<DB>, upload: WaitingUpload) => Promise<StoredVersion | undefined>,
): Promise<StoredVersion | undefined> {
  const { accountId, environment, connectionId } = connection
  await deps.limits.take(uploads, { accountId, environment, address: connectionId })
  const cause = adminCause(session, requestId)
  const { record } = await change(deps, cause, async (trx) => {
    const upload = await consumeWaiting(deps, trx, session, connection, uploadId)
    if (upload === undefined) return { record: undefined }
    const stored = await store(trx, upload)
    if (stored === undefined) return { record: undefined }
    await emitOnboarding(deps, trx, cause, connection, 'sso.onboarding.update.success')
    await emitConnection(deps, trx, cause, connection, 'sso.connection.update.success')
    await enqueueMetadataNotices(deps, trx, connection, {
      protocol: upload.xml === null ? 'oidc' : 'saml',
      version: stored.version,
    })
    await logAdmin(deps, trx, session, connection, { code: 'ADMIN_ONBOARDING_XML_PROVIDED', requestId })
    return { record: stored }
  })
  return record
}

/** Consumes the upload. The onboarding's row is locked, so that it is not reset before the upload is stored. */
async function consumeWaiting(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, organizationId, sessionId }: AdminSession,
  connection: OnboardingConnection,
  uploadId: string,
): Promise<WaitingUpload | undefined> {
  await lockConnectionRow(trx, connection)
  const begun = await trx
    .selectFrom('sso_onboardings')
    .where(isOfConnection('sso_onboardings', connection))
    .where('state', 'in', ['provider_type_chosen', 'xml_provided'])
    // The built-in identity provider has its own metadata.
    .where(sql<boolean>`provider_type is distinct from 'test'`)
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (begun === undefined) return undefined
  const consumed = await trx
    .with('before', (db) =>
      db
        .selectFrom('sso_admin_sessions')
        .where(ofOrganization({ accountId, organizationId }))
        .where('id', '=', sessionId)
        .where('upload_id', '=', uploadId)
        .where('upload_connection_id', '=', connection.connectionId)
        .where('ended_at', 'is', null)
        .where('expires_at', '>', now())
        .select(['id', 'upload_xml', 'upload_client_sealed'])
        .forUpdate(),
    )
    .updateTable('sso_admin_sessions')
    .from('before')
    .set(withoutUpload)
    .where(ofOrganization({ accountId, organizationId }, 'sso_admin_sessions'))
    .whereRef('sso_admin_sessions.id', '=', 'before.id')
    .returning(['before.upload_xml', 'before.upload_client_sealed'])
    .executeTakeFirst()
  return consumed && { xml: consumed.upload_xml, clientSealed: consumed.upload_client_sealed }
}
