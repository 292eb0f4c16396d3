import { ApiError } from '../../platform/errors.js'
import {
  enrollInFlow,
  findEnrollmentOfFlow,
  mayEnroll,
  validateInFlow,
} from '../../sign-in/totp/enroll-in-flow.js'
import type { EnrollingFlow } from '../../sign-in/totp/replace-recovery-codes.js'
import { getTotpUser, type TotpUser } from '../../sign-in/totp/totp-user.js'
import { enrollCodePage, enrollPage } from '../views/enroll.js'
import { recoveryCodesPage } from '../views/recovery-codes.js'
import { guess } from './guess.js'
import { waitOf } from './limit.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { onceShown, userFlowOf } from './user-flow.js'

/** The step of a user without a second factor, where the application requires one. */
export const enrollStep: StepPage = { show: (scene) => page(scene), actions: { enroll, validate } }

async function enroll(scene: StepRequest): Promise<StepOutcome> {
  const { deps, caller } = scene
  const flow = userFlowOf(scene)
  if (flow === undefined) return 'over'
  try {
    const enrollment = await enrollInFlow(deps, caller, flow)
    if (enrollment === undefined) return 'moved'
    const user = await getTotpUser(deps.db, caller, flow.userId)
    return { status: 200, page: codePage(scene, user, enrollment.uri) }
  } catch (error) {
    return refuseOf(scene, error)
  }
}

/** Answers a failed enrolment with a page when the user can do something about it. */
async function refuseOf(scene: StepRequest, error: unknown): Promise<StepOutcome> {
  if (!(error instanceof ApiError)) throw error
  const wait = waitOf(error)
  if (wait !== undefined) return refuse(scene, 429, { fault: 'too_many_messages', ...wait })
  if (error.code === 'phone_number_missing') return refuse(scene, 422, { fault: 'no_phone' })
  if (error.code === 'phone_number_not_allowed') return refuse(scene, 422, { fault: 'not_sent' })
  if (['totp_enrollment_taken', 'totp_inactive', 'user_not_found'].includes(error.code)) return 'over'
  throw error
}

async function validate(scene: StepRequest): Promise<StepOutcome> {
  const { deps, caller, frame, form } = scene
  const flow = userFlowOf(scene)
  if (flow === undefined) return 'over'
  const code = scene.field('code').replace(/\s/g, '')
  if (code === '') return showAgain(scene, flow, 'missing')
  const outcome = await guess(
    scene,
    () => validateInFlow(deps, caller, flow, code),
    (validated) => typeof validated !== 'string',
  )
  if (outcome === 'over') return refuse(scene, 422, { fault: 'over' })
  if (outcome === 'wrong') return showAgain(scene, flow, 'wrong_code')
  const codes = outcome.recoveryCodes
  return { status: 200, page: recoveryCodesPage({ frame: onceShown(frame), form, codes }) }
}

/** Shows the same secret again while it waits for its first code. */
async function showAgain(
  scene: StepRequest,
  flow: EnrollingFlow,
  fault: 'missing' | 'wrong_code',
): Promise<StepOutcome> {
  const pending = await findEnrollmentOfFlow(scene.deps, scene.caller, flow)
  if (pending === undefined) return refuse(scene, 422, { fault: 'over' })
  return { status: 422, page: codePage(scene, pending.user, pending.uri, fault) }
}

type Wrong = Partial<Pick<Parameters<typeof enrollPage>[0], 'fault' | 'retryAfterSeconds'>>

async function refuse(scene: StepRequest, status: number, wrong: Wrong): Promise<StepOutcome> {
  const shown = await page(scene, wrong)
  return shown === undefined ? 'over' : { status, page: shown, retryAfterSeconds: wrong.retryAfterSeconds }
}

async function page(scene: StepRequest, wrong: Wrong = {}): Promise<string | undefined> {
  const { deps, caller, frame, form } = scene
  const flow = userFlowOf(scene)
  if (flow === undefined) return undefined
  const user = await getTotpUser(deps.db, caller, flow.userId)
  if (!mayEnroll(user)) return undefined
  const { method } = user.connection
  const noPhone = method === 'sms' && user.phoneNumber === null ? 'no_phone' : undefined
  return enrollPage({ frame, form, method, sentTo: sentToOf(user), fault: noPhone, ...wrong })
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
