import { sql, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { addPasskeyByOfUserOf, enrollByOfUserOf } from '../../directory/sessions/factor-due.js'
import { isLately, latelySince } from '../../directory/sessions/lately.js'
import { isPasskeyHeldByUserOf } from '../../directory/sessions/passkey-held.js'
import { arePasskeysOfferedTo } from '../../directory/sessions/passkeys-offered.js'
import { comesBySso } from '../../directory/users/sso-user.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner, ofTenant, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import type { FlowKey } from '../flows/flow.js'
import { holdsPasskey } from '../flows/holds-passkey.js'
import { lockFlow } from '../flows/lock-flow.js'
import { isFactorMissing, nextFactorOf } from '../flows/pending-sign-in.js'
import { moveFlow } from '../flows/step.js'
import type { EnrollingFlow } from '../totp/replace-recovery-codes.js'
import { lockTotpUser } from '../totp/totp-user.js'
import { verifySentKey, type SentKey } from './enroll-in-flow.js'
import { insertPasskey, type RefusedKey, type VerifiedKey } from './insert-passkey.js'
import { findPasskeyOffer } from './offer.js'

/** For how long a user is not asked again who has declined. */
const declinedMs = 30 * 24 * 60 * 60 * 1000

/**
 * Moves a flow that is ready to the page that offers its user a passkey, where the organization wants that now: the browser can make
 * one, the user has proved their mailbox and just signed in, has none, and has not declined lately.
 *
 * @returns Whether it has moved.
 */
export async function moveToPasskeyOffer(
  { config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>,
  { accountId, environment, organizationId, flowId }: FlowKey,
): Promise<boolean> {
  const { passkeyRpId: rpId } = config
  if (rpId === undefined) return false
  const at = now()
  const moved = await db
    .updateTable('sign_in_flows as flow')
    .set({ step: 'offer_passkey' })
    .from('users')
    .where(ofOwner({ accountId, environment, organizationId }, 'flow'))
    .where('flow.id', '=', flowId)
    .where('flow.step', '=', 'ready')
    .where('flow.used_at', 'is', null)
    .where('flow.expires_at', '>', at)
    .where('flow.is_passkey_capable', '=', true)
    // A session that only gets a factor more, or a consent, is asked for nothing else.
    .where('flow.session_id', 'is', null)
    .where('flow.authenticated_at', '>=', latelySince(at))
    .where(sql<boolean>`not 'sso' = any(flow.amr)`)
    .where(sameTenant('users', 'flow'))
    .whereRef('users.id', '=', 'flow.user_id')
    .where('users.email_proved_at', 'is not', null)
    .where((is) =>
      is.or([
        is('users.passkey_offer_declined_at', 'is', null),
        is('users.passkey_offer_declined_at', '<=', new Date(at.getTime() - declinedMs)),
      ]),
    )
    .where(arePasskeysOfferedTo('users'))
    .where(sql<boolean>`not ${comesBySso('users')}`)
    .where(sql<boolean>`not ${isPasskeyHeldByUserOf('users', rpId)}`)
    // What the organization demands by a time is asked for by the step that enrols it.
    .where(
      sql<boolean>`${enrollByOfUserOf('users', rpId)} is null and ${addPasskeyByOfUserOf('users', rpId)} is null`,
    )
    .where(isPrompted())
    .returning('flow.id')
    .executeTakeFirst()
  return moved !== undefined
}

/** Whether passkeys sign in by themselves, and the organization prompts after each sign-in, or after one that has made the user, by an invitation or not, or set their password. */
function isPrompted() {
  return sql<boolean>`exists (
    select from passkey_connections as connection
    where ${sameTenant('connection', 'users')}
      and connection.first_factor
      and (
        connection.prompt = 'after_sign_in'
        or connection.prompt = 'after_account_change' and (
          flow.invitation_id is not null
          or users.inserted_at >= flow.inserted_at
          or exists (
            select from passwords
            where ${sameTenant('passwords', 'users')} and passwords.user_id = users.id
              and passwords.set_at >= flow.inserted_at
          )
        )
      )
  )`
}

/** `refused`: the answer is not one to this page; `over`: nothing is offered by now. */
type AddedPasskey = 'added' | 'refused' | 'over' | RefusedKey

/** Adds the passkey that a user was offered, who has signed in by every factor that is asked of them, and lets the flow end. */
export async function addOfferedPasskey(
  deps: Deps,
  tenant: Tenant,
  flow: EnrollingFlow,
  sent: SentKey,
): Promise<AddedPasskey> {
  const made = await verifySentKey(deps, tenant, flow, sent)
  if (typeof made === 'string') return made
  const { record } = await change(deps, tenant.cause, async (trx) => ({
    record: await add(deps, trx, tenant, flow, made),
  }))
  return record
}

async function add(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  flow: EnrollingFlow,
  made: VerifiedKey,
): Promise<AddedPasskey> {
  const user = await lockTotpUser(trx, tenant, flow.userId)
  const held = await lockFlow(deps, trx, flow, { steps: ['offer_passkey'] })
  const offer = await findPasskeyOffer(trx, tenant, user.id)
  if (held?.user_id !== user.id || offer?.isActive !== true || !user.active) return 'over'
  if (held.authenticated_at === null || !isLately(deps.now(), held.authenticated_at)) return 'over'
  if (await holdsPasskey(deps, trx, { tenant, userId: user.id })) return 'over'
  if (!held.amr.includes('mfa') && isFactorMissing(await nextFactorOf(deps, trx, tenant, user.id)))
    return 'over'
  const added = await insertPasskey(deps, trx, tenant, offer, made)
  if (typeof added === 'string') return added
  await moveFlow(deps, trx, flow, { from: ['offer_passkey'], to: 'ready' })
  return 'added'
}

/**
 * Lets the flow end without a passkey.
 *
 * @param isDeclined The user does not want one, and is not asked again for 30 days.
 */
export async function leavePasskeyOffer(
  deps: Deps,
  tenant: Tenant,
  flow: EnrollingFlow,
  isDeclined: boolean,
): Promise<void> {
  await change(deps, tenant.cause, async (trx) => {
    const isMoved = await moveFlow(deps, trx, flow, { from: ['offer_passkey'], of: flow.userId, to: 'ready' })
    if (isMoved && isDeclined)
      await trx
        .updateTable('users')
        .set({ passkey_offer_declined_at: deps.now() })
        .where(ofTenant(tenant))
        .where('id', '=', flow.userId)
        .execute()
    return { record: undefined }
  })
}

/** Remembers that the browser of a flow can make passkeys. */
export async function markPasskeyCapable(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment, organizationId, flowId }: FlowKey,
): Promise<void> {
  await db
    .updateTable('sign_in_flows')
    .set({ is_passkey_capable: true })
    .where(ofOwner({ accountId, environment, organizationId }))
    .where('id', '=', flowId)
    .where('used_at', 'is', null)
    .execute()
}
