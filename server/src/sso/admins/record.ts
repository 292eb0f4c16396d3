import type { Admin } from '@portico/contract/admins'
import type { Organization } from '@portico/contract/organizations'
import type { Selectable } from 'kysely'
import type { SsoAdmins } from '../../platform/db/schema.js'
import type { AdminMoment } from '../invitations/admin-moments.js'

export type AdminRow = Pick<Selectable<SsoAdmins>, 'id' | 'email' | 'color' | 'inserted_at' | AdminMoment>

export function toAdmin(row: AdminRow, organization: Organization): Admin {
  return {
    __type__: 'Admin',
    __domain__: organization.domain,
    id: row.id,
    email: row.email,
    color: row.color,
    organization,
    invited_at: row.invited_at.toISOString(),
    accepted_invitation_at: row.accepted_invitation_at?.toISOString() ?? null,
    declined_to_be_in_charge_at: row.declined_to_be_in_charge_at?.toISOString() ?? null,
    last_login_at: row.last_login_at?.toISOString() ?? null,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
