import { stepAfterFactors } from '../../sign-in/flows/pending-sign-in.js'
import type { Flow } from '../../sign-in/flows/flow.js'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { makePasskeyCodes } from '../../sign-in/passkeys/recovery-codes.js'
import {
  acknowledgeRecoveryCodes,
  replaceRecoveryCodesInFlow,
} from '../../sign-in/totp/replace-recovery-codes.js'
import { recoveryCodesPage, type LostFactor } from '../views/recovery-codes.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { newCodesPage } from './new-codes.js'
import { userFlowOf } from './user-flow.js'

/**
 * Shows the recovery codes of a validated enrolment, or of a passkey. Only the answer that creates codes shows them; reloading the
 * page does not.
 */
export const recoveryCodesStep: StepPage = {
  show: ({ flow, frame, form }) =>
    Promise.resolve(recoveryCodesPage({ frame, form, of: whatOf(flow), made: null })),
  actions: { acknowledge, new_codes: newCodes },
}

async function acknowledge(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller, frame, form } = request
  const flow = userFlowOf(request)
  if (flow === undefined) return 'over'
  if (request.field('acknowledged') === '') {
    const gone = { frame, form, of: whatOf(flow), made: null }
    return { status: 422, page: recoveryCodesPage({ ...gone, fault: 'not_acknowledged' }) }
  }
  if (whatOf(flow) === 'phone') await acknowledgeRecoveryCodes(deps, caller, flow)
  else {
    const to = stepAfterFactors(flow.isRenewalDue)
    await moveFlowAlone(deps, flow, { from: ['recovery_codes'], of: flow.userId, to })
  }
  return 'moved'
}

async function newCodes(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller } = request
  const flow = userFlowOf(request)
  if (flow === undefined) return 'over'
  const of = whatOf(flow)
  const make = of === 'passkey' ? makePasskeyCodes : undefined
  const codes = await replaceRecoveryCodesInFlow(deps, caller, flow, make)
  return codes === undefined ? 'over' : newCodesPage(request, flow, of, codes)
}

/** What the codes are for: a flow whose user has just added a passkey has used it, and no code. */
function whatOf({ amr }: Pick<Flow, 'amr'>): LostFactor {
  return amr.includes('pop') ? 'passkey' : 'phone'
}
