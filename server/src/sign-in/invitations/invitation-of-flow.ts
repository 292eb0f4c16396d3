import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import type { LockedFlow } from '../flows/lock-flow.js'

interface FlowKey {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly invitationId: string
  readonly emailNormalized: string
  readonly at: Date
}

const selectInvitation = statement((db, key: FlowKey) =>
  db
    .selectFrom('invitations')
    .where(ofOwner(key))
    .where('id', '=', key.invitationId)
    .where('email_normalized', '=', key.emailNormalized)
    .where('state', '=', 'pending')
    .where('expires_at', '>', key.at)
    .select('email'),
)

/** The invitation that a locked flow is for; undefined of other flows, of one with another address, and where it is over by now. */
export async function findInvitationOfFlow(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  flow: LockedFlow,
): Promise<
  { readonly invitationId: string; readonly email: string; readonly isMailboxProved: boolean } | undefined
> {
  const { invitation_id: invitationId, email_normalized: emailNormalized } = flow
  if (invitationId === null || emailNormalized === null) return undefined
  const { accountId, environment, organizationId } = flow
  const [row] = await selectInvitation(trx, {
    ...{ accountId, environment, organizationId, invitationId, emailNormalized },
    at: now(),
  })
  return row && { invitationId, email: row.email, isMailboxProved: flow.is_invitation_mailed }
}
