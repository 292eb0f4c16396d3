import { fullNameOf } from '@portico/contract/profile'
import {
  staffFactors,
  staffRoles,
  type StaffFactor,
  type StaffInvitation,
  type StaffMember,
  type StaffRole,
  type StaffSource,
} from '@portico/contract/staff'
import type { Invitation } from '@portico/contract/invitations'

/** A user of a staff organization as the statements of staff read one. */
export interface StaffRow {
  readonly id: string
  readonly email: string
  readonly given_name: string | null
  readonly family_name: string | null
  readonly active: boolean
  readonly roles: readonly { readonly name: string }[]
  readonly has_password: boolean
  readonly has_totp: boolean
  readonly has_identity: boolean
  readonly is_in_directory: boolean
  readonly is_invited: boolean
  readonly last_seen_at: Date | null
  readonly inserted_at: Date
}

/** The roles of staff among names of roles, each once. */
export function toStaffRoles(names: readonly string[]): StaffRole[] {
  return staffRoles.filter((role) => names.includes(role))
}

/** @param accountDomain Of the account whose staff it is. */
export function toStaffMember(row: StaffRow, accountDomain: string): StaffMember {
  return {
    __type__: 'StaffMember',
    __domain__: accountDomain,
    id: row.id,
    name: fullNameOf(row),
    email: row.email,
    roles: toStaffRoles(row.roles.map(({ name }) => name)),
    factors: factorsOf(row),
    active: row.active,
    source: sourceOf(row),
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
    inserted_at: row.inserted_at.toISOString(),
  }
}

function factorsOf({ has_password, has_totp, has_identity }: StaffRow): StaffFactor[] {
  const has: Readonly<Record<StaffFactor, boolean>> = {
    password: has_password,
    totp: has_totp,
    sso: has_identity,
  }
  return staffFactors.filter((factor) => has[factor])
}

function sourceOf({ is_in_directory, is_invited, has_identity }: StaffRow): StaffSource {
  if (is_in_directory) return 'directory'
  if (is_invited) return 'invitation'
  return has_identity ? 'sso' : 'start'
}

/** An invitation of the staff organization as the account sees it. */
export function toStaffInvitation(invitation: Invitation, accountDomain: string): StaffInvitation {
  return {
    __type__: 'StaffInvitation',
    __domain__: accountDomain,
    id: invitation.id,
    email: invitation.email,
    roles: toStaffRoles(invitation.roles),
    expires_at: invitation.expires_at,
    last_sent_at: invitation.last_sent_at,
    inserted_at: invitation.inserted_at,
  }
}
