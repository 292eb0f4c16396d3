import { isAccountPage } from '../../directory/account-page-client.js'
import { newPasskeyName } from '../frame/device-name.js'
import { ApiError } from '../../platform/errors.js'
import {
  enrollInFlow,
  findEnrollmentOfFlow,
  mayEnroll,
  mayEnrollBesides,
  mayPostponeEnrollment,
  postponeEnrollment,
  validateInFlow,
} from '../../sign-in/totp/enroll-in-flow.js'
import { beginAnew, refuseApplication } from '../../sign-in/flows/consent.js'
import type { Flow } from '../../sign-in/flows/flow.js'
import { holdsPasskey } from '../../sign-in/flows/holds-passkey.js'
import { findDemand } from '../../sign-in/flows/pending-sign-in.js'
import { recoversPasskeys } from '../../sign-in/flows/recovers-passkeys.js'
import { enrollPasskeyInFlow, findEnrollmentOptions } from '../../sign-in/passkeys/enroll-in-flow.js'
import type { EnrollingFlow } from '../../sign-in/totp/replace-recovery-codes.js'
import { getTotpUser, type TotpUser } from '../../sign-in/totp/totp-user.js'
import { demandsPasskey } from '../../tokens/acr.js'
import { enrollCodePage, enrollPage } from '../views/enroll.js'
import { guess } from './guess.js'
import { waitOf } from './limit.js'
import { newCodesPage } from './new-codes.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { onceShown, userFlowOf } from './user-flow.js'

/** The step of a user without a second factor, where the application or the organization demands one. */
export const enrollStep: StepPage = {
  show: (request) => page(request),
  actions: { enroll, validate, passkey, not_now: notNow, anew, cancel },
}

async function notNow(request: StepRequest): Promise<StepOutcome> {
  const flow = userFlowOf(request)
  if (flow === undefined) return 'over'
  if (await postponeEnrollment(request.deps, request.caller, flow)) return 'moved'
  return refuse(request, 422, { fault: 'not_now' })
}

/** For who has typed a recovery code in a browser that cannot make a passkey: another sign-in may be finished elsewhere. */
async function anew({ deps, flow }: StepRequest): Promise<StepOutcome> {
  await beginAnew(deps, flow, 'enroll')
  return 'moved'
}

/** For who does not set up what the application demands, or cannot make the passkey that it takes alone: it is told so. */
async function cancel({ deps, caller, flow }: StepRequest): Promise<StepOutcome> {
  if (!isOfApplication(flow)) return 'moved'
  const refusal = demandsPasskey(flow.claims) ? 'new_passkey' : 'enrollment'
  const answer = await refuseApplication(deps, caller, flow, refusal)
  return answer === undefined ? 'over' : { answer }
}

/** Whether an application demands the second factor, which is told of a refusal; the account page has nobody to tell. */
function isOfApplication({ isMfaRequired, applicationId }: Flow): boolean {
  return isMfaRequired && !isAccountPage(applicationId)
}

async function enroll(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller } = request
  const flow = userFlowOf(request)
  if (flow === undefined) return 'over'
  try {
    const enrollment = await enrollInFlow(deps, caller, flow)
    if (enrollment === undefined) return 'moved'
    const user = await getTotpUser(deps.db, caller, flow.userId)
    return { status: 200, page: codePage(request, user, enrollment.uri) }
  } catch (error) {
    return refuseOf(request, error)
  }
}

/** Answers a failed enrolment with a page when the user can do something about it. */
async function refuseOf(request: StepRequest, error: unknown): Promise<StepOutcome> {
  if (!(error instanceof ApiError)) throw error
  const wait = waitOf(error)
  if (wait !== undefined) return refuse(request, 429, { fault: 'too_many_messages', ...wait })
  if (error.code === 'phone_number_missing') return refuse(request, 422, { fault: 'no_phone' })
  if (error.code === 'phone_number_not_allowed') return refuse(request, 422, { fault: 'not_sent' })
  if (['totp_enrollment_taken', 'totp_inactive', 'user_not_found'].includes(error.code)) return 'over'
  throw error
}

async function validate(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller } = request
  const flow = userFlowOf(request)
  if (flow === undefined) return 'over'
  const code = request.field('code').replace(/\s/g, '')
  if (code === '') return showAgain(request, flow, 'missing')
  const outcome = await guess(
    request,
    () => validateInFlow(deps, caller, flow, code),
    (validated) => typeof validated !== 'string',
  )
  if (outcome === 'over') return refuse(request, 422, { fault: 'over' })
  if (outcome === 'wrong') return showAgain(request, flow, 'wrong_code')
  return newCodesPage(request, flow, 'phone', outcome.recoveryCodes)
}

