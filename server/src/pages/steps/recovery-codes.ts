import {
  acknowledgeRecoveryCodes,
  replaceRecoveryCodesInFlow,
} from '../../sign-in/totp/replace-recovery-codes.js'
import { recoveryCodesPage } from '../views/recovery-codes.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { onceShown, userFlowOf } from './user-flow.js'

/**
 * Shows the recovery codes of a validated enrolment. Only the answer that creates codes shows them; reloading the page
 * does not.
 */
export const recoveryCodesStep: StepPage = {
  show: ({ frame, form }) => Promise.resolve(recoveryCodesPage({ frame, form, codes: null })),
  actions: { acknowledge, new_codes: newCodes },
}

async function acknowledge(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller, frame, form } = request
  const flow = userFlowOf(request)
  if (flow === undefined) return 'over'
  if (request.field('acknowledged') === '')
    return { status: 422, page: recoveryCodesPage({ frame, form, codes: null, fault: 'not_acknowledged' }) }
  await acknowledgeRecoveryCodes(deps, caller, flow)
  return 'moved'
}

async function newCodes(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller, frame, form } = request
  const flow = userFlowOf(request)
  const codes = flow && (await replaceRecoveryCodesInFlow(deps, caller, flow))
  if (codes === undefined) return 'over'
  return { status: 200, page: recoveryCodesPage({ frame: onceShown(frame), form, codes }) }
}
