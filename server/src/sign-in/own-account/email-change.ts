import type { EmailChange } from '@portico/contract/email-changes'
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import type { SealContext } from '../../platform/crypto/seal.js'
import type { DB, EmailChanges } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import type { Tenant } from '../../platform/tenant.js'
import {
  addressCodeLifetimeMs,
  maxAddressCodeFailures,
  openAddressCode,
  sealAddressCode,
  type AddressCode,
} from '../flows/address-code.js'

/** How long both mailboxes can be proved, ample for two mails and the sign-ins in between, in ms. */
export const emailChangeLifetimeMs = 60 * 60 * 1000

/** How long the owner of the address of before can put it back, in ms: somebody on holiday reads their mail by then. */
export const revertLifetimeMs = 7 * 24 * 60 * 60 * 1000

/** How long an address that was put back is not changed again, in ms: whoever has changed it may still be about. */
export const stopMs = 72 * 60 * 60 * 1000

/** How long the user must have had what stands in for their old mailbox, in ms: a thief would have added it just before. */
export const standInAgeMs = 7 * 24 * 60 * 60 * 1000

/**
 * How long before a change the ways to sign in were added that end when the address is put back, in ms: what was added for the change
 * had to become a stand-in first, and may have waited as long again.
 */
export const doubtedMs = 2 * standInAgeMs

/** What proves that the old address is the user's. */
export type OldProof = 'mailbox' | 'totp' | 'passkey'

/** Which mailbox the code of a change is of. */
export type Stage = 'old' | 'new'

const openColumns = [
  'id',
  'organization_id',
  'user_id',
  'old_email',
  'email',
  'old_proof',
  'confirmed_at',
  'reverted_at',
  'inserted_at',
] as const

/** A change without its code. */
export type ChangeRow = Pick<Selectable<EmailChanges>, (typeof openColumns)[number]>

/** The change that a session has asked for, as long as it waits for a code. */
export function openChangeOf(db: Kysely<DB>, tenant: Tenant, { userId, sessionId }: SessionOfUser, at: Date) {
  return db
    .selectFrom('email_changes')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .where('confirmed_at', 'is', null)
    .where('expires_at', '>', at)
    .select(openColumns)
}

/** Every step of it starts here, so that none can forget its session or its time. */
export function updateOpenChange(
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, sessionId }: SessionOfUser,
  at: Date,
) {
  return trx
    .updateTable('email_changes')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .where('confirmed_at', 'is', null)
    .where('expires_at', '>', at)
    .returning(openColumns)
}

/** Until when an address that was put back is not changed; undefined where it may be. */
export async function findStop(
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
  at: Date,
): Promise<Date | undefined> {
  const row = await db
    .selectFrom('email_changes')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('reverted_at', 'is not', null)
    .where('expires_at', '>', at)
    .select('expires_at')
    .orderBy('expires_at', 'desc')
    .executeTakeFirst()
  return row?.expires_at
}

/**
 * The address that the last change of a user has given them; undefined without one. One that was put back is none.
 *
 * @param besides The id of a change that does not count.
 */
export async function findNewestEmail(
  db: Kysely<DB>,
  tenant: Tenant,
  { userId, besides }: { readonly userId: string; readonly besides?: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('email_changes')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .where('reverted_at', 'is', null)
    .$if(besides !== undefined, (query) => query.where('id', '<>', besides ?? ''))
    .select('email')
    .orderBy('confirmed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.email
}

/** Forgets the changes of a user that wait for a code. */
export function forgetOpenChanges(trx: Transaction<DB>, tenant: Tenant, userId: string) {
  return trx
    .deleteFrom('email_changes')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is', null)
}

/** The key of a change. */
export interface ChangeKey {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly changeId: string
}

/** The key of a row of the tenant. */
export function keyOfChange(
  { accountId, environment }: Pick<Tenant, 'accountId' | 'environment'>,
  { id: changeId, organization_id: organizationId }: Pick<ChangeRow, 'id' | 'organization_id'>,
) {
  return { accountId, environment, organizationId, changeId }
}

/** The columns of a new code of a change; the one before no longer works. */
export function codeColumns(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  key: ChangeKey,
  { code, email }: AddressCode,
) {
  const shown = { code, email: normalizeEmail(email) }
  return {
    code_sealed: sealAddressCode(keys.master, emailChangeContext(key), shown),
    code_expires_at: new Date(now().getTime() + addressCodeLifetimeMs),
    code_failures: 0,
  }
}

/** A change whose code may be compared. */
export interface TriedChange {
  readonly row: ChangeRow
  /** Undefined: there is none, it has expired, or was typed wrongly too often. */
  readonly shown: AddressCode | undefined
}

/**
 * Counts a try of the code of a change, before it is compared: of many concurrent ones, five are.
 *
 * @returns Undefined where the session has no change that waits for this mailbox.
 */
export async function takeChangeTry(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  session: SessionOfUser,
  stage: Stage,
): Promise<TriedChange | undefined> {
  const at = now()
  const counted = await updateOpenChange(trx, tenant, session, at)
    .where(isAt(stage))
    .where('code_sealed', 'is not', null)
    .where('code_expires_at', '>', at)
    .where('code_failures', '<', maxAddressCodeFailures)
    .set({ code_failures: sql`code_failures + 1` })
    .returning('code_sealed')
    .executeTakeFirst()
  if (counted?.code_sealed == null) {
    const row = await openChangeOf(trx, tenant, session, at).where(isAt(stage)).executeTakeFirst()
    return row && { row, shown: undefined }
  }
  const context = emailChangeContext(keyOfChange(tenant, counted))
  return { row: counted, shown: openAddressCode(keys.master, context, counted.code_sealed) }
}

/** Whether a change waits for a mailbox: for the new one, when the old address is proved. */
export function isAt(stage: Stage) {
  return stage === 'old' ? sql<boolean>`old_proof is null` : sql<boolean>`old_proof is not null`
}

/** The context under which the code of a change is sealed; the re-sealing command uses it too. */
export function emailChangeContext({
  accountId,
  environment,
  organizationId,
  changeId,
}: ChangeKey): SealContext {
  return {
    purpose: 'email_change',
    scope: organizationId,
    aad: `email_changes.code_sealed:${accountId}:${environment}:${changeId}`,
  }
}

/** Tells the account of a change, by an event with the user as its actor. */
export async function emitEmailChange(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  code: 'user.email_change.request.success' | 'user.email_change.revert.success',
  row: ChangeRow,
): Promise<void> {
  await emit(deps, trx, tenant, {
    code,
    record: toEmailChange(row, tenant),
    organizationId: row.organization_id,
    subjectId: row.user_id,
  })
}

function toEmailChange(row: ChangeRow, { domain, environment }: Tenant): EmailChange {
  return {
    __type__: 'EmailChange',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    user_id: row.user_id,
    confirmed_at: row.confirmed_at?.toISOString() ?? null,
    reverted_at: row.reverted_at?.toISOString() ?? null,
    inserted_at: row.inserted_at.toISOString(),
  }
}
