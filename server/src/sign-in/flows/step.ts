import { sql, type Transaction, type Updateable } from 'kysely'
import type { DB, SignInFlows } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import type { FlowKey, Step } from './flow.js'
import { forgetArrival } from './social-arrival.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** The steps between which a flow moves, and the columns to set. */
export interface Move {
  readonly from: readonly Step[]
  /** The user of the flow; any where it is left out. */
  readonly of?: string
  readonly to: Step
  readonly set?: Pick<
    Updateable<SignInFlows>,
    | 'connection_id'
    | 'social_provider_id'
    | 'identity_id'
    | 'scope'
    | 'email'
    | 'email_normalized'
    | 'user_id'
    | 'amr'
    | 'authenticated_at'
    | 'session_id'
    | 'pending_sign_in_id'
    | 'enrollment_id'
    | 'is_recovery_code_used'
    | 'is_renewal_due'
    | 'link_code_sealed'
    | 'link_code_expires_at'
    | 'link_code_failures'
  >
}

/**
 * Moves a flow on. One statement decides: of many concurrent requests for a step, one succeeds. Whatever leads to `ready`
 * leads to `consent` first, where the application asks for it. What begins anew links no identity that came before.
 *
 * @returns Whether it was open and at one of the steps.
 */
export async function moveFlow(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, environment, organizationId, flowId }: FlowKey,
  { from, of, to, set }: Move,
): Promise<boolean> {
  const moved = await trx
    .updateTable('sign_in_flows')
    .set({ ...set, step: to === 'ready' ? stepBeforeEnd : to })
    .where(ofOwner({ accountId, environment, organizationId }))
    .where('id', '=', flowId)
    .where('step', 'in', [...from])
    .$if(of !== undefined, (move) => move.where('user_id', '=', of ?? null))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now())
    .returning('id')
    .executeTakeFirst()
  if (moved !== undefined && to === 'identifier')
    await forgetArrival(trx, { accountId, environment, organizationId, flowId })
  return moved !== undefined
}

/** A flow whose application asks for consent is ready only by way of that step, which comes before the offer of a passkey. */
const stepBeforeEnd = sql<Step>`case when is_consent_asked and step not in ('consent', 'offer_passkey') then 'consent' else 'ready' end`

/** The steps at which a first factor can be passed. */
export const firstFactorSteps: readonly Step[] = ['identifier', 'link_account', 'password', 'link_sent']

/** The same in a transaction of its own. */
export function moveFlowAlone(deps: Pick<Deps, 'db' | 'now'>, key: FlowKey, move: Move): Promise<boolean> {
  return deps.db.transaction().execute((trx) => moveFlow(deps, trx, key, move))
}
