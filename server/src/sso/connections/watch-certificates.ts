import { randomUUID } from 'node:crypto'
import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import type { Cause } from '../../platform/tenant.js'
import { isConnection, type ConnectionKey } from './connection-key.js'
import { emitConnection } from './whole-connection.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'

const dayMs = 24 * 60 * 60 * 1000
/** How long before its end the newest certificate of a connection is reported. */
const warningDays = 30
/** How long a connection is not reported again. */
const silenceDays = 7
const batchSize = 100

/** Reports active connections whose newest signing certificate expires within 30 days or has expired, each once a week. */
export async function watchCertificates(
  deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now' | 'metrics'>,
): Promise<void> {
  const cause: Cause = {
    requestId: randomUUID(),
    actor: { type: 'system', id: 'certificate_watch' },
    params: () => ({}),
  }
  const at = deps.now()
  for (;;) {
    const due = await findDue(deps.db, at)
    for (const { domain, idpId, ...key } of due) {
      await change(deps, cause, async (trx) => {
        // Of two concurrent processes one reports it.
        const reported = await trx
          .updateTable('sso_connections')
          .set({ certificate_warned_at: at })
          .where(isConnection(key))
          .where(isSilent(at))
          .returning('id')
          .executeTakeFirst()
        if (reported === undefined) return { record: undefined }
        const requestId = cause.requestId
        await logEvent(deps, trx, { ...key, domain, idpId, code: 'SSO_CERTIFICATE_EXPIRES', requestId })
        return emitConnection(deps, trx, cause, key, 'sso.certificate.expire.success')
      })
    }
    if (due.length < batchSize) return
  }
}

interface DueConnection extends ConnectionKey {
  readonly domain: string
  readonly idpId: string
}

async function findDue(db: Kysely<DB>, at: Date): Promise<DueConnection[]> {
  const rows = await db
    .selectFrom('sso_connections')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'sso_connections')))
    .where('organizations.deleted_at', 'is', null)
    .where('sso_connections.active', '=', true)
    .where(isSilent(at))
    .where(endsBefore(new Date(at.getTime() + warningDays * dayMs)))
    .select([
      'sso_connections.account_id as accountId',
      // The check constraint of the column allows nothing else.
      sql<Environment>`sso_connections.environment`.as('environment'),
      'sso_connections.organization_id as organizationId',
      'sso_connections.id as connectionId',
      'sso_connections.idp_id as idpId',
      'organizations.domain',
    ])
    .orderBy('sso_connections.id')
    .limit(batchSize)
    .execute()
  return rows
}

/** Whether the row of sso_connections was not reported lately. */
function isSilent(at: Date) {
  const before = new Date(at.getTime() - silenceDays * dayMs)
  return sql<boolean>`coalesce(sso_connections.certificate_warned_at <= ${before}, true)`
}

/** Whether the newest signing certificate ends by then; older ones of a rollover do not matter. */
export function endsBefore(end: Date) {
  return sql<boolean>`exists (
    select from sso_metadata_versions metadata
    where metadata.account_id = sso_connections.account_id
      and metadata.environment = sso_connections.environment
      and metadata.organization_id = sso_connections.organization_id
      and metadata.connection_id = sso_connections.id
      and metadata.is_current
      and (
        select max((certificate->>'not_after')::timestamptz)
        from jsonb_array_elements(metadata.certificates) certificate
      ) <= ${end}
  )`
}
