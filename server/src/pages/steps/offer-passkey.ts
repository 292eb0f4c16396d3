import { newPasskeyName } from '../frame/device-name.js'
import { findEnrollmentOptions } from '../../sign-in/passkeys/enroll-in-flow.js'
import { addOfferedPasskey, leavePasskeyOffer } from '../../sign-in/passkeys/offer-in-flow.js'
import type { OwnPasskeyFault } from '../texts/en/passkeys.js'
import { offerPasskeyPage } from '../views/offer-passkey.js'
import { guess } from './guess.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { userFlowOf } from './user-flow.js'

/** Offers a passkey to a user who has signed in without, and need not have one. */
export const offerPasskeyStep: StepPage = {
  show: (request) => show(request),
  actions: { passkey, not_now: notNow },
}

async function show(request: StepRequest, fault?: OwnPasskeyFault): Promise<string | undefined> {
  const { deps, caller, frame, form } = request
  const flow = userFlowOf(request)
  if (flow === undefined) return undefined
  const options = await findEnrollmentOptions(deps, caller, flow, form.csrf)
  return offerPasskeyPage({ frame, form, options, fault })
}

async function passkey(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller, frame, form, field, userAgent } = request
  const flow = userFlowOf(request)
  if (flow === undefined) return 'over'
  const sent = {
    credential: field('credential'),
    csrf: form.csrf,
    name: newPasskeyName(frame.texts, userAgent),
  }
  const outcome = await guess(
    request,
    () => addOfferedPasskey(deps, caller, flow, sent),
    (added) => added === 'added',
  )
  if (outcome === 'added') return 'moved'
  // Nothing is offered by now; the sign-in goes on.
  if (outcome === 'over') {
    await leavePasskeyOffer(deps, caller, flow, false)
    return 'moved'
  }
  const next = { ...request, flow: { ...flow, passkeyAttempt: flow.passkeyAttempt + 1 } }
  const shown = await show(next, outcome)
  return shown === undefined ? 'over' : { status: 422, page: shown }
}

async function notNow(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller } = request
  const flow = userFlowOf(request)
  if (flow === undefined) return 'over'
  await leavePasskeyOffer(deps, caller, flow, true)
  return 'moved'
}
