import { withoutUpload } from '../admins/links.js'
import { newId } from '../crypto/random.js'
import { open, seal, type SealContext } from '../crypto/seal.js'
import type { Deps } from '../deps.js'
import { change } from '../events/change.js'
import type { OpenIdProvider } from '../oidc-sign-in/provider.js'
import { storeOidcClient, type OidcClientSettings } from '../sso-connections/oidc-clients.js'
import { issuerFaultOf } from '../sso-connections/oidc-settings.js'
import { emitOnboarding } from '../sso-connections/onboarding.js'
import { emitConnection } from '../sso-connections/whole-connection.js'
import { ProviderFault } from '../oidc-sign-in/provider.js'
import type { AdminSession } from './admin-session.js'
import type { OnboardingConnection } from './connections.js'
import { enqueueMetadataNotices } from './metadata-notice.js'
import { adminCause, logAdmin } from './note.js'
import { takeUpload } from './upload.js'

/** Why an issuer is not taken. */
export type IssuerFaultCode = ProviderFault['code'] | 'issuer_shared'

/** An issuer that is not taken, with what was found there. */
export interface IssuerFault {
  readonly code: IssuerFaultCode
  readonly found: string
}

/** A client that waits for the administrator to look at it; the secret is shown to nobody. */
export interface KeptClient {
  readonly uploadId: string
  readonly issuer: string
  readonly clientId: string
}

/**
 * Reads what a provider says of itself, as it is at this moment.
 *
 * @throws ApiError `rate_limited` when the connection was given too many issuers in the last hour.
 */
export async function readIssuer(
  deps: Pick<Deps, 'limits' | 'openIdProviders'>,
  connection: OnboardingConnection,
  issuer: string,
): Promise<OpenIdProvider | IssuerFault> {
  const fault = issuerFaultOf(connection.providerType ?? 'unset', issuer)
  if (fault !== undefined) return { code: fault.code, found: fault.message }
  await deps.limits.takeIssuer(connection)
  return faultless(() => deps.openIdProviders.read(issuer))
}

/** The same for the page that shows it, from what was read a moment before. */
export function findIssuer(
  { openIdProviders }: Pick<Deps, 'openIdProviders'>,
  issuer: string,
): Promise<OpenIdProvider | IssuerFault> {
  return faultless(() => openIdProviders.find(issuer))
}

async function faultless(read: () => Promise<OpenIdProvider>): Promise<OpenIdProvider | IssuerFault> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    return { code: error.code, found: error.message }
  }
}

/** Keeps a client, sealed, in the session until the administrator has looked at what its provider says of itself. */
export async function keepClient(
  { db, keys, now }: Pick<Deps, 'db' | 'keys' | 'now'>,
  session: AdminSession,
  { connectionId }: OnboardingConnection,
  client: OidcClientSettings,
): Promise<void> {
  const { accountId, organizationId, sessionId } = session
  await db
    .updateTable('sso_admin_sessions')
    .set({
      ...withoutUpload,
      upload_id: newId(),
      upload_connection_id: connectionId,
      upload_client_sealed: seal(keys.master, keptClientContext(session), JSON.stringify(client)),
    })
    .where('account_id', '=', accountId)
    .where('organization_id', '=', organizationId)
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now())
    .execute()
}

/** The client that waits in the session for a connection. */
export async function findKeptClient(
  deps: Pick<Deps, 'db' | 'keys'>,
  session: AdminSession,
  { connectionId }: OnboardingConnection,
): Promise<KeptClient | undefined> {
  const { accountId, organizationId, sessionId } = session
  const row = await deps.db
    .selectFrom('sso_admin_sessions')
    .where('account_id', '=', accountId)
    .where('organization_id', '=', organizationId)
    .where('id', '=', sessionId)
    .where('upload_connection_id', '=', connectionId)
    .select(['upload_id', 'upload_client_sealed'])
    .executeTakeFirst()
  if (row?.upload_id == null || row.upload_client_sealed === null) return undefined
  const { issuer, clientId } = openClient(deps, session, row.upload_client_sealed)
  return { uploadId: row.upload_id, issuer, clientId }
}

/**
 * Stores what the administrator has looked at, once, as the next client of the connection: it is in use at once where there
 * was none, and else as soon as the operator says so. The administrators of the organization are told by mail.
 *
 * @returns Whether it was stored: not when something else was entered meanwhile, or the onboarding begins anew.
 * @throws ApiError `rate_limited` when the connection was given too many in the last hour.
 */
export async function confirmClient(
  deps: Deps,
  session: AdminSession,
  connection: OnboardingConnection,
  { uploadId, requestId }: { readonly uploadId: string; readonly requestId: string },
): Promise<boolean> {
  await deps.limits.takeMetadata(connection)
  const cause = adminCause(session, requestId)
  const { record } = await change(deps, cause, async (trx) => {
    const sealed = (await takeUpload(deps, trx, session, connection, uploadId))?.clientSealed
    if (sealed == null) return { record: false }
    const { version } = await storeOidcClient(deps, trx, connection, {
      ...openClient(deps, session, sealed),
      uploadedBy: 'sso_admin',
      makeCurrent: false,
    })
    await emitOnboarding(deps, trx, cause, connection, 'sso.onboarding.update.success')
    await emitConnection(deps, trx, cause, connection, 'sso.connection.update.success')
    await enqueueMetadataNotices(deps, trx, connection, { protocol: 'oidc', version })
    await logAdmin(deps, trx, session, connection, { code: 'ADMIN_ONBOARDING_XML_PROVIDED', requestId })
    return { record: true }
  })
  return record
}

type Owner = Pick<AdminSession, 'accountId' | 'organizationId' | 'sessionId'>

function openClient({ keys }: Pick<Deps, 'keys'>, owner: Owner, sealed: Buffer): OidcClientSettings {
  // Sealed by keepClient() alone.
  return JSON.parse(open(keys.master, keptClientContext(owner), sealed).toString()) as OidcClientSettings
}

/** The context under which a client that waits is sealed; the re-sealing command uses it too. */
export function keptClientContext({ accountId, organizationId, sessionId }: Owner): SealContext {
  return {
    purpose: 'sso_admin_client',
    scope: organizationId,
    aad: `sso_admin_sessions.upload_client_sealed:${accountId}:${sessionId}`,
  }
}
