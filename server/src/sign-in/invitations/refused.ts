import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { emitInvitation } from '../../directory/pending-invitations/pending.js'
import type { OpenInvitation } from './open-invitation.js'

/** The event and the log of an invitation that was not accepted. */
export async function reportRefusedInvitation(
  deps: Pick<Deps, 'db' | 'now' | 'metrics'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  invited: Pick<OpenInvitation, 'invitationId' | 'organizationId' | 'email'>,
  reason: string,
): Promise<void> {
  const code = 'invitation.invitation.accept.fail'
  const { invitationId: id } = invited
  await emitInvitation(deps, trx, tenant, { id, code, at: deps.now(), errors: [reason] })
  await logInvitation(deps, trx, tenant, invited, { code: 'END_USER_INVITATION_REFUSED', reason })
}

/** The log of an invitation that was opened. */
export function logInvitation(
  deps: Pick<Deps, 'now' | 'metrics'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { organizationId, email }: Pick<OpenInvitation, 'organizationId' | 'email'>,
  entry: {
    readonly code: 'END_USER_INVITATION_OPENED' | 'END_USER_INVITATION_REFUSED'
    readonly reason?: string
  },
): Promise<void> {
  return logEvent(deps, trx, { ...tenant, organizationId, email, ...entry })
}
