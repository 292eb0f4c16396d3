import { NewCredential } from '@portico/contract/passkey-credentials'
import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Flow } from '../flows/flow.js'
import { holdsPasskey } from '../flows/holds-passkey.js'
import { lockFlow } from '../flows/lock-flow.js'
import { nextFactorOf, stepAfterFactors } from '../flows/pending-sign-in.js'
import { recoversPasskeys } from '../flows/recovers-passkeys.js'
import { moveFlow } from '../flows/step.js'
import { mayEnrollBesides } from '../totp/enroll-in-flow.js'
import { lockTotpUser, type TotpUser } from '../totp/totp-user.js'
import { challengesOf, expectedOf, readCredential, toCreationOptions, type Ceremony } from './ceremony.js'
import { insertPasskey, type RefusedKey, type VerifiedKey } from './insert-passkey.js'
import { findPasskeyOffer } from './offer.js'
import { findPasskeys } from './passkeys.js'
import { takeAttempt } from './prove-passkey.js'
import { countPasskeyCodes, makePasskeyCodes } from './recovery-codes.js'
import { verifyMadeKey } from './webauthn.js'

/** A flow whose user has passed a first factor, and has to have a second one. */
type EnrollingFlow = Flow & { readonly userId: string }

/**
 * What the page that sets up a second factor asks of a browser for a passkey.
 *
 * @returns Undefined where the user may not have one.
 */
export async function findEnrollmentOptions(
  deps: Pick<Deps, 'config' | 'db' | 'keys'>,
  tenant: Tenant,
  flow: EnrollingFlow,
  csrf: string,
): Promise<object | undefined> {
  const { userId } = flow
  const { passkeyRpId: rpId } = deps.config
  const [offer, passkeys] = await Promise.all([
    findPasskeyOffer(deps.db, tenant, userId),
    findPasskeys(deps, tenant, userId),
  ])
  if (offer?.isActive !== true || rpId === undefined) return undefined
  const [challenge] = challengesOf(deps, ceremonyOf(flow, csrf, flow.passkeyAttempt))
  return toCreationOptions(tenant, offer, { challenge, rpId, passkeys })
}

/** The id of a flow is that of no session, so that no answer is one to the account page. */
function ceremonyOf({ organizationId, flowId: id }: Flow, csrf: string, attempt: number): Ceremony {
  return { purpose: 'passkey_registration', organizationId, id, csrf, attempt }
}

/** The answer of an authenticator, as the page has sent it. */
export interface SentKey {
  readonly credential: string
  readonly csrf: string
  /** What the passkey is called where its provider is not known. */
  readonly name: string
}

/**
 * `refused`: the answer is not one to this page; `over`: the user was signed in, or has a second factor, by now. With the first passkey
 * that is demanded of a user come recovery codes, to be shown once.
 */
export type EnrolledPasskey =
  | 'added'
  | { readonly recoveryCodes: readonly string[] }
  | 'refused'
  | 'over'
  | RefusedKey

/** Adds a passkey to the user of a flow, who has no second factor or recovers their passkeys, and moves the flow on with both factors. */
export async function enrollPasskeyInFlow(
  deps: Deps,
  tenant: Tenant,
  flow: EnrollingFlow,
  sent: SentKey,
): Promise<EnrolledPasskey> {
  const made = await verifySentKey(deps, tenant, flow, sent)
  if (typeof made === 'string') return made
  const { record } = await change(deps, tenant.cause, async (trx) => ({
    record: await enroll(deps, trx, tenant, flow, made),
  }))
  return record
}

/** Verifies the key that the page of a flow has asked for. Each answer counts as an attempt of the flow. */
export async function verifySentKey(
  deps: Deps,
  tenant: Tenant,
  flow: EnrollingFlow,
  { credential: text, csrf, name }: SentKey,
): Promise<VerifiedKey | 'over' | 'refused'> {
  const attempt = await takeAttempt(deps, flow)
  const offer = await findPasskeyOffer(deps.db, tenant, flow.userId)
  if (attempt === undefined || offer?.isActive !== true) return 'over'
  const expected = expectedOf(deps, ceremonyOf(flow, csrf, attempt), offer.isFirstFactor)
  if (expected === undefined) return 'over'
  const credential = readCredential(NewCredential, text)
  const key = credential && (await verifyMadeKey(credential, expected))
  if (credential === undefined || key === undefined) return 'refused'
  const { transports } = credential.response
  return { key, rpId: expected.rpId, transports, name: { unlessOfProvider: name } }
}

async function enroll(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  flow: EnrollingFlow,
  made: VerifiedKey,
): Promise<EnrolledPasskey> {
  const user = await lockTotpUser(trx, tenant, flow.userId)
  const held = await lockFlow(deps, trx, flow, { steps: ['enroll'] })
  const offer = await findPasskeyOffer(trx, tenant, user.id)
  if (held?.user_id !== user.id || offer?.isActive !== true) return 'over'
  const of = { tenant, userId: user.id }
  const proof = { amr: held.amr, authenticatedAt: held.authenticated_at, sessionId: held.session_id }
  if (!user.active || !(held.amr.includes('mfa') || mayEnrollBesides(user))) return 'over'
  const isHeld = await holdsPasskey(deps, trx, of)
  if (isHeld && !held.is_recovery_code_used && !(await recoversPasskeys(deps, trx, of, proof))) return 'over'
  const added = await insertPasskey(deps, trx, tenant, offer, made)
  if (typeof added === 'string') return added
  const isDemandedHere = held.is_mfa_required && (!isHeld || held.is_recovery_code_used)
  const recoveryCodes = await makeMissingCodes(deps, trx, tenant, user, isDemandedHere)
  await moveFlow(deps, trx, flow, {
    from: ['enroll'],
    to: recoveryCodes === undefined ? stepAfterFactors(held.is_renewal_due) : 'recovery_codes',
    set: {
      is_recovery_code_used: false,
      amr: [...held.amr.filter((name) => name !== 'mfa'), 'pop', 'mfa'],
      authenticated_at: deps.now(),
      enrollment_id: null,
    },
  })
  return recoveryCodes === undefined ? 'added' : { recoveryCodes }
}

/**
 * Makes the recovery codes of a user who has just added a passkey, is asked for no code of TOTP, and has none left.
 *
 * @param isDemandedHere Whether the application demands the first passkey of the user; else the organization has to demand it.
 * @returns Undefined where the user needs none.
 */
async function makeMissingCodes(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  user: TotpUser,
  isDemandedHere: boolean,
): Promise<readonly string[] | undefined> {
  const next = await nextFactorOf(deps, trx, tenant, user.id)
  if (next === 'totp' || (next !== 'passkey' && !isDemandedHere)) return undefined
  if ((await countPasskeyCodes(deps, trx, tenant, user.id)) > 0) return undefined
  return makePasskeyCodes(deps, trx, tenant, user)
}
