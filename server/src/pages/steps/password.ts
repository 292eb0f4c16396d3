import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { findSignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import { mailLinkOfFlow } from '../../sign-in/magic-link/flow-link.js'
import type { LinkPurpose } from '../../platform/link-purpose.js'
import { signInByPassword } from '../../sign-in/password/sign-in.js'
import { passwordPage } from '../views/password.js'
import { guess } from './guess.js'
import { waitOf } from './limit.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'

/** Asks for the password of the address. */
export const passwordStep: StepPage = {
  show: (request) => page(request),
  actions: {
    password: (request) => takePassword(request, page),
    mail_link: (request) => mailLink(request, 'sign_in', page),
    forgot_password: (request) => mailLink(request, 'password', page),
    change_address: changeAddress,
  },
}

/** Longer input cannot be a password, and is refused before it is hashed. */
const maxPasswordBytes = 4096

/** Shows the page of a step once more, with what was wrong; undefined when the flow cannot continue. */
type ShowAgain = (request: StepRequest, wrong: Wrong) => Promise<string | undefined>

/** Takes the password of the flow's address. */
export async function takePassword(request: StepRequest, show: ShowAgain): Promise<StepOutcome> {
  const { deps, caller, flow } = request
  const plainText = request.field('password')
  if (flow.email === null) return 'over'
  if (plainText === '') return refuse(request, show, 422, { fault: 'missing' })
  if (Buffer.byteLength(plainText) > maxPasswordBytes) return refuse(request, show, 422, { fault: 'wrong' })
  try {
    const ofAddress = { ...flow, email: flow.email }
    const { isPassed, limit } = await guess(
      request,
      () => signInByPassword(deps, caller, ofAddress, plainText),
      (outcome) => outcome.isPassed,
    )
    if (isPassed) return 'moved'
    const { retryAfterSeconds } = limit
    if (retryAfterSeconds === undefined) return await refuse(request, show, 422, { fault: 'wrong' })
    // Addresses of nobody are locked as well, and a locked one is answered alike whatever the password.
    return await refuse(request, show, 429, { fault: 'too_many', retryAfterSeconds })
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return refuse(request, show, 429, { fault: 'too_many', ...wait })
  }
}

/** Mails a link to the flow's address. */
export async function mailLink(
  request: StepRequest,
  purpose: LinkPurpose,
  show: ShowAgain,
): Promise<StepOutcome> {
  const { deps, caller, flow, ip } = request
  if (flow.email === null) return 'over'
  try {
    await mailLinkOfFlow(deps, caller, { flow, email: flow.email, purpose, ip })
    return 'moved'
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return refuse(request, show, 429, { fault: 'too_many_mails', ...wait })
  }
}

async function changeAddress({ deps, flow }: StepRequest): Promise<StepOutcome> {
  await moveFlowAlone(deps, flow, { from: ['password'], to: 'identifier' })
  return 'moved'
}

type Wrong = Partial<Pick<Parameters<typeof passwordPage>[0], 'fault' | 'retryAfterSeconds'>>

async function refuse(
  request: StepRequest,
  show: ShowAgain,
  status: number,
  wrong: Wrong,
): Promise<StepOutcome> {
  const page = await show(request, wrong)
  return page === undefined ? 'over' : { status, page, retryAfterSeconds: wrong.retryAfterSeconds }
}

async function page(request: StepRequest, wrong: Wrong = {}): Promise<string> {
  const { deps, frame, form, flow } = request
  const { hasLink: mayMailLink } = await findSignInMethods(deps, flow)
  const isPasswordNew = request.query('password') === 'new'
  const email = flow.email ?? ''
  return passwordPage({ frame, form, email, mayMailLink, isPasswordNew, fault: undefined, ...wrong })
}
