import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { ServiceProvider } from '../saml/validate-response.js'
import { openSsoKeys, ssoKeysOfConnection } from '../connections/keys.js'
import { isAwaited } from './awaited-request.js'
import {
  liveConnections,
  toLiveConnection,
  toServiceProvider,
  toTrustedMetadata,
  type LiveConnection,
  type TrustedMetadata,
} from './live-connection.js'

/** A connection to which a response was posted, and what the response is held against. */
export interface ReceivingConnection {
  readonly live: LiveConnection
  /** Undefined where the connection has none. */
  readonly metadata: TrustedMetadata | undefined
  readonly serviceProvider: ServiceProvider
  /** It claims to answer an administrator's test: the metadata are those that this was begun with. */
  readonly isTest: boolean
}

/**
 * The connection that an address names, as a response finds it, in one statement; undefined when there is none, or it
 * speaks another protocol.
 *
 * @param claimedRequest What the response says that it answers, of which nothing is proved.
 */
export async function findReceivingConnection(
  deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>,
  idpId: string,
  claimedRequest: string | undefined,
): Promise<ReceivingConnection | undefined> {
  const [row] = await selectReceiving(deps.db, { idpId, id: claimedRequest ?? null, at: deps.now() })
  if (row === undefined) return undefined
  const live = toLiveConnection(row)
  const { version, entity_id, redirect_url, post_url, certificates } = row
  const isThere = version !== null && entity_id !== null && certificates !== null
  return {
    live,
    metadata: isThere
      ? toTrustedMetadata({ version, entity_id, redirect_url, post_url, certificates })
      : undefined,
    serviceProvider: toServiceProvider(deps, live, openSsoKeys(deps, live, row.service_provider_keys)),
    isTest: row.is_test,
  }
}

interface Received {
  readonly idpId: string
  readonly id: string | null
  readonly at: Date
}

const selectReceiving = statement((db, received: Received) =>
  liveConnections(db)
    .leftJoin('saml_requests', (join) =>
      join
        .onRef('saml_requests.account_id', '=', 'connection.account_id')
        .onRef('saml_requests.environment', '=', 'connection.environment')
        .onRef('saml_requests.organization_id', '=', 'connection.organization_id')
        .onRef('saml_requests.connection_id', '=', 'connection.id')
        .on('saml_requests.admin_session_id', 'is not', null)
        .on(isAwaited(received)),
    )
    .leftJoin('sso_metadata_versions as metadata', (join) =>
      join
        .onRef('metadata.account_id', '=', 'connection.account_id')
        .onRef('metadata.environment', '=', 'connection.environment')
        .onRef('metadata.organization_id', '=', 'connection.organization_id')
        .onRef('metadata.connection_id', '=', 'connection.id')
        .on(
          sql<boolean>`case
            when saml_requests.id is null then metadata.is_current
            else metadata.version = saml_requests.metadata_version
          end`,
        ),
    )
    .where('connection.idp_id', '=', received.idpId)
    .where('connection.protocol', '=', 'saml')
    .select([
      'metadata.version',
      'metadata.entity_id',
      'metadata.redirect_url',
      'metadata.post_url',
      'metadata.certificates',
      sql<boolean>`(saml_requests.id is not null)`.as('is_test'),
      ssoKeysOfConnection('service_provider').as('service_provider_keys'),
    ]),
)