async function passkey(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller, frame, form, field, userAgent } = request
  const flow = userFlowOf(request)
  if (flow === undefined) return 'over'
  const name = newPasskeyName(frame.texts, userAgent)
  const outcome = await guess(
    request,
    () => enrollPasskeyInFlow(deps, caller, flow, { credential: field('credential'), csrf: form.csrf, name }),
    (enrolled) => enrolled === 'added' || typeof enrolled === 'object',
  )
  if (outcome === 'added' || outcome === 'over') return 'moved'
  if (typeof outcome === 'object') return newCodesPage(request, flow, 'passkey', outcome.recoveryCodes)
  const next = { ...request, flow: { ...flow, passkeyAttempt: flow.passkeyAttempt + 1 } }
  return refuse(next, 422, { passkeyFault: outcome })
}

/** Shows the same secret again while it waits for its first code. */
async function showAgain(
  request: StepRequest,
  flow: EnrollingFlow,
  fault: 'missing' | 'wrong_code',
): Promise<StepOutcome> {
  const pending = await findEnrollmentOfFlow(request.deps, request.caller, flow)
  if (pending === undefined) return refuse(request, 422, { fault: 'over' })
  return { status: 422, page: codePage(request, pending.user, pending.uri, fault) }
}

type Wrong = Partial<Pick<Parameters<typeof enrollPage>[0], 'fault' | 'passkeyFault' | 'retryAfterSeconds'>>

async function refuse(request: StepRequest, status: number, wrong: Wrong): Promise<StepOutcome> {
  const shown = await page(request, wrong)
  return shown === undefined ? 'over' : { status, page: shown, retryAfterSeconds: wrong.retryAfterSeconds }
}

async function page(request: StepRequest, wrong: Wrong = {}): Promise<string | undefined> {
  const { deps, caller, frame, form } = request
  const flow = userFlowOf(request)
  if (flow === undefined) return undefined
  const user = await getTotpUser(deps.db, caller, flow.userId)
  const of = { tenant: caller, userId: user.id }
  if (!user.active || !(flow.amr.includes('mfa') || mayEnrollBesides(user))) return undefined
  if (flow.isRecoveryCodeUsed) return recoveryPage(request, flow, 'code', wrong)
  if (await recoversPasskeys(deps, deps.db, of, flow)) return recoveryPage(request, flow, 'operator', wrong)
  if (await holdsPasskey(deps, deps.db, of)) return undefined
  const passkeyOptions = await findEnrollmentOptions(deps, caller, flow, form.csrf)
  const isPasskeyOnly = demandsPasskey(flow.claims)
  const method = mayEnroll(user) && !isPasskeyOnly ? user.connection.method : undefined
  if (method === undefined && passkeyOptions === undefined) return undefined
  const noPhone = method === 'sms' && user.phoneNumber === null ? 'no_phone' : undefined
  const byApplication = isPasskeyOnly ? 'passkey_by_application' : 'by_application'
  const demanded = flow.isMfaRequired ? byApplication : await demandOf(request, flow.userId)
  const applicationName = isOfApplication(flow) ? flow.applicationName : undefined
  const sentTo = sentToOf(user)
  const shown = { frame, form, method, sentTo, passkeyOptions, applicationName }
  return enrollPage({ ...shown, demanded, fault: noPhone, ...wrong })
}

/** A recovery of passkeys adds a passkey, and nothing else. */
async function recoveryPage(
  { deps, caller, frame, form }: StepRequest,
  flow: EnrollingFlow,
  recoveredBy: 'operator' | 'code',
  wrong: Wrong,
): Promise<string | undefined> {
  const passkeyOptions = await findEnrollmentOptions(deps, caller, flow, form.csrf)
  if (passkeyOptions === undefined) return undefined
  const isPostponable = await mayPostponeEnrollment(deps, deps.db, caller, flow)
  const demanded = { recoveredBy, isPostponable }
  return enrollPage({ frame, form, method: undefined, sentTo: null, demanded, passkeyOptions, ...wrong })
}

/** Until when the user may put off what the organization demands; null: no longer. */
async function demandOf({ deps, caller }: StepRequest, userId: string): Promise<{ until: Date | null }> {
  const { enrollBy: until } = await findDemand(deps, deps.db, caller, userId)
  return { until: until !== null && until > deps.now() ? until : null }
}

function codePage(
  { frame, form }: StepRequest,
  user: TotpUser,
  uri: string | null,
  fault?: 'missing' | 'wrong_code',
): string {
  const method = uri === null ? 'sms' : 'totp_mobile_app'
  const sentTo = uri === null ? sentToOf(user) : null
  return enrollCodePage({ frame: onceShown(frame), form, method, uri, sentTo, fault })
}

function sentToOf({ connection, phoneNumber }: TotpUser): string | null {
  return connection.method === 'sms' && phoneNumber !== null ? `••• ${phoneNumber.slice(-2)}` : null
}
