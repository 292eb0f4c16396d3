import type { Deps } from '../../delivery/deps.js'
import { toMomentColumns } from '../invitations/admin-moments.js'
import { emitAdminUpdate } from '../admins/admins.js'
import { endAdminLinks, endedSession } from '../invitations/links.js'
import { change } from '../../delivery/events/change.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import type { AdminSession } from '../admins/admin-session.js'
import { adminCause } from './note.js'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'

/**
 * Ends the link of an administrator who is not in charge, with all its sessions; of an invitation to the organization those of
 * its mails, too. It needs the verified code, so that a forwarded link ends nothing. Of concurrent requests one ends the link.
 *
 * @returns Whether the link was still open.
 */
export async function declineInvitation(
  deps: Deps,
  session: AdminSession & { readonly idpId: string | null },
  requestId: string,
): Promise<boolean> {
  const { accountId, environment, organizationId, linkId, adminId, connection } = session
  const cause = adminCause(session, requestId)
  const { record } = await change(deps, cause, async (trx) => {
    const at = deps.now()
    const ended = await trx
      .updateTable('sso_admin_links')
      .set({ ended_at: at })
      .where(ofOrganization({ accountId, organizationId }))
      .where('id', '=', linkId)
      .where('ended_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (ended === undefined) return { record: false }
    await trx
      .updateTable('sso_admin_sessions')
      .set(endedSession(at))
      .where(ofOrganization({ accountId, organizationId }))
      .where('link_id', '=', linkId)
      .where('ended_at', 'is', null)
      .execute()
    await trx
      .updateTable('sso_admins')
      .set(toMomentColumns(environment, { declined_to_be_in_charge_at: at, updated_at: at }))
      .where(ofOrganization({ accountId, organizationId }))
      .where('id', '=', adminId)
      .execute()
    // After the row of the administrator, which a mail that makes another link has locked.
    if (connection === null)
      await endAdminLinks(deps, trx, { accountId, organizationId, environment, adminId })
    await emitAdminUpdate(deps, trx, session, cause)
    await logEvent(deps, trx, { ...session, code: 'ADMIN_ONBOARDING_DECLINED', requestId })
    return { record: true }
  })
  return record
}
