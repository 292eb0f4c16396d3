import type { Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { logEvent, type LogEntry } from '../../delivery/log-events/log-event.js'
import type { Tenant } from '../../platform/tenant.js'
import type { TotpUser } from './totp-user.js'

/** Writes a log event about the second factor of a user. */
export function logTotp(
  deps: Pick<Deps, 'now' | 'metrics'>,
  db: Kysely<DB>,
  tenant: Tenant,
  { user, ...entry }: Pick<LogEntry, 'code' | 'reason'> & { readonly user: TotpUser },
): Promise<void> {
  return logEvent(deps, db, {
    ...tenant,
    ...entry,
    organizationId: user.organizationId,
    email: user.email,
    userId: user.id,
  })
}
