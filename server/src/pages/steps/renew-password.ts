import { findRenewal, putRenewalOff, renewPassword, type Renewal } from '../../sign-in/password/renew.js'
import { setPasswordPage } from '../views/set-password.js'
import { waitOf } from './limit.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { userFlowOf } from './user-flow.js'

/** Asks for a new password after all factors, when the current one must be replaced; or offers to choose the first one. */
export const renewPasswordStep: StepPage = { show, actions: { set_password: setPassword, not_now: notNow } }

async function show(request: StepRequest): Promise<string | undefined> {
  const flow = userFlowOf(request)
  const renewal = flow && (await findRenewal(request.deps, request.caller, flow))
  return renewal && page(request, renewal)
}

async function setPassword(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller } = request
  const flow = userFlowOf(request)
  const renewal = flow && (await findRenewal(deps, caller, flow))
  if (flow === undefined || renewal === undefined) return 'over'
  try {
    const fault = await renewPassword(deps, caller, { flow, plainText: request.field('password') })
    return fault === undefined
      ? 'moved'
      : { status: 422, page: page(request, renewal, { fault: fault.code }) }
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return { status: 429, page: page(request, renewal, { fault: 'too_many', ...wait }), ...wait }
  }
}

async function notNow({ deps, caller, flow }: StepRequest): Promise<StepOutcome> {
  await putRenewalOff(deps, caller, flow)
  return 'moved'
}

type Wrong = Partial<Pick<Parameters<typeof setPasswordPage>[0], 'fault' | 'retryAfterSeconds'>>

function page({ frame, form }: StepRequest, renewal: Renewal, wrong: Wrong = {}): string {
  const { email, min_length: minLength, max_length: maxLength } = renewal
  const asked = renewal.has_password ? 'renewal' : 'offer'
  return setPasswordPage({ frame, form, email, minLength, maxLength, asked, ...wrong })
}
