import { accountPageIds } from '@portico/contract/sessions'
import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { mailNetworkKey, mails, mailsOfNetwork } from '../../delivery/mail/mail-limits.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { isAddressOpen } from '../../directory/domains/open-address.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { newId } from '../../platform/crypto/random.js'
import { randomSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { normalizeEmail } from '../../platform/email.js'
import type { Tenant } from '../../platform/tenant.js'
import { isTypedCode, newAddressCode } from '../flows/address-code.js'
import {
  codeColumns,
  emailChangeLifetimeMs,
  emitEmailChange,
  findStop,
  forgetOpenChanges,
  keyOfChange,
  openChangeOf,
  updateOpenChange,
  type ChangeRow,
  type OldProof,
  type Stage,
  type TriedChange,
} from './email-change.js'
import { findOwnAccount, type OwnAccount } from './own-account.js'
import { changeOwnAccount } from './own-session.js'

/**
 * Why an address is not changed. `managed`: somebody else writes it; `stopped`: it was put back lately; `same`: it is the user's;
 * `not_allowed`: the organization does not let its users have it; `over`: nothing waits here for the code.
 */
export type EmailRefusal = 'managed' | 'stopped' | 'same' | 'not_allowed' | 'over' | 'stale'

/** The change that the session of a user waits for. */
export interface WaitingChange {
  readonly email: string
  readonly stage: Stage
}

/** The change of the address that a session has asked for, and until when there is none. */
export async function findOwnEmail(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  session: SessionOfUser,
): Promise<{ readonly waiting: WaitingChange | undefined; readonly stoppedUntil: Date | undefined }> {
  const at = now()
  const [open, stoppedUntil] = await Promise.all([
    openChangeOf(db, tenant, session, at).executeTakeFirst(),
    findStop(db, tenant, session.userId, at),
  ])
  const waiting = open && ({ email: open.email, stage: open.old_proof === null ? 'old' : 'new' } as const)
  return { waiting, stoppedUntil }
}

/** The request of a browser. */
interface FromBrowser {
  /** Used only for limits. */
  readonly ip: string
}

/**
 * Asks for another address, in place of what was asked before: a code is mailed to the present one. Whether somebody has the other
 * one here is not told.
 *
 * @throws ApiError `rate_limited` when too many mails were sent.
 */
export async function askEmailChange(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  { email, ip }: FromBrowser & { readonly email: string },
): Promise<'asked' | EmailRefusal> {
  const { userId, sessionId } = session
  const before = await findOwnAccount(deps, deps.db, tenant, userId)
  const early = await whyNotChanged(deps, deps.db, tenant, { account: before, userId, email })
  if (early !== undefined) return early
  await takeMails(deps, tenant, ip, [before?.email ?? '', email])
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const account = await findOwnAccount(within, trx, tenant, userId)
    const refused = await whyNotChanged(within, trx, tenant, { account, userId, email })
    if (refused !== undefined || account === undefined) return refused ?? 'stale'
    const { accountId, environment } = tenant
    const { organizationId, email: oldEmail } = account
    const id = newId()
    const at = within.now()
    const key = { accountId, environment, organizationId, changeId: id }
    const row = {
      id,
      session_id: sessionId,
      old_email: oldEmail,
      email,
      old_proof: null,
      ...codeColumns(within, key, { code: newAddressCode(), email: oldEmail }),
      expires_at: new Date(at.getTime() + emailChangeLifetimeMs),
      inserted_at: at,
    }
    await trx
      .insertInto('email_changes')
      .values({
        account_id: accountId,
        environment,
        organization_id: organizationId,
        user_id: userId,
        ...row,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'environment', 'organization_id', 'user_id'])
          .where('confirmed_at', 'is', null)
          .doUpdateSet(row),
      )
      .execute()
    const asked = await openChangeOf(trx, tenant, session, at).executeTakeFirstOrThrow()
    await mailCode(within, trx, key)
    await logChange(within, trx, tenant, {
      code: 'ACCOUNT_EMAIL_CHANGE_REQUESTED',
      account,
      userId,
      email: oldEmail,
    })
    await emitEmailChange(within, trx, tenant, 'user.email_change.request.success', asked)
    return 'asked'
  })
}

/** @throws ApiError `rate_limited` */
async function takeMails(
  { config, limits }: Pick<Deps, 'config' | 'limits'>,
  tenant: Tenant,
  ip: string,
  addresses: readonly string[],
): Promise<void> {
  // The network's limit first: a refused request does not use up the mails of the address's owner.
  await limits.take(mailsOfNetwork, mailNetworkKey(config, ip, tenant.environment))
  const { accountId, environment, domain } = tenant
  for (const address of addresses)
    await limits.take(mails, { accountId, environment, domain, address: normalizeEmail(address) })
}

interface Wanted {
  readonly account: OwnAccount | undefined
  readonly userId: string
  readonly email: string
}

