import type { Transaction } from 'kysely'
import { newId } from '../crypto/random.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { change } from '../events/change.js'
import { withoutUpload } from '../admins/links.js'
import { readIdpMetadata, type IdpMetadata } from '../saml/metadata.js'
import { isOfConnection } from '../sso-connections/connection-key.js'
import { emitOnboarding } from '../sso-connections/onboarding.js'
import { emitConnection } from '../sso-connections/whole-connection.js'
import { storeMetadata, type StoredMetadata } from '../sso-connections/metadata-versions.js'
import type { AdminSession } from './admin-session.js'
import { holdConnection, type OnboardingConnection } from './connections.js'
import { enqueueMetadataNotices } from './metadata-notice.js'
import { adminCause, logAdmin } from './note.js'

/** As long as metadata may be, in bytes; those of one identity provider have some thousand. */
export const maxMetadataBytes = 512_000

/** Metadata that were read and wait for the administrator to look at what they say. */
export interface Upload {
  readonly uploadId: string
  readonly metadata: IdpMetadata
}

/**
 * Keeps metadata in the session until the administrator has looked at what they say.
 *
 * @throws MetadataFault when they cannot be read.
 */
export async function keepUpload(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { accountId, organizationId, sessionId }: AdminSession,
  { connectionId }: OnboardingConnection,
  xml: string,
): Promise<void> {
  readIdpMetadata(xml)
  await db
    .updateTable('sso_admin_sessions')
    .set({ ...withoutUpload, upload_id: newId(), upload_connection_id: connectionId, upload_xml: xml })
    .where('account_id', '=', accountId)
    .where('organization_id', '=', organizationId)
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now())
    .execute()
}

/** What waits in the session for a connection. */
export async function findUpload(
  { db }: Pick<Deps, 'db'>,
  { accountId, organizationId, sessionId }: AdminSession,
  { connectionId }: OnboardingConnection,
): Promise<Upload | undefined> {
  const row = await db
    .selectFrom('sso_admin_sessions')
    .where('account_id', '=', accountId)
    .where('organization_id', '=', organizationId)
    .where('id', '=', sessionId)
    .where('upload_connection_id', '=', connectionId)
    .select(['upload_id', 'upload_xml'])
    .executeTakeFirst()
  if (row?.upload_id == null || row.upload_xml === null) return undefined
  return { uploadId: row.upload_id, metadata: readIdpMetadata(row.upload_xml) }
}

/**
 * Stores what the administrator has looked at, once, as the next version of the metadata: it is in use at once where there
 * was none, and else as soon as the operator says so. The administrators of the organization are told by mail.
 *
 * @returns Undefined when something else was uploaded meanwhile, it was stored already, or the onboarding begins anew.
 * @throws ApiError `rate_limited` when the connection was given too many in the last hour.
 */
export async function confirmUpload(
  deps: Deps,
  session: AdminSession,
  connection: OnboardingConnection,
  { uploadId, requestId }: { readonly uploadId: string; readonly requestId: string },
): Promise<StoredMetadata | undefined> {
  await deps.limits.takeMetadata(connection)
  const cause = adminCause(session, requestId)
  const { record } = await change(deps, cause, async (trx) => {
    const xml = (await takeUpload(deps, trx, session, connection, uploadId))?.xml
    if (xml == null) return { record: undefined }
    const stored = await storeMetadata(deps, trx, connection, {
      xml,
      metadata: readIdpMetadata(xml),
      uploadedBy: 'sso_admin',
      makeCurrent: false,
    })
    await emitOnboarding(deps, trx, cause, connection, 'sso.onboarding.update.success')
    await emitConnection(deps, trx, cause, connection, 'sso.connection.update.success')
    await enqueueMetadataNotices(deps, trx, connection, { protocol: 'saml', version: stored.version })
    await logAdmin(deps, trx, session, connection, { code: 'ADMIN_ONBOARDING_XML_PROVIDED', requestId })
    return { record: stored }
  })
  return record
}

/** What waited in a session: metadata, or a client, which is sealed. */
export interface TakenUpload {
  readonly xml: string | null
  readonly clientSealed: Buffer | null
}

/** The upload's one use. The onboarding is held, so that no reset comes between this and what is stored. */
export async function takeUpload(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, organizationId, sessionId }: AdminSession,
  connection: OnboardingConnection,
  uploadId: string,
): Promise<TakenUpload | undefined> {
  await holdConnection(trx, connection)
  const begun = await trx
    .selectFrom('sso_onboardings')
    .where(isOfConnection('sso_onboardings', connection))
    .where('state', 'in', ['provider_type_chosen', 'xml_provided'])
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (begun === undefined) return undefined
  const taken = await trx
    .with('before', (db) =>
      db
        .selectFrom('sso_admin_sessions')
        .where('account_id', '=', accountId)
        .where('organization_id', '=', organizationId)
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
    .where('sso_admin_sessions.account_id', '=', accountId)
    .where('sso_admin_sessions.organization_id', '=', organizationId)
    .whereRef('sso_admin_sessions.id', '=', 'before.id')
    .returning(['before.upload_xml', 'before.upload_client_sealed'])
    .executeTakeFirst()
  return taken && { xml: taken.upload_xml, clientSealed: taken.upload_client_sealed }
}
