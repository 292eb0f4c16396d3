import { open, seal, type SealContext } from '../../platform/crypto/seal.js'
import type { Deps } from '../../delivery/deps.js'
import { limit } from '../../delivery/limits/limits.js'
import { ProviderFault, type OpenIdProvider } from '../../platform/openid/provider.js'
import { storeOidcClient, type OidcClientSettings } from '../connections/oidc-clients.js'
import { issuerFaultOf } from '../connections/oidc-settings.js'
import type { StoredVersion } from '../connections/stored-versions.js'
import type { AdminSession } from '../admins/admin-session.js'
import type { OnboardingConnection } from './connections.js'
import {
  confirmPendingUpload,
  findPendingUpload,
  keepPendingUpload,
  type UploadConfirmation,
} from './waiting-upload.js'

/** Issuers entered for a connection, each of which causes requests of ours; typing errors and slow providers need several. */
const issuers = limit('sso-issuer', { windowSeconds: 60 * 60, most: () => 30 })

/** Why an issuer is refused. */
export type IssuerFaultCode = ProviderFault['code'] | 'issuer_shared'

/** A refused issuer, with what was found there. */
export interface IssuerFault {
  readonly code: IssuerFaultCode
  readonly found: string
}

/** A client that waits to be confirmed by the administrator; its secret is never shown. */
interface KeptClient {
  readonly uploadId: string
  readonly issuer: string
  readonly clientId: string
}

/**
 * Reads the discovery document of a provider anew.
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
  const { accountId, environment, connectionId } = connection
  await deps.limits.take(issuers, { accountId, environment, address: connectionId })
  return faultless(() => deps.openIdProviders.read(issuer))
}

/** The same for the page that shows it, from the copy that was just read. */
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

/** Keeps a client, sealed, in the session until the administrator confirms it. */
export async function keepClient(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  session: AdminSession,
  connection: OnboardingConnection,
  client: OidcClientSettings,
): Promise<void> {
  const clientSealed = seal(deps.keys.master, keptClientContext(session), JSON.stringify(client))
  await keepPendingUpload(deps, session, connection, { xml: null, clientSealed })
}

/** The client that waits in the session for a connection. */
export async function findKeptClient(
  deps: Pick<Deps, 'db' | 'keys'>,
  session: AdminSession,
  connection: OnboardingConnection,
): Promise<KeptClient | undefined> {
  const waiting = await findPendingUpload(deps, session, connection)
  if (waiting === undefined || waiting.clientSealed === null) return undefined
  const { issuer, clientId } = openClient(deps, session, waiting.clientSealed)
  return { uploadId: waiting.uploadId, issuer, clientId }
}

/** Stores a client as the next version of the connection, as confirmPendingUpload() says. */
export function confirmClient(
  deps: Deps,
  session: AdminSession,
  connection: OnboardingConnection,
  confirmation: UploadConfirmation,
): Promise<StoredVersion | undefined> {
  return confirmPendingUpload(deps, session, connection, confirmation, async (trx, { clientSealed }) => {
    if (clientSealed === null) return undefined
    const client = openClient(deps, session, clientSealed)
    return storeOidcClient(deps, trx, connection, { ...client, uploadedBy: 'sso_admin', makeCurrent: false })
  })
}

type Owner = Pick<AdminSession, 'accountId' | 'organizationId' | 'sessionId'>

function openClient({ keys }: Pick<Deps, 'keys'>, owner: Owner, sealed: Buffer): OidcClientSettings {
  // Only sealed by keepClient().
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
