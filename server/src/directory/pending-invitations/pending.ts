import type { EventCode } from '@portico/contract/event-catalog'
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { lookup, statement } from '../../platform/db/statement.js'
import { ofOwner, ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import { toInvitation, wholeInvitation, type InvitationRow } from './invitation.js'

/** The tenant as parameters of a statement. */
export type TenantKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** Every read of the invitations of an organization starts here, so that no query can forget its tenant. */
export function invitationsOf(db: Kysely<DB>, tenant: TenantKey) {
  return db.selectFrom('invitations').where(ofTenant(tenant, 'invitations'))
}

const lockByEmails = statement((db, key: TenantKey & { readonly emails: readonly string[] }) =>
  invitationsOf(db, key)
    .where('invitations.state', '=', 'pending')
    .where(sql<boolean>`invitations.email_normalized = any(${key.emails}::text[])`)
    .select(wholeInvitation())
    .orderBy('invitations.email_normalized')
    .forNoKeyUpdate('invitations'),
)

/**
 * The invitations that wait for addresses, locked until the transaction ends: neither is one revoked, sent again or accepted by
 * another door meanwhile. Those are among them whose time is over and that nothing has turned yet.
 *
 * @param emails Normalized.
 */
export function lockPendingInvitations(
  trx: Transaction<DB>,
  tenant: TenantKey,
  emails: readonly string[],
): Promise<InvitationRow[]> {
  return lockByEmails(trx, { ...tenant, emails })
}

interface Invited {
  readonly accountId: string | RawBuilder<string>
  readonly environment: string | RawBuilder<string>
  readonly organizationId: RawBuilder<string>
  readonly emailNormalized: RawBuilder<string>
}

/**
 * Whether an invitation waits for an address, as a part of a statement.
 *
 * @param at Now; undefined: also one whose time is over.
 */
export function isInvited(invited: Invited, at: Date | undefined): RawBuilder<boolean> {
  const isOpen = at === undefined ? sql`true` : sql`invitation.expires_at > ${at}`
  return sql<boolean>`exists (
    select from invitations as invitation
    where ${ofOwner(invited, 'invitation')}
      and invitation.email_normalized = ${invited.emailNormalized}
      and invitation.state = 'pending'
      and ${isOpen}
  )`
}

/** An address at an organization. */
interface AddressKey {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly emailNormalized: string
  readonly at: Date
}

/** Whether an invitation waits for an address at this time. */
export async function isAddressInvited(db: Kysely<DB>, key: AddressKey): Promise<boolean> {
  const { accountId, environment, organizationId, emailNormalized, at } = key
  const [row] = await selectInvited(db, { accountId, environment, organizationId, emailNormalized, at })
  return row?.is_invited === true
}

const selectInvited = lookup((db, key: AddressKey) =>
  db.selectNoFrom(
    isInvited(
      {
        accountId: key.accountId,
        environment: key.environment,
        organizationId: sql<string>`${key.organizationId}::uuid`,
        emailNormalized: sql<string>`${key.emailNormalized}::text`,
      },
      key.at,
    ).as('is_invited'),
  ),
)

/** The end of a pending invitation. */
type End =
  | { readonly state: 'accepted'; readonly userId: string }
  | { readonly state: 'revoked' | 'expired'; readonly userId?: undefined }

const codes = {
  accepted: 'invitation.invitation.accept.success',
  revoked: 'invitation.invitation.revoke.success',
  expired: 'invitation.invitation.expire.success',
} as const satisfies Record<End['state'], EventCode>

/**
 * Ends a pending invitation, once: of an acceptance, a revocation and its time the first one decides.
 *
 * @param at Now: it is accepted or revoked before its time, and expires from it on.
 * @returns Undefined when it is not pending any more.
 */
export async function endInvitation(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, end, at }: { readonly id: string; readonly end: End; readonly at: Date },
) {
  const { state, userId = null } = end
  const ended = await trx
    .updateTable('invitations')
    .set({
      state,
      user_id: userId,
      accepted_at: state === 'accepted' ? at : null,
      ended_at: at,
      updated_at: at,
      version: sql`version + 1`,
    })
    .where(ofTenant(tenant))
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('expires_at', state === 'expired' ? '<=' : '>', at)
    .returning('id')
    .executeTakeFirst()
  if (ended === undefined) return undefined
  return emitInvitation(deps, trx, tenant, { id, code: codes[state], at })
}

/** Emits an event with an invitation as the transaction has left it. */
export async function emitInvitation(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, code, at, errors }: Emission,
) {
  const row = await invitationsOf(trx, tenant)
    .where('invitations.id', '=', id)
    .select(wholeInvitation())
    .executeTakeFirstOrThrow()
  return emit(deps, trx, tenant, {
    code,
    record: toInvitation(row, tenant, at),
    version: row.version,
    organizationId: row.organization_id,
    email: row.email_normalized,
    ...(row.user_id !== null && { subjectId: row.user_id }),
    ...(errors !== undefined && { errors }),
  })
}

interface Emission {
  readonly id: string
  readonly code: Extract<EventCode, `invitation.invitation.${string}`>
  readonly at: Date
  readonly errors?: readonly string[]
}
