import type { Invitation, InvitationState } from '@portico/contract/invitations'
import { sql, type Selectable } from 'kysely'
import type { Invitations } from '../../platform/db/schema.js'
import { sameEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'

export const invitationColumns = [
  'invitations.organization_id',
  'invitations.id',
  'invitations.email',
  'invitations.email_normalized',
  'invitations.state',
  'invitations.role_ids',
  'invitations.chosen_application_id',
  'invitations.redirect_uri',
  'invitations.locale',
  'invitations.profile',
  'invitations.metadata',
  'invitations.message',
  'invitations.inviter_type',
  'invitations.inviter_id',
  'invitations.expires_at',
  'invitations.last_sent_at',
  'invitations.sends',
  'invitations.accepted_at',
  'invitations.user_id',
  'invitations.version',
  'invitations.inserted_at',
  'invitations.updated_at',
] as const

export type InvitationRow = Pick<
  Selectable<Invitations>,
  (typeof invitationColumns)[number] extends `invitations.${infer Column}`
    ? Column & keyof Invitations
    : never
> & { readonly roles: string[] }

/** The columns of an invitation with the names of its roles. */
export function wholeInvitation() {
  return [...invitationColumns, rolesOfInvitation().as('roles')] as const
}

/** The names of the roles that are there still. */
function rolesOfInvitation() {
  return sql<string[]>`array(
    select roles.name from roles
    where ${sameEnvironment('roles', 'invitations')} and roles.id = any(invitations.role_ids)
    order by roles.name collate "C"
  )`
}

/** What an invitation says of the new user; only written by createInvitation(). */
export function newUserOf({ profile, metadata }: Pick<InvitationRow, 'profile' | 'metadata'>) {
  return {
    profile: profile as unknown as Invitation['profile'],
    metadata: metadata as unknown as Invitation['metadata'],
  }
}

/**
 * @param at Now: a pending invitation whose time is over has expired, whether or not the row says so yet.
 * @param url In the answer that creates it, where its caller sends it.
 */
export function toInvitation(
  row: InvitationRow,
  { domain, environment }: Pick<Tenant, 'domain' | 'environment'>,
  at: Date,
  url: string | null = null,
): Invitation {
  return {
    __type__: 'Invitation',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    email: row.email,
    state: stateAt(row, at),
    roles: row.roles,
    application_id: row.chosen_application_id,
    redirect_uri: row.redirect_uri,
    locale: row.locale,
    ...newUserOf(row),
    message: row.message,
    invited_by: { type: row.inviter_type, id: row.inviter_id },
    expires_at: row.expires_at.toISOString(),
    last_sent_at: row.last_sent_at?.toISOString() ?? null,
    sends: row.sends,
    accepted_at: row.accepted_at?.toISOString() ?? null,
    user_id: row.user_id,
    invitation_url: url,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

function stateAt({ state, expires_at: expiresAt }: InvitationRow, at: Date): InvitationState {
  // A check of the table allows nothing else.
  return state === 'pending' && expiresAt <= at ? 'expired' : (state as InvitationState)
}
