import { pathId } from '@portico/contract/fields'
import { ApiError } from '../../platform/errors.js'
import {
  acknowledgeOwnRecoveryCodes,
  beginOwnEnrollment,
  removeOwnSecondFactor,
  renewOwnRecoveryCodes,
  validateOwnEnrollment,
} from '../../sign-in/own-account/own-second-factor.js'
import { findPendingEnrollment } from '../../sign-in/totp/enroll-in-flow.js'
import { getTotpUser, type TotpUser } from '../../sign-in/totp/totp-user.js'
import { guess } from '../steps/guess.js'
import { waitOf } from '../steps/limit.js'
import { onceShown } from '../steps/user-flow.js'
import { secondFactorPage, type SecondFactorFault } from '../views/account-second-factor.js'
import { enrollCodePage } from '../views/enroll.js'
import { recoveryCodesPage } from '../views/recovery-codes.js'
import type { Section, SectionAnswer, SectionOutcome, SectionRequest } from './section.js'

/** The second factor of the user: to enrol one, to replace or remove it, and new recovery codes. */
export const secondFactorSection: Section = {
  needsFresh: true,
  // Writing recovery codes down may take longer, and a new sign-in would show others.
  actionsAnytime: ['acknowledge'],
  show: (request) => page(request),
  actions: { enroll, validate, new_codes: newCodes, acknowledge, remove },
}

async function enroll(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session } = request
  try {
    const begun = await beginOwnEnrollment(deps, tenant, session)
    if (begun === 'stale') return 'stale'
    const user = await getTotpUser(deps.db, tenant, session.userId)
    return { status: 200, page: codePage(request, user, begun) }
  } catch (error) {
    const wait = waitOf(error)
    if (wait !== undefined) return refuse(request, 429, 'too_many_messages', wait)
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'phone_number_missing') return refuse(request, 422, 'no_phone')
    if (error.code === 'phone_number_not_allowed') return refuse(request, 422, 'not_sent')
    if (error.code === 'totp_inactive') return 'done'
    throw error
  }
}

async function validate(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field } = request
  const enrollmentId = EnrollmentId.parse(field('enrollment_id'))
  const code = field('code').replace(/\s/g, '')
  if (code === '') return showAgain(request, enrollmentId, 'missing')
  try {
    const outcome = await guess(
      request,
      () => validateOwnEnrollment(deps, tenant, session, { enrollmentId, code }),
      (validated) => typeof validated !== 'string',
    )
    if (outcome === 'stale') return 'stale'
    if (outcome === 'wrong') return await showAgain(request, enrollmentId, 'wrong_code')
    return codesPage(request, outcome.recoveryCodes)
  } catch (error) {
    const wait = waitOf(error)
    if (wait !== undefined) return refuse(request, 429, 'too_many', wait)
    if (!(error instanceof ApiError) || error.code !== 'totp_enrollment_not_found') throw error
    return refuse(request, 422, 'over')
  }
}

/** Shows the same secret again while it waits for its first code. */
async function showAgain(
  request: SectionRequest,
  enrollmentId: string,
  fault: 'missing' | 'wrong_code',
): Promise<SectionOutcome> {
  const { deps, tenant, session } = request
  const user = await getTotpUser(deps.db, tenant, session.userId)
  const pending = await findPendingEnrollment(deps, tenant, user, enrollmentId)
  if (pending === undefined) return refuse(request, 422, 'over')
  return { status: 422, page: codePage(request, user, { enrollmentId, uri: pending.uri }, fault) }
}

async function newCodes(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session } = request
  const codes = await renewOwnRecoveryCodes(deps, tenant, session)
  if (codes === 'stale') return 'stale'
  if (codes === undefined) return 'done'
  return codesPage(request, codes)
}

function codesPage({ deps, account, frame, form }: SectionRequest, codes: readonly string[]): SectionAnswer {
  const made = { codes, email: account.email, at: deps.now() }
  return { status: 200, page: recoveryCodesPage({ frame: onceShown(frame), form, of: 'phone', made }) }
}

async function acknowledge(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, frame, form, field } = request
  if (field('acknowledged') !== 'true') {
    const page = recoveryCodesPage({
      frame: onceShown(frame),
      form,
      of: 'phone',
      made: null,
      fault: 'not_acknowledged',
    })
    return { status: 422, page }
  }
  await acknowledgeOwnRecoveryCodes(deps, tenant, session)
  return 'done'
}

async function remove(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session } = request
  try {
    const outcome = await removeOwnSecondFactor(deps, tenant, session)
    return outcome === 'stale' ? 'stale' : 'done'
  } catch (error) {
    // Another tab was first.
    if (error instanceof ApiError && error.code === 'totp_enrollment_not_found') return 'done'
    throw error
  }
}

const EnrollmentId = pathId()

async function refuse(
  request: SectionRequest,
  status: number,
  fault: SecondFactorFault,
  wait: { readonly retryAfterSeconds?: number | undefined } = {},
): Promise<SectionOutcome> {
  return { status, page: await page(request, { fault, ...wait }), ...wait }
}

interface Wrong {
  readonly fault?: SecondFactorFault
  readonly retryAfterSeconds?: number | undefined
}

async function page(request: SectionRequest, wrong: Wrong = {}): Promise<string> {
  const { deps, tenant, session, frame, form, account, isDone } = request
  const { connection, enrolledMethod } = await getTotpUser(deps.db, tenant, session.userId)
  return secondFactorPage({
    frame,
    form,
    email: account.email,
    isOffered: connection.active,
    method: connection.method,
    enrolledMethod,
    mayRemove: !account.isSecondFactorDemanded,
    isDone,
    ...wrong,
  })
}

function codePage(
  { frame, form }: SectionRequest,
  { phoneNumber }: TotpUser,
  { enrollmentId, uri }: { readonly enrollmentId: string; readonly uri: string | null },
  fault?: 'missing' | 'wrong_code',
): string {
  const sentTo = uri === null && phoneNumber !== null ? `••• ${phoneNumber.slice(-2)}` : null
  const method = uri === null ? 'sms' : 'totp_mobile_app'
  return enrollCodePage({ frame: onceShown(frame), form, method, uri, sentTo, enrollmentId, fault })
}
