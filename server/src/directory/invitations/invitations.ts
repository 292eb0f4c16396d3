import type { Invitation, InvitationChanges, InvitationQuery } from '@portico/contract/invitations'
import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { organizationExists, whyNotFound } from '../../platform/db/organization-id.js'
import { emptyPage, newestFirst, readPage, type Page } from '../../platform/db/page.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import { countRows } from '../../platform/db/totals.js'
import { isOfVersion } from '../../platform/db/versions.js'
import { normalizeEmail } from '../../platform/email.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { emitInvitation, endInvitation, invitationsOf } from '../pending-invitations/pending.js'
import { toInvitation, wholeInvitation, type InvitationRow } from '../pending-invitations/invitation.js'
import { checkMayChange, getRoleIds } from '../role-ids.js'
import { takeMail } from './invitation-limits.js'

const dayMs = 24 * 60 * 60 * 1000

/**
 * The invitations of an organization, newest first.
 *
 * @throws ApiError `organization_not_found`
 */
export async function listInvitations(
  { readDb, now }: Pick<Deps, 'readDb' | 'now'>,
  tenant: Tenant,
  { state, email, ...query }: InvitationQuery,
): Promise<Page<Invitation>> {
  const at = now()
  if (!(await organizationExists(readDb, tenant))) throw new ApiError('organization_not_found')
  if (state === null || email === null) return emptyPage(query)
  const all = invitationsOf(readDb, tenant)
    .$if(state !== undefined, (some) => some.where(isInState(state ?? '', at)))
    .$if(email !== undefined, (some) =>
      some.where('invitations.email_normalized', '=', normalizeEmail(email ?? '')),
    )
  return readPage(
    {
      db: readDb,
      query,
      environment: tenant.environment,
      order: newestFirst,
      keys: all,
      table: 'invitations',
      rows: invitationsOf(readDb, tenant).select(wholeInvitation()),
      total: () => countRows(all),
    },
    (row) => toInvitation(row, tenant, at),
  )
}

/** By the clock: a pending invitation whose time is over has expired. */
function isInState(state: string, at: Date) {
  return sql<boolean>`${state} = case
    when invitations.state = 'pending' and invitations.expires_at <= ${at} then 'expired' else invitations.state
  end`
}

/** @throws ApiError `organization_not_found`, `invitation_not_found` */
export async function getInvitation(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  id: string,
): Promise<Changed<Invitation>> {
  const row = await invitationsOf(db, tenant)
    .where('invitations.id', '=', id)
    .select(wholeInvitation())
    .executeTakeFirst()
  if (row === undefined) throw await whyNotFound(db, tenant, 'invitation_not_found')
  return { record: toInvitation(row, tenant, now()), version: row.version }
}

/**
 * An invitation that is pending, locked until the transaction ends.
 *
 * @throws ApiError `organization_not_found`, `invitation_not_found`, `precondition_failed`, `invitation_not_pending`
 */
async function lockInvitation(
  trx: Transaction<DB>,
  tenant: Tenant,
  {
    id,
    versions,
    at,
  }: { readonly id: string; readonly versions?: readonly number[] | undefined; readonly at: Date },
): Promise<InvitationRow> {
  const rows = invitationsOf(trx, tenant).where('invitations.id', '=', id)
  const row = await rows
    .where(isOfVersion(versions, 'invitations.version'))
    .select(wholeInvitation())
    .forNoKeyUpdate('invitations')
    .executeTakeFirst()
  if (row === undefined) {
    const isOther = (await rows.select('invitations.id').executeTakeFirst()) !== undefined
    throw isOther
      ? new ApiError('precondition_failed')
      : await whyNotFound(trx, tenant, 'invitation_not_found')
  }
  if (row.state !== 'pending' || row.expires_at <= at) throw new ApiError('invitation_not_pending')
  return row
}

/**
 * Changes a pending invitation.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `invitation_not_found`, `invitation_not_pending`, `precondition_failed`,
 *   `insufficient_scope` for roles without the scope to give them, and `invalid_parameters` for roles that are not there.
 */
