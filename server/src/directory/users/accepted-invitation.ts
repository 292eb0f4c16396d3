import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { lockDeclaredKeys } from '../meta-keys/declared-keys.js'
import { isMetaValue } from '../meta-keys/meta-value.js'
import { endInvitation } from '../pending-invitations/pending.js'
import { newUserOf, type InvitationRow } from '../pending-invitations/invitation.js'
import { giveRoles } from './give-roles.js'
import type { MetaDataRow } from './record.js'
import { toMetaDataRows } from './stored-metadata.js'

/** What a locked invitation says of the user who takes it. Keys of metadata that are gone, and values that no longer fit, are left out. */
export async function readInvited(trx: Transaction<DB>, tenant: Tenant, invitation: InvitationRow) {
  const { profile, metadata } = newUserOf(invitation)
  return { profile, metadata: metadata.length === 0 ? [] : await rowsOf(trx, tenant, metadata) }
}

async function rowsOf(
  trx: Transaction<DB>,
  tenant: Tenant,
  values: readonly { readonly key: string; readonly value: string }[],
): Promise<readonly MetaDataRow[]> {
  const declared = new Map((await lockDeclaredKeys(trx, tenant)).map((key) => [key.name, key]))
  return toMetaDataRows(
    values.flatMap(({ key: name, value }) => {
      const key = declared.get(name)
      return key === undefined || !isMetaValue(key.type, value) ? [] : [{ key, value }]
    }),
  )
}

/** A user who has just come in, and the invitation of their address, which the transaction has locked. */
interface Acceptance {
  readonly invitation: InvitationRow
  readonly userId: string
  readonly email: string
  readonly at: Date
}

/** Accepts an invitation for a new user whose address is proved: the roles that are there still are given. */
export async function acceptInvitation(
  deps: Pick<Deps, 'db' | 'now' | 'metrics'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { invitation, userId, email, at }: Acceptance,
): Promise<void> {
  const { id } = invitation
  const accepted = await endInvitation(deps, trx, tenant, { id, end: { state: 'accepted', userId }, at })
  // It is locked, and was pending at this moment.
  if (accepted === undefined) throw new Error('a locked invitation is no longer pending')
  const { role_ids: roleIds } = invitation
  await giveRoles(deps, trx, tenant, { userId, roleIds, source: 'invitation', sourceId: id, at })
  const { organization_id: organizationId } = invitation
  const entry = { code: 'END_USER_INVITATION_ACCEPTED', userId, email } as const
  await logEvent(deps, trx, { ...tenant, organizationId, ...entry })
}
