import { email as emailField } from '@portico/contract/fields'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { mailAddressCode, verifyAddressCode } from '../../sso/social/prove-address.js'
import { errorPage } from '../frame/error.js'
import { proveAddressPage } from '../views/prove-address.js'
import { guess } from './guess.js'
import { waitOf } from './limit.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { onceShown } from './user-flow.js'

/** The step after a social provider that does not assert an address as its own: a code is mailed to it. */
export const proveAddressStep: StepPage = {
  show: (request) => Promise.resolve(page(request)),
  actions: { name_address: nameAddress, address_code: takeCode, resend, change_address: changeAddress },
}

async function nameAddress(request: StepRequest): Promise<StepOutcome> {
  const typed = request.field('email').trim()
  if (typed === '') return refuse(request, 422, { fault: 'missing' })
  if (!emailField().safeParse(typed).success) return refuse(request, 422, { fault: 'invalid', typed })
  return mail(request, typed)
}

async function resend(request: StepRequest): Promise<StepOutcome> {
  return request.flow.email === null ? 'over' : mail(request, request.flow.email, true)
}

async function mail(request: StepRequest, email: string, isResent = false): Promise<StepOutcome> {
  const { deps, caller, flow, ip } = request
  try {
    const outcome = await mailAddressCode(deps, caller, { flow, email, ip })
    if (outcome === 'not_allowed') return refuse(request, 422, { fault: 'not_allowed', typed: email })
    if (outcome === 'over') return 'over'
    return outcome === 'sent' && isResent ? refuse(request, 200, { isResent }) : 'moved'
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return refuse(request, 429, { fault: 'too_many_mails', typed: email, ...wait })
  }
}

async function takeCode(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller, flow } = request
  const typed = request.field('code')
  if (typed.trim() === '') return refuse(request, 422, { fault: 'wrong_code' })
  try {
    const outcome = await guess(
      request,
      () => verifyAddressCode(deps, caller, { flow, typed }),
      (passed) => passed === 'passed' || passed === 'refused',
    )
    if (outcome === 'passed') return 'moved'
    if (outcome === 'over') return 'over'
    if (outcome === 'refused') return { status: 403, page: refused(request) }
    return refuse(request, 422, { fault: outcome === 'wrong' ? 'wrong_code' : 'code_over' })
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return refuse(request, 429, { fault: 'too_many', ...wait })
  }
}

async function changeAddress({ deps, flow }: StepRequest): Promise<StepOutcome> {
  await moveFlowAlone(deps, flow, { from: ['prove_address'], to: 'identifier' })
  return 'moved'
}

function refused({ frame, caller }: StepRequest): string {
  return errorPage(onceShown(frame), frame.texts.socialRefused, { reference: caller.cause.requestId })
}

type Notice = Partial<
  Pick<Parameters<typeof proveAddressPage>[0], 'fault' | 'isResent' | 'retryAfterSeconds' | 'typed'>
>

function refuse(request: StepRequest, status: number, notice: Notice): StepOutcome {
  return { status, page: page(request, notice), retryAfterSeconds: notice.retryAfterSeconds }
}

function page({ frame, form, flow }: StepRequest, notice: Notice = {}): string {
  return proveAddressPage({ frame, form, email: flow.email, ...notice })
}
