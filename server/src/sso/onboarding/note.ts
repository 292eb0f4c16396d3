import type { LogEventCode } from '@portico/contract/log-events'
import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { momentColumn, toMomentColumns } from '../invitations/admin-moments.js'
import { emitAdminUpdate } from '../admins/admins.js'
import { isConnection, type ConnectionKey } from '../connections/connection-key.js'
import { emitConnection } from '../connections/whole-connection.js'
import type { Cause } from '../../platform/tenant.js'
import type { AdminSession, ArrivedBrowser } from '../admins/admin-session.js'
import type { OnboardingConnection } from './connections.js'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'

/** The cause of an administrator's actions on the pages. */
export function adminCause({ adminId }: Pick<AdminSession, 'adminId'>, requestId: string): Cause {
  return { requestId, actor: { type: 'admin', id: adminId }, params: () => ({}) }
}

/** Logs for the account an administrator's action on a connection. */
export async function logAdmin(
  deps: Pick<Deps, 'now' | 'metrics'>,
  trx: Transaction<DB>,
  session: AdminSession,
  connection: Pick<OnboardingConnection, 'environment' | 'idpId'>,
  entry: { readonly code: LogEventCode; readonly reason?: string | null; readonly requestId: string },
): Promise<void> {
  const { environment, idpId } = connection
  await logEvent(deps, trx, { ...session, environment, idpId, ...entry })
}

/** Records the sign-in of an administrator, with the first one their acceptance, and opens the connection of the invitation. */
export async function recordAdminLogin(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'metrics'>,
  trx: Transaction<DB>,
  browser: ArrivedBrowser,
  cause: Cause,
): Promise<void> {
  const { accountId, environment, organizationId, adminId, connection } = browser
  const at = deps.now()
  const acceptedColumn = momentColumn(environment, 'accepted_invitation_at')
  // Reads and writes in one statement, since only the first acceptance emits an event.
  const accepted = await trx
    .with('before', (db) =>
      db
        .selectFrom('sso_admins')
        .where(ofOrganization({ accountId, organizationId }))
        .where('id', '=', adminId)
        .select(['id', sql.ref(acceptedColumn).as('accepted_at')])
        .forUpdate(),
    )
    .updateTable('sso_admins')
    .from('before')
    .set(
      toMomentColumns(environment, {
        accepted_invitation_at: sql<Date>`coalesce(before.accepted_at, ${at}::timestamptz)`,
        last_login_at: at,
        updated_at: at,
      }),
    )
    .where(ofOrganization({ accountId, organizationId }, 'sso_admins'))
    .whereRef('sso_admins.id', '=', 'before.id')
    .returning(sql<boolean>`(before.accepted_at is null)`.as('is_first'))
    .executeTakeFirst()
  if (accepted?.is_first === true) await emitAdminUpdate(deps, trx, browser, cause)
  await logEvent(deps, trx, { ...browser, cause, code: 'ADMIN_ONBOARDING_LOGIN' })
  if (connection !== null)
    await recordConnectionOpened(deps, trx, { accountId, organizationId, ...connection }, cause)
}

/** Records that the administrator has begun with a connection that waited for them. */
export async function recordConnectionOpened(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'metrics'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  cause: Cause,
): Promise<void> {
  const opened = await trx
    .updateTable('sso_connections')
    .set({ state: 'it_admin_onboarding', updated_at: deps.now(), version: sql`version + 1` })
    .where(isConnection(key))
    .where('state', '=', 'it_admin_invitation_pending')
    .returning('id')
    .executeTakeFirst()
  if (opened !== undefined) await emitConnection(deps, trx, cause, key, 'sso.connection.update.success')
}
