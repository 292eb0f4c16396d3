import { endedSession } from '../invitations/links.js'
import type { Deps } from '../../delivery/deps.js'
import type { AdminSession } from '../admins/admin-session.js'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'

/** Signs an administrator out of this browser; the link stays valid. */
export async function endAdminSession(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { accountId, organizationId, sessionId }: AdminSession,
): Promise<void> {
  await db
    .updateTable('sso_admin_sessions')
    .set(endedSession(now()))
    .where(ofOrganization({ accountId, organizationId }))
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .execute()
}
