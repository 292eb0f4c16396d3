import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import { challengesOf, toRequestOptions, type Ceremony } from '../passkeys/ceremony.js'
import { findPasskeyOffer, type PasskeyOffer } from '../passkeys/offer.js'
import { provePasskeyOf } from '../passkeys/prove-passkey.js'
import { usableAt } from '../passkeys/passkeys.js'
import { passkeysOf } from '../passkeys/rows.js'
import { recordUse } from '../passkeys/use-passkey.js'
import { enrollmentsOf } from '../totp/rows.js'
import { lockTotpUser } from '../totp/totp-user.js'
import { useAppCode } from '../totp/validate-challenge.js'
import { isAt, openChangeOf, standInAgeMs, takeChangeTry, type OldProof } from './email-change.js'
import { findOwnAccount } from './own-account.js'
import { findCodeFault, mailNewMailbox, type EmailRefusal } from './own-email.js'
import { findSessionAttempt, takeSessionAttempt } from './own-passkeys.js'
import { changeOwnAccount } from './own-session.js'

/** What became of a proof of the old address. `locked`: after too many wrong codes of the app. */
export type OldProofOutcome = 'proved' | 'wrong' | 'code_over' | 'locked' | 'refused' | EmailRefusal

/** Takes the code that was mailed to the old address. */
export function proveOldMailbox(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  typed: string,
): Promise<OldProofOutcome> {
  // A wrong code is counted, so a refusal must not roll its transaction back.
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const { userId } = session
    const tried = await takeChangeTry(within, trx, tenant, session, 'old')
    const account = await findOwnAccount(within, trx, tenant, userId)
    if (tried === undefined || account === undefined) return 'over'
    const code = { account, userId, email: tried.row.old_email, typed }
    const fault = await findCodeFault(within, trx, tenant, tried, code)
    return fault ?? askNewMailbox(within, trx, tenant, session, 'mailbox')
  })
}

async function askNewMailbox(
  within: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  session: SessionOfUser,
  proof: OldProof,
): Promise<'proved' | 'over'> {
  const open = await openChangeOf(trx, tenant, session, within.now()).where(isAt('old')).executeTakeFirst()
  if (open === undefined) return 'over'
  await mailNewMailbox(within, trx, tenant, session, open, proof)
  return 'proved'
}

/** What the user has had for long enough to prove the change without their old mailbox. */
export interface StandIns {
  readonly hasApp: boolean
  /** What a browser is asked for to use a passkey; undefined without one. */
  readonly options: object | undefined
}

/** @param csrf The field of the page that is shown. */
export async function findStandIns(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  csrf: string,
): Promise<StandIns> {
  const { userId } = session
  const { passkeyRpId: rpId } = deps.config
  const [hasApp, offer, known, attempt] = await Promise.all([
    hasOldApp(deps, deps.db, tenant, userId),
    findPasskeyOffer(deps.db, tenant, userId),
    oldPasskeysOf(deps, deps.db, tenant, userId).execute(),
    findSessionAttempt(deps, tenant, session),
  ])
  const usable = rpId === undefined ? [] : usableAt(rpId, known)
  if (offer?.isActive !== true || rpId === undefined || attempt === undefined || usable.length === 0)
    return { hasApp, options: undefined }
  const [challenge] = challengesOf(deps, ceremonyOf(session, offer, { csrf, attempt }))
  const isVerificationRequired = offer.isFirstFactor
  return { hasApp, options: toRequestOptions({ challenge, rpId, known: usable, isVerificationRequired }) }
}

async function hasOldApp(
  { now }: Pick<Deps, 'now'>,
  db: Deps['db'],
  tenant: Tenant,
  userId: string,
): Promise<boolean> {
  const row = await enrollmentsOf(db, tenant, userId)
    .where('method', '=', 'totp_mobile_app')
    .where('validated_at', '<=', new Date(now().getTime() - standInAgeMs))
    .select('user_id')
    .executeTakeFirst()
  return row !== undefined
}

function oldPasskeysOf({ now }: Pick<Deps, 'now'>, db: Deps['db'], tenant: Tenant, userId: string) {
  return passkeysOf(db, tenant, userId)
    .where('passkeys.inserted_at', '<=', new Date(now().getTime() - standInAgeMs))
    .select(['passkeys.credential_id', 'passkeys.transports', 'passkeys.rp_id', 'passkeys.disabled_at'])
}

function ceremonyOf(
  { sessionId: id }: SessionOfUser,
  { organizationId }: PasskeyOffer,
  page: Pick<Ceremony, 'csrf' | 'attempt'>,
): Ceremony {
  return { purpose: 'passkey_email_change', organizationId, id, ...page }
}

/** Takes a code of the user's app in place of the old mailbox. */
export function proveByApp(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  typed: string,
): Promise<OldProofOutcome> {
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const user = await lockTotpUser(trx, tenant, session.userId)
    const isThere = user.connection.active && (await hasOldApp(within, trx, tenant, session.userId))
    if (!isThere) return 'refused'
    const outcome = await useAppCode(within, trx, tenant, user, typed)
    return outcome === 'right' ? askNewMailbox(within, trx, tenant, session, 'totp') : outcome
  })
}

/** Takes a passkey of the user in place of the old mailbox. */
export async function proveByPasskey(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  { credential, csrf }: { readonly credential: string; readonly csrf: string },
): Promise<OldProofOutcome> {
  const { userId } = session
  const attempt = await takeSessionAttempt(deps, tenant, session)
  const offer = await findPasskeyOffer(deps.db, tenant, userId)
  if (attempt === undefined) return 'stale'
  if (offer?.isActive !== true) return 'refused'
  const ceremony = ceremonyOf(session, offer, { csrf, attempt })
  const sent = { credential, isVerificationRequired: offer.isFirstFactor }
  const proof = await provePasskeyOf(deps, tenant, ceremony, sent)
  if (!('proved' in proof)) return 'refused'
  const { proved } = proof
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    // Of this user: one of somebody else proves nothing here.
    const isOld = await oldPasskeysOf(within, trx, tenant, userId)
      .where('passkeys.id', '=', proved.passkeyId)
      .executeTakeFirst()
    if (isOld === undefined || (await recordUse(within, trx, tenant, proved)) !== 'used') return 'refused'
    return askNewMailbox(within, trx, tenant, session, 'passkey')
  })
}
