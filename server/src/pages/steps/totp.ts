import { ApiError } from '../../platform/errors.js'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { ask, askOnce, findFlowChallenge, type FlowChallenge } from '../../sign-in/totp/flow-challenge.js'
import { validateTotpChallenge } from '../../sign-in/totp/validate-challenge.js'
import { totpPage } from '../views/totp.js'
import { guess } from './guess.js'
import { waitOf } from './limit.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'

/** Asks for the second factor. */
export const totpStep: StepPage = { show, actions: { totp, send_sms: sendSms } }

async function show(request: StepRequest): Promise<string | undefined> {
  const signIn = signInOf(request)
  const asked = signIn && (await askOnce(request.deps, request.caller, signIn))
  if (asked === undefined) return undefined
  return page(request, asked, asked.refusal === undefined ? {} : faultOf(asked.refusal))
}

async function totp(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller } = request
  const signIn = signInOf(request)
  const asked = signIn && (await findFlowChallenge(deps, caller, signIn))
  if (asked === undefined || signIn === undefined) return 'over'
  const refuse = (status: number, wrong: Wrong) => ({ ...wrong, status, page: page(request, asked, wrong) })
  const code = request.field('code').replace(/\s/g, '')
  if (code === '') return refuse(422, { fault: 'missing' })
  const isSixDigits = /^[0-9]{6}$/.test(code)
  if (isSixDigits && asked.method === 'sms' && !asked.isSent) return refuse(422, { fault: 'code_over' })
  // Codes of the app and recovery codes are valid beyond the challenge.
  const requestId = asked.challengeId ?? (await ask(deps, caller, signIn, false))
  try {
    await guess(
      request,
      () =>
        validateTotpChallenge(deps, caller, signIn.userId, { code, request_id: requestId }, signIn.flowId),
      () => true,
    )
    return 'moved'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code: errorCode, retryAfterSeconds } = error
    if (errorCode === 'totp_challenge_not_open' && (await hasMoved(request))) return 'moved'
    if (errorCode !== 'totp_code_rejected' && errorCode !== 'totp_locked') throw error
    return retryAfterSeconds === undefined
      ? refuse(422, { fault: 'wrong_code' })
      : refuse(429, { fault: 'too_many', retryAfterSeconds })
  }
}

/** Whether a concurrent form has moved the flow. If not, the sign-in is no longer eligible. */
async function hasMoved({ deps, flow }: StepRequest): Promise<boolean> {
  return !(await moveFlowAlone(deps, flow, { from: ['totp'], to: 'totp' }))
}

async function sendSms(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller } = request
  const signIn = signInOf(request)
  const asked = signIn && (await findFlowChallenge(deps, caller, signIn))
  if (asked === undefined || signIn === undefined) return 'over'
  if (asked.method !== 'sms') return 'moved'
  try {
    await ask(deps, caller, signIn, true)
    return 'moved'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const wrong = faultOf(error)
    return { ...wrong, status: wrong.fault === 'not_sent' ? 422 : 429, page: page(request, asked, wrong) }
  }
}

function signInOf({ flow: { userId, pendingSignInId, flowId } }: StepRequest) {
  return userId === null || pendingSignInId === null ? undefined : { userId, pendingSignInId, flowId }
}

type Wrong = Partial<Pick<Parameters<typeof totpPage>[0], 'fault' | 'retryAfterSeconds'>>

function faultOf(error: ApiError): Wrong {
  const wait = waitOf(error)
  return wait === undefined ? { fault: 'not_sent' } : { fault: 'too_many_messages', ...wait }
}

function page(request: StepRequest, { method, sentTo, isSent }: FlowChallenge, wrong: Wrong): string {
  const { frame, form } = request
  const way = request.query('way') === 'recovery' ? 'recovery' : method === 'sms' ? 'sms' : 'app'
  const shownTo = way === 'sms' && isSent ? sentTo : null
  return totpPage({ frame, form, way, sentTo: shownTo, fault: undefined, ...wrong })
}
