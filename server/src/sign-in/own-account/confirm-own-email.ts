import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { visitOf } from '../../delivery/mail/notices.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { forgetRecovery } from '../../directory/forget-passkeys.js'
import { changeLockedUser, lockUser } from '../../directory/users/change-user.js'
import { markEmailProved } from '../../directory/users/proved-email.js'
import { findUser } from '../../directory/users/signing-in-user.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import {
  emailChangeLifetimeMs,
  findNewestEmail,
  forgetOpenChanges,
  isAt,
  keyOfChange,
  revertLifetimeMs,
  takeChangeTry,
  updateOpenChange,
} from './email-change.js'
import { findOwnAccount } from './own-account.js'
import { findCodeFault, logChange, whyNotChanged, type EmailRefusal } from './own-email.js'
import { changeOwnAccount } from './own-session.js'

/** `taken`: somebody has got the address since its code was mailed, which its owner may know. */
type ConfirmOutcome = 'changed' | 'wrong' | 'code_over' | 'taken' | EmailRefusal

/** Takes the code that was mailed to the new address, and gives it to the user. */
export async function confirmEmailChange(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  typed: string,
): Promise<ConfirmOutcome> {
  const { userId } = session
  try {
    // A wrong code is counted, so a refusal must not roll its transaction back.
    return await changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
      const tried = await takeChangeTry(within, trx, tenant, session, 'new')
      const account = await findOwnAccount(within, trx, tenant, userId)
      if (account === undefined) return 'over'
      if (tried === undefined)
        return (await isConfirmed(within, trx, tenant, session, account.email)) ? 'changed' : 'over'
      const { email, old_email: oldEmail } = tried.row
      const fault = await findCodeFault(within, trx, tenant, tried, { account, userId, email, typed })
      if (fault !== undefined) return fault
      // A directory, the API or another change was first.
      const refused =
        account.email === oldEmail
          ? await whyNotChanged(within, trx, tenant, { account, userId, email })
          : 'over'
      if (refused !== undefined) {
        await forgetOpenChanges(trx, tenant, userId).execute()
        return refused
      }
      return changeAddress(within, trx, tenant, session)
    })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'email_taken') return 'taken'
    throw error
  }
}

/** Whether the form was sent twice: the session has just given its user the address that they have. */
async function isConfirmed(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, sessionId }: SessionOfUser,
  email: string,
): Promise<boolean> {
  const row = await trx
    .selectFrom('email_changes')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .where('confirmed_at', '>', new Date(now().getTime() - emailChangeLifetimeMs))
    .where('reverted_at', 'is', null)
    .where('email', '=', email)
    .select('id')
    .executeTakeFirst()
  return row !== undefined
}

/** One update confirms the change, once; another one of the user's row, which its unique address decides, writes it. */
async function changeAddress(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  session: SessionOfUser,
): Promise<'changed' | 'over'> {
  const at = deps.now()
  const confirmed = await updateOpenChange(trx, tenant, session, at)
    .where(isAt('new'))
    .set({
      confirmed_at: at,
      code_sealed: null,
      expires_at: new Date(at.getTime() + revertLifetimeMs),
    })
    .executeTakeFirst()
  if (confirmed === undefined) return 'over'
  const { email, old_email: oldEmail, old_proof: proof, user_id: userId } = confirmed
  const current = await lockUser(trx, tenant, userId)
  // An operator has had the last word: the links of before lead to an address that they have taken away.
  const newest = await findNewestEmail(trx, tenant, { userId, besides: confirmed.id })
  if (newest !== undefined && newest !== current.email)
    await trx
      .deleteFrom('email_changes')
      .where(ofTenant(tenant))
      .where('user_id', '=', userId)
      .where('id', '<>', confirmed.id)
      .where('confirmed_at', 'is not', null)
      .execute()
  await writeOwnAddress(deps, trx, tenant, { current, email })
  const key = keyOfChange(tenant, confirmed)
  await logChange(deps, trx, tenant, {
    code: 'ACCOUNT_EMAIL_CHANGED',
    account: key,
    userId,
    email: oldEmail,
  })
  // The owner of a mailbox whose address was only claimed gets no account by it.
  const told = proof === 'mailbox' || current.email_verified ? 'changed' : 'told'
  const payload = { ...key, userId, messageId: newId(), told, ...visitOf(deps, tenant.cause) } as const
  await enqueue(deps, trx, { name: 'send_email_change_notice', payload, accountId: key.accountId })
  return 'changed'
}

/**
 * Gives a user, whom the transaction has locked, an address whose mailbox is proved.
 *
 * @throws ApiError `email_taken`
 */
export async function writeOwnAddress(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { current, email }: { readonly current: Awaited<ReturnType<typeof lockUser>>; readonly email: string },
): Promise<void> {
  await changeLockedUser(deps, trx, tenant, current, {
    input: { email },
    versions: undefined,
    isEmailVouched: true,
  })
  await forgetRecovery(trx, tenant, current.id)
  const user = await findUser(trx, tenant, normalizeEmail(email))
  // Sessions go on: nobody has begun anything with the address.
  if (user !== undefined) await markEmailProved(deps, trx, tenant, { ...user, isNew: true })
}
