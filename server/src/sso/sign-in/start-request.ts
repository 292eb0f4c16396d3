import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { limit, networkKey } from '../../delivery/limits/limits.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { newRequestId, signAuthnRequest, type SignedAuthnRequest } from '../saml/authn-request.js'
import { isOfConnection, type ConnectionKey } from '../connections/connection-key.js'
import {
  findCurrentMetadata,
  findLiveConnectionOf,
  findMetadataVersion,
  findServiceProvider,
} from './live-connection.js'
import { ownerColumns } from '../../platform/db/tenant-predicate.js'

/** The purpose of a request: a flow of a browser, or an administrator's test of uploaded metadata. */
type RequestPurpose = (
  | {
      readonly flowId: string
      /** The identity provider must authenticate a signed-in user again (SAML core section 3.4.1, ForceAuthn). */
      readonly isForced: boolean
      readonly requestId: string
    }
  | { readonly adminSessionId: string; readonly metadataVersion: number }
) & {
  /** The browser's IP address, for limits only. */
  readonly ip: string
}

/** Requests to identity providers of either protocol, by the network of the browser. */
export const requestsOfNetwork = limit('ip-saml-request', {
  windowSeconds: 15 * 60,
  most: (settings) => settings.flowsPerIp,
})

/** The time that a user has at the identity provider. */
const requestLifetimeMs = 10 * 60 * 1000

/**
 * Makes the request that takes a browser to the identity provider of a connection, and records it for ten minutes. A flow
 * accepts one answer, to one of its last two requests. An administrator's test uses the version of the metadata that they
 * have uploaded.
 *
 * @returns Undefined when the connection has no such metadata, or, for a flow, is inactive.
 * @throws ApiError `rate_limited` when the network of the browser has asked too often.
 */
export async function startRequest(
  deps: Deps,
  key: ConnectionKey,
  purpose: RequestPurpose,
): Promise<SignedAuthnRequest | undefined> {
  await deps.limits.take(requestsOfNetwork, networkKey(purpose.ip))
  const live = await findLiveConnectionOf(deps.db, key)
  const isOpen = live?.protocol === 'saml' && ('adminSessionId' in purpose || live.active)
  if (!isOpen) return undefined
  const metadata =
    'flowId' in purpose
      ? await findCurrentMetadata(deps.db, key)
      : await findMetadataVersion(deps.db, key, purpose.metadataVersion)
  const { entityId, acsUrl, privateKeys } = await findServiceProvider(deps, live)
  const [privateKey] = privateKeys
  if (metadata === undefined || privateKey === undefined) return undefined
  const at = deps.now()
  const id = newRequestId()
  const written = {
    connection_id: key.connectionId,
    id,
    metadata_version: metadata.version,
    expires_at: new Date(at.getTime() + requestLifetimeMs),
    inserted_at: at,
  }
  const { is_first: isFirst } = await deps.db
    .insertInto('saml_requests')
    .values({
      ...ownerColumns(key),
      flow_id: 'flowId' in purpose ? purpose.flowId : null,
      admin_session_id: 'flowId' in purpose ? null : purpose.adminSessionId,
      ...written,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'organization_id', 'environment', 'flow_id'])
        .where('flow_id', 'is not', null)
        .doUpdateSet({ ...written, ...previousOf(at, written) }),
    )
    // xmax is 0 in a row that was inserted, and not updated.
    .returning(sql<boolean>`saml_requests.xmax = 0`.as('is_first'))
    .executeTakeFirstOrThrow()
  if ('flowId' in purpose && isFirst)
    await logEvent(deps, deps.db, {
      accountId: live.accountId,
      environment: live.environment,
      organizationId: live.organizationId,
      domain: live.domain,
      code: 'SSO_END_USER_SAML_STARTED',
      idpId: live.idpId,
      requestId: purpose.requestId,
    })
  const { redirectUrl, postUrl } = metadata
  const forceAuthn = 'flowId' in purpose && purpose.isForced
  return signAuthnRequest({ id, at, entityId, acsUrl, privateKey, redirectUrl, postUrl, forceAuthn })
}

/**
 * The replaced request, which after a double click may still be answered where both asked the same identity provider by the
 * same metadata. It expires when it would have.
 */
function previousOf(
  at: Date,
  written: { readonly connection_id: string; readonly metadata_version: number },
) {
  const ifSame = <Value>(column: 'id' | 'expires_at') => sql<Value | null>`case
    when saml_requests.connection_id = ${written.connection_id}
      and saml_requests.metadata_version = ${written.metadata_version}
      and saml_requests.expires_at > ${at}
    then ${sql.ref(`saml_requests.${column}`)}
  end`
  return { previous_id: ifSame<string>('id'), previous_expires_at: ifSame<Date>('expires_at') }
}

/** Whether a flow has an open request to its identity provider. */
export async function isRequestOpen(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  key: ConnectionKey,
  flowId: string,
): Promise<boolean> {
  const open = await db
    .selectFrom('saml_requests')
    .where(isOfConnection('saml_requests', key))
    .where('flow_id', '=', flowId)
    .where('expires_at', '>', now())
    .select('id')
    .executeTakeFirst()
  return open !== undefined
}
