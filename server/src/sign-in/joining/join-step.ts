import { demandsPasskey } from '../../tokens/acr.js'
import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { normalizeEmail } from '../../platform/email.js'
import { ofUser, type Caller, type Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { limit } from '../../delivery/limits/limits.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { findLatestRequest, insertJoinRequest } from '../../directory/join-requests/create-join-request.js'
import { isSsoRequiredOf } from '../../directory/domains/authority.js'
import { findJoining } from '../../directory/organization-policy/joining.js'
import { markEmailProved } from '../../directory/users/proved-email.js'
import { findUser } from '../../directory/users/signing-in-user.js'
import { usersOf } from '../../directory/users/whole-user.js'
import type { Flow, FlowKey } from '../flows/flow.js'
import { completeFactorOfLockedFlow, lockFlow } from '../flows/lock-flow.js'
import { leadsToEnrolment } from '../flows/pending-sign-in.js'
import { findSignInMethods } from '../flows/sign-in-methods.js'
import { firstFactorSteps, moveFlow } from '../flows/step.js'

/** How often an address asks the same account within a day: who is denied may ask again, and not fill a list. */
const asks = limit('join_request', { windowSeconds: 24 * 60 * 60, most: () => 3 })

/**
 * Leads a flow whose address is proved, and is nobody's, to the page on which its owner asks to join. Only a proof of the mailbox
 * leads there: the flow's address is proved as long as it is at this step.
 *
 * @returns Whether the flow was at a first factor.
 */
export function leadToJoin(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  flow: FlowKey,
  { email, provedAt }: { readonly email: string; readonly provedAt: Date },
): Promise<boolean> {
  return moveFlow(deps, trx, flow, {
    from: [...firstFactorSteps, 'prove_address'],
    to: 'join',
    set: {
      email,
      email_normalized: normalizeEmail(email),
      authenticated_at: provedAt,
      link_code_sealed: null,
    },
  })
}

/** What the page of the step shows, of an address that is proved: its user is there by now, or how its request stands. */
export type JoinState = 'member' | 'asked' | 'denied' | 'open'

/** @returns Undefined where nobody with the address joins so any more. */
export async function findJoinState(
  deps: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  email: string,
): Promise<JoinState | undefined> {
  const user = await usersOf(deps.db, tenant)
    .where('users.email_normalized', '=', normalizeEmail(email))
    .select(['users.active', isSsoRequiredOf('users').as('is_sso_required')])
    .executeTakeFirst()
  if (user !== undefined) return user.active && !user.is_sso_required ? 'member' : undefined
  const latest = await findLatestRequest(deps, tenant, email)
  if (latest?.state === 'pending') return 'asked'
  const joining = await findJoining(deps.db, tenant, normalizeEmail(email))
  if (joining?.mode !== 'request') return undefined
  return latest?.state === 'denied' ? 'denied' : 'open'
}

/**
 * Signs in the user whom an approval has made, or who has come in otherwise: the flow has proved their address.
 *
 * @returns Whether the flow has moved on.
 */
export async function enterAsMember(
  deps: Deps,
  caller: Caller & Tenant,
  flow: Pick<Flow, keyof FlowKey>,
): Promise<boolean> {
  // By a link, as the flow has proved the address: not where links sign nobody in any more.
  if (!(await findSignInMethods(deps, flow)).hasLink) return false
  const { record } = await change(deps, caller.cause, async (trx) => {
    const held = await lockFlow(deps, trx, flow, { steps: ['join'] })
    if (held === undefined || held.email_normalized === null) return { record: false }
    const user = await findUser(trx, caller, held.email_normalized)
    if (user?.active !== true || user.is_sso_required === true) return { record: false }
    const { authenticated_at: provedAt } = held
    // A proof of before this sign-in enrolls no second factor.
    const isProofOlder = provedAt === null || provedAt < held.inserted_at
    if (isProofOlder) {
      const of = { tenant: caller, userId: user.id }
      const demanded = {
        isMfaRequired: held.is_mfa_required,
        isPasskeyRequired: demandsPasskey(held.claims),
      }
      if (await leadsToEnrolment(deps, trx, of, demanded)) return { record: false }
    }
    await markEmailProved(deps, trx, ofUser(caller, user.id), user)
    const factor = {
      tenant: caller,
      userId: user.id,
      amr: ['email'],
      authenticatedAt: provedAt ?? held.inserted_at,
    }
    return { record: (await completeFactorOfLockedFlow(deps, trx, held, factor)) !== undefined }
  })
  return record
}

/**
 * Asks to join, for the address of a flow at the step.
 *
 * @returns `over`: the flow is not at the step any more; `closed`: nobody with the address joins so any more, or a user has it by now.
 * @throws ApiError `rate_limited`
 */
export async function askToJoin(
  deps: Deps,
  caller: Caller & Tenant,
  { flow, locale }: { readonly flow: Flow; readonly locale: string },
): Promise<'asked' | 'closed' | 'over'> {
  const { email } = flow
  if (email === null) return 'over'
  await deps.limits.take(asks, { ...caller, address: normalizeEmail(email) })
  const { record } = await change<{ record: 'asked' | 'closed' | 'over' }>(
    deps,
    caller.cause,
    async (trx) => {
      const held = await lockFlow(deps, trx, flow, { steps: ['join'] })
      // A page of before may show another address.
      if (held?.email_normalized !== normalizeEmail(email)) return { record: 'over' }
      const joining = await findJoining(trx, caller, held.email_normalized)
      const user = await findUser(trx, caller, held.email_normalized)
      if (joining?.mode !== 'request' || user !== undefined) return { record: 'closed' }
      const isNew = await insertJoinRequest(deps, trx, caller, { email, locale })
      if (isNew) await logAsked(deps, trx, caller, flow)
      return { record: 'asked' }
    },
  )
  return record
}

async function logAsked(
  deps: Deps,
  trx: Transaction<DB>,
  { cause }: Tenant,
  { accountId, environment, organizationId, domain, applicationId, email }: Flow,
): Promise<void> {
  await logEvent(deps, trx, {
    ...{ accountId, environment, organizationId, domain },
    code: 'END_USER_JOIN_REQUESTED',
    clientId: applicationId,
    email,
    cause,
  })
}
