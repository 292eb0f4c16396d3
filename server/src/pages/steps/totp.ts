import { isAccountPage, isStepUpOfAccountPage } from '../../directory/account-page-client.js'
import { ApiError } from '../../platform/errors.js'
import { beginAnew, refuseApplication } from '../../sign-in/flows/consent.js'
import { holdsPasskey } from '../../sign-in/flows/holds-passkey.js'
import { findPendingSignIn } from '../../sign-in/flows/pending-sign-in.js'
import { recoversPasskeys } from '../../sign-in/flows/recovers-passkeys.js'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { demandsFactor } from '../../sign-in/own-account/demanded-factor.js'
import { provePasskey } from '../../sign-in/passkeys/prove-passkey.js'
import {
  findSecondFactorOptions,
  passByPasskey,
  type WaitingForPasskey,
} from '../../sign-in/passkeys/second-factor.js'
import { mayUsePasskeyCode, usePasskeyCode } from '../../sign-in/passkeys/use-recovery-code.js'
import { ask, askOnce, findFlowChallenge, type FlowChallenge } from '../../sign-in/totp/flow-challenge.js'
import { getTotpUser } from '../../sign-in/totp/totp-user.js'
import { validateTotpChallenge } from '../../sign-in/totp/validate-challenge.js'
import { demandsPasskey } from '../../tokens/acr.js'
import { blockedPasskeyPage } from '../views/blocked-passkey.js'
import { passkeyCodePage } from '../views/passkey-code.js'
import { secondFactorPasskeyPage } from '../views/second-factor-passkey.js'
import { totpPage } from '../views/totp.js'
import { guess } from './guess.js'
import { waitOf } from './limit.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { userFlowOf } from './user-flow.js'

/** Asks for the second factor: a code, or a passkey where the user has one. */
export const totpStep: StepPage = {
  show: (request) => show(request),
  actions: { totp, send_sms: sendSms, passkey, recovery_code: recoveryCode, anew, cancel },
}

async function show(request: StepRequest, wrong: Wrong = {}): Promise<string | undefined> {
  const { deps, caller, flow, frame, form } = request
  const signIn = signInOf(request)
  if (signIn === undefined) return undefined
  const applicationName = demandingApplication(request)
  const options = await findSecondFactorOptions(deps, caller, flow, form.csrf)
  if ((await isPasskeyAsked(request, signIn.userId)) || !(await hasCodes(request, signIn.userId))) {
    const isOpen = await isPending(request, signIn)
    const hasRecoveryCodes = isOpen && (await mayUsePasskeyCode(deps, caller, flow))
    if (hasRecoveryCodes && request.query('way') === 'recovery')
      return passkeyCodePage({ frame, form, hasPasskey: options !== undefined, applicationName, ...wrong })
    if (options !== undefined) {
      const isForChange = isStepUpOfAccountPage(flow)
      const asking = { frame, form, options, hasRecoveryCodes, isForChange, applicationName, ...wrong }
      return isOpen ? secondFactorPasskeyPage(asking) : undefined
    }
    const isBlocked = await holdsPasskey(deps, deps.db, { tenant: caller, userId: signIn.userId })
    if (isBlocked)
      return isOpen ? blockedPasskeyPage({ frame, form, hasRecoveryCodes, applicationName }) : undefined
  }
  // A user with a passkey may not need the message.
  const asked = await askOnce(deps, caller, signIn, options === undefined)
  if (asked === undefined) return undefined
  const refusal = asked.refusal === undefined ? {} : faultOf(asked.refusal)
  const isPasskeyFirst =
    options !== undefined && !asked.isSent && (await isFactorDemanded(request, signIn.userId))
  return page(request, asked, { ...refusal, ...wrong, passkeyOptions: options, isPasskeyFirst })
}

/** Whether the passkey is offered before the code, since a second factor is demanded. A recovery takes the code. */
async function isFactorDemanded({ deps, caller, flow }: StepRequest, userId: string): Promise<boolean> {
  if (await recoversPasskeys(deps, deps.db, { tenant: caller, userId }, flow)) return false
  return flow.isMfaRequired || demandsFactor(deps.db, caller, userId)
}

/**
 * Whether nothing weaker than a passkey is taken of who has one: by an application that demands it, and by the account page, which
 * nobody must change who has got hold of a code. A recovery takes the code before it leads to a new passkey.
 */