/** Why a user may not have an address, whoever has it; undefined where they may. */
export async function whyNotChanged(
  { now }: Pick<Deps, 'now'>,
  db: Deps['db'],
  tenant: Tenant,
  { account, userId, email }: Wanted,
): Promise<EmailRefusal | undefined> {
  if (account === undefined) return 'stale'
  if (account.isEmailManaged) return 'managed'
  if ((await findStop(db, tenant, userId, now())) !== undefined) return 'stopped'
  const normalized = normalizeEmail(email)
  if (normalized === normalizeEmail(account.email)) return 'same'
  return (await isAddressOpen(db, tenant, normalized)) ? undefined : 'not_allowed'
}

/** Mails another code to the mailbox that waits for one. */
export async function resendEmailCode(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  { ip }: FromBrowser,
): Promise<'sent' | EmailRefusal> {
  const waiting = await openChangeOf(deps.db, tenant, session, deps.now()).executeTakeFirst()
  if (waiting === undefined) return 'over'
  await takeMails(deps, tenant, ip, [waiting.old_proof === null ? waiting.old_email : waiting.email])
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const open = await openChangeOf(trx, tenant, session, within.now())
      .where('id', '=', waiting.id)
      .executeTakeFirst()
    if (open === undefined || open.old_proof !== waiting.old_proof) return 'over'
    if (open.old_proof !== null) await mailNewMailbox(within, trx, tenant, session, open)
    else {
      const key = keyOfChange(tenant, open)
      const code = { code: newAddressCode(), email: open.old_email }
      await updateOpenChange(trx, tenant, session, within.now())
        .set(codeColumns(within, key, code))
        .execute()
      await mailCode(within, trx, key)
    }
    return 'sent'
  })
}

/**
 * Mails a code to the new address of a change. A user who has it is told instead, and the code of the change is none that anybody
 * knows: the page is the same.
 *
 * @param proof Of the old address, where it was proved just now.
 */
export async function mailNewMailbox(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  session: SessionOfUser,
  open: ChangeRow,
  proof?: OldProof,
): Promise<void> {
  const { email } = open
  const key = keyOfChange(tenant, open)
  const owner = await usersOf(trx, tenant)
    .where('users.email_normalized', '=', normalizeEmail(email))
    .select('users.id')
    .executeTakeFirst()
  const code = owner === undefined ? newAddressCode() : randomSecret()
  await updateOpenChange(trx, tenant, session, deps.now())
    .set({ ...codeColumns(deps, key, { code, email }), ...(proof !== undefined && { old_proof: proof }) })
    .execute()
  if (owner === undefined) await mailCode(deps, trx, key)
  else {
    const { environment } = tenant
    await enqueueNotice(deps, trx, { ...key, environment, userId: owner.id, notice: 'email_change_tried' })
  }
}

function mailCode(deps: Deps, trx: Transaction<DB>, key: ReturnType<typeof keyOfChange>): Promise<void> {
  const payload = { ...key, messageId: newId() }
  return enqueue(deps, trx, { name: 'send_email_change_code', payload, accountId: key.accountId })
}

/** Takes a change back that nothing has come of. */
export async function cancelEmailChange(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
): Promise<'cancelled' | 'stale'> {
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (_, trx): Promise<'cancelled'> => {
    await forgetOpenChanges(trx, tenant, session.userId).execute()
    return 'cancelled'
  })
}

/** A code as it was typed, of an address of a change. */
export interface TypedCode {
  readonly account: OwnAccount
  readonly userId: string
  readonly email: string
  readonly typed: string
}

/** What is wrong with a code whose try was counted; logged, too. */
export async function findCodeFault(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { shown }: TriedChange,
  { account, userId, email, typed }: TypedCode,
): Promise<'wrong' | 'code_over' | undefined> {
  if (shown !== undefined && isTypedCode(shown, { code: typed, email: normalizeEmail(email) }))
    return undefined
  const entry = { account, userId, email, reason: 'code_rejected' }
  await logChange(deps, trx, tenant, { ...entry, code: 'ACCOUNT_EMAIL_CHANGE_FAILED' })
  return shown === undefined ? 'code_over' : 'wrong'
}

interface LoggedChange {
  readonly code:
    | 'ACCOUNT_EMAIL_CHANGE_REQUESTED'
    | 'ACCOUNT_EMAIL_CHANGE_FAILED'
    | 'ACCOUNT_EMAIL_CHANGED'
    | 'ACCOUNT_EMAIL_CHANGE_REVERTED'
  readonly account: Pick<OwnAccount, 'organizationId'>
  readonly userId: string
  readonly email: string
  readonly reason?: string
}

/** Tells of a change in the log of the organization. */
export function logChange(
  deps: Pick<Deps, 'now' | 'metrics'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { code, account, userId, email, reason }: LoggedChange,
): Promise<void> {
  const { organizationId } = account
  const clientId = accountPageIds[tenant.environment]
  return logEvent(deps, trx, { ...tenant, organizationId, code, clientId, email, userId, reason })
}
