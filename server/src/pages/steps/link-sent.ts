import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { findPurposeOfFlow, mailLinkOfFlow } from '../../sign-in/magic-link/flow-link.js'
import { verifyLinkCode } from '../../sign-in/magic-link/verify-link-code.js'
import { errorPage } from '../frame/error.js'
import { linkSentPage } from '../views/link-sent.js'
import { guess } from './guess.js'
import { waitOf } from './limit.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { onceShown } from './user-flow.js'

/** The step after a link was mailed: it is opened in this browser, or in another one that shows a code to type here. */
export const linkSentStep: StepPage = {
  show: (request) => page(request),
  actions: { link_code: linkCode, resend, change_address: changeAddress },
}

async function linkCode(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller, flow } = request
  const typed = request.field('code')
  if (typed.trim() === '') return refuse(request, 422, { fault: 'wrong_code' })
  const outcome = await guess(
    request,
    () => verifyLinkCode(deps, caller, { flow, typed }),
    (passed) => passed === 'passed' || passed === 'no_seat',
  )
  if (outcome === 'passed') return 'moved'
  if (outcome === 'no_seat') return { status: 403, page: noSeat(request) }
  return refuse(request, 422, { fault: outcome === 'wrong' ? 'wrong_code' : 'code_over' })
}

function noSeat({ frame, caller }: StepRequest): string {
  return errorPage(onceShown(frame), frame.texts.noSeat, { reference: caller.cause.requestId })
}

async function resend(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller, flow, ip } = request
  const purpose = await findPurposeOfFlow(deps, flow)
  if (flow.email === null || purpose === undefined) return 'over'
  try {
    const isSent = await mailLinkOfFlow(deps, caller, { flow, email: flow.email, purpose, ip })
    return isSent ? await refuse(request, 200, { isResent: true }) : 'moved'
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return refuse(request, 429, { fault: 'too_many_mails', ...wait })
  }
}

async function changeAddress({ deps, flow }: StepRequest): Promise<StepOutcome> {
  await moveFlowAlone(deps, flow, { from: ['link_sent'], to: 'identifier' })
  return 'moved'
}

type Notice = Partial<Pick<Parameters<typeof linkSentPage>[0], 'fault' | 'isResent' | 'retryAfterSeconds'>>

async function refuse(request: StepRequest, status: number, notice: Notice): Promise<StepOutcome> {
  const { retryAfterSeconds } = notice
  const shown = (await page(request, notice)) ?? ''
  return { status, page: shown, retryAfterSeconds }
}

/** Undefined when no link was mailed, which no step allows. */
async function page(request: StepRequest, notice: Notice = {}): Promise<string | undefined> {
  const { deps, frame, form, flow } = request
  const purpose = await findPurposeOfFlow(deps, flow)
  if (flow.email === null || purpose === undefined) return undefined
  const isCodeAsked = flow.isLinkCodeShown && notice.fault !== 'code_over' && notice.isResent !== true
  return linkSentPage({ frame, form, email: flow.email, purpose, isCodeAsked, ...notice })
}