async function isPasskeyAsked({ deps, caller, flow }: StepRequest, userId: string): Promise<boolean> {
  const isOfAccountPage = isAccountPage(flow.applicationId) && flow.isMfaRequired
  if (!demandsPasskey(flow.claims) && !isOfAccountPage) return false
  return !(await recoversPasskeys(deps, deps.db, { tenant: caller, userId }, flow))
}

/** Whether a code can be asked of the user. */
async function hasCodes({ deps, caller }: StepRequest, userId: string): Promise<boolean> {
  const { connection, enrolledMethod } = await getTotpUser(deps.db, caller, userId)
  return connection.active && enrolledMethod !== null
}

async function isPending({ deps, caller }: StepRequest, signIn: WaitingForPasskey): Promise<boolean> {
  return (await findPendingSignIn(deps, deps.db, caller, signIn)) !== undefined
}

/** For who has no passkey that will do here: another sign-in may take less. */
async function anew({ deps, flow }: StepRequest): Promise<StepOutcome> {
  await beginAnew(deps, flow, 'totp')
  return 'moved'
}

/** For who does not use the passkey that the application takes alone: it is told so. */
async function cancel(request: StepRequest): Promise<StepOutcome> {
  if (demandingApplication(request) === undefined) return 'moved'
  const { deps, caller, flow } = request
  const answer = await refuseApplication(deps, caller, flow, 'passkey')
  return answer === undefined ? 'over' : { answer }
}

/** The name of an application that takes a passkey alone; the account page has a link in place of the button. */
function demandingApplication({ flow }: StepRequest): string | undefined {
  return demandsPasskey(flow.claims) && !isAccountPage(flow.applicationId) ? flow.applicationName : undefined
}

async function passkey(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller, flow, form } = request
  const signIn = signInOf(request)
  if (signIn === undefined) return 'over'
  const sent = { credential: request.field('credential'), csrf: form.csrf, isVerificationRequired: false }
  const proof = await guess(
    request,
    () => provePasskey(deps, flow, { ...sent, purpose: 'passkey_second_factor' }),
    (proved) => 'proved' in proved,
  )
  const refused = await passByPasskey(deps, caller, flow, signIn, proof)
  if (refused === undefined || refused === 'sign_in_over' || refused === 'flow_over') return 'moved'
  const next = { ...request, flow: { ...flow, passkeyAttempt: flow.passkeyAttempt + 1 } }
  const shown = await show(next, { fault: 'passkey_refused' })
  return shown === undefined ? 'over' : { status: 422, page: shown }
}

/** Takes a recovery code in place of the passkey, which another one is added by. */
async function recoveryCode(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller } = request
  const flow = userFlowOf(request)
  if (flow === undefined) return 'over'
  const refuse = async (status: number, wrong: Wrong): Promise<StepOutcome> => {
    const shown = await show(request, wrong)
    return shown === undefined ? 'over' : { ...wrong, status, page: shown }
  }
  const code = request.field('code').trim()
  if (code === '') return refuse(422, { fault: 'missing' })
  const used = await guess(
    request,
    () => usePasskeyCode(deps, caller, flow, code),
    (outcome) => outcome === 'used',
  )
  if (used === 'used' || used === 'over') return 'moved'
  return used === 'wrong' ? refuse(422, { fault: 'wrong_code' }) : refuse(429, { fault: 'too_many', ...used })
}

async function totp(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller } = request
  const signIn = signInOf(request)
  const asked = signIn && (await findFlowChallenge(deps, caller, signIn))
  if (asked === undefined || signIn === undefined) return 'over'
  const passkeyOptions = await findSecondFactorOptions(deps, caller, request.flow, request.form.csrf)
  const refuse = (status: number, wrong: Wrong) => ({
    ...wrong,
    status,
    page: page(request, asked, { ...wrong, passkeyOptions }),
  })
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
type Shown = Wrong & Pick<Parameters<typeof totpPage>[0], 'passkeyOptions' | 'isPasskeyFirst'>

function faultOf(error: ApiError): Wrong {
  const wait = waitOf(error)
  return wait === undefined ? { fault: 'not_sent' } : { fault: 'too_many_messages', ...wait }
}

function page(request: StepRequest, { method, sentTo, isSent }: FlowChallenge, wrong: Shown): string {
  const { frame, form } = request
  const way = request.query('way') === 'recovery' ? 'recovery' : method === 'sms' ? 'sms' : 'app'
  const shownTo = way === 'sms' && isSent ? sentTo : null
  const applicationName = demandingApplication(request)
  return totpPage({ frame, form, way, sentTo: shownTo, applicationName, fault: undefined, ...wrong })
}