export function updateInvitation(
  deps: Deps,
  caller: Caller & Tenant,
  { id, input }: { readonly id: string; readonly input: InvitationChanges },
  versions: readonly number[] | undefined,
): Promise<Changed<Invitation>> {
  const { roles, expires_in_days: days, message } = input
  checkMayChange(caller, roles)
  return change(deps, caller.cause, async (trx) => {
    const at = deps.now()
    await lockInvitation(trx, caller, { id, versions, at })
    await updatePending(trx, caller, id, {
      ...(roles !== undefined && { role_ids: [...(await getRoleIds(trx, caller, roles))] }),
      ...(days !== undefined && { expires_at: new Date(at.getTime() + days * dayMs) }),
      ...(message !== undefined && { message }),
      updated_at: at,
    })
    return emitInvitation(deps, trx, caller, { id, code: 'invitation.invitation.update.success', at })
  })
}

/** Of an invitation that the transaction has locked. */
async function updatePending(
  trx: Transaction<DB>,
  tenant: Tenant,
  id: string,
  columns: {
    readonly role_ids?: string[]
    readonly expires_at?: Date
    readonly message?: string | null
    readonly token_hash?: null
    readonly is_url_returned?: false
    readonly last_sent_at?: Date
    readonly sends?: number
    readonly updated_at: Date
  },
): Promise<void> {
  await trx
    .updateTable('invitations')
    .set({ ...columns, version: sql`version + 1` })
    .where(ofTenant(tenant))
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .execute()
}

/** How long an invitation that is sent again can be accepted, at least. */
const resentDays = 7

/**
 * Mails a pending invitation again: the URL before ends at once, and the new one is made when the mail is sent.
 *
 * @throws ApiError `organization_not_found`, `invitation_not_found`, `invitation_not_pending`, and `rate_limited`
 */
export async function resendInvitation(deps: Deps, tenant: Tenant, id: string): Promise<Changed<Invitation>> {
  const { record } = await getInvitation(deps, tenant, id)
  if (record.state !== 'pending') throw new ApiError('invitation_not_pending')
  const state = await takeMail(deps, tenant, normalizeEmail(record.email))
  return change(deps, tenant.cause, async (trx) => {
    const at = deps.now()
    const row = await lockInvitation(trx, tenant, { id, at })
    const least = new Date(at.getTime() + resentDays * dayMs)
    await updatePending(trx, tenant, id, {
      ...{ token_hash: null, is_url_returned: false, last_sent_at: at, sends: row.sends + 1, updated_at: at },
      expires_at: row.expires_at > least ? row.expires_at : least,
    })
    await enqueueInvitation(deps, trx, tenant, row)
    const code = 'invitation.invitation.resend.success'
    return { ...(await emitInvitation(deps, trx, tenant, { id, code, at })), limit: state }
  })
}

/** Has an invitation mailed; its token is made when the mail is sent. */
export async function enqueueInvitation(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  { accountId, environment }: Tenant,
  { organization_id: organizationId, id }: Pick<InvitationRow, 'organization_id' | 'id'>,
): Promise<void> {
  const payload = { accountId, environment, organizationId, invitationId: id, messageId: newId() }
  await enqueue(deps, trx, { name: 'send_invitation', payload, accountId })
}

/**
 * Revokes a pending invitation.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `invitation_not_found`, `invitation_not_pending`, `precondition_failed`
 */
export function revokeInvitation(
  deps: Deps,
  tenant: Tenant,
  id: string,
  versions: readonly number[] | undefined,
): Promise<Changed<Invitation>> {
  return change(deps, tenant.cause, async (trx) => {
    const at = deps.now()
    await lockInvitation(trx, tenant, { id, versions, at })
    const ended = await endInvitation(deps, trx, tenant, { id, end: { state: 'revoked' }, at })
    if (ended === undefined) throw new ApiError('invitation_not_pending')
    return ended
  })
}
