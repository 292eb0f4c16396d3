import { askToJoin, enterAsMember, findJoinState } from '../../sign-in/joining/join-step.js'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { errorPage } from '../frame/error.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { joinPage, type JoinPage } from '../views/join.js'
import { waitOf } from './limit.js'

/** The address is proved, and no user has it: its owner asks to join the organization. */
export const joinStep: StepPage = {
  show,
  actions: { ask, enter, change_address: changeAddress },
}

async function show(request: StepRequest): Promise<string | undefined> {
  const { deps, flow, caller } = request
  if (flow.email === null) return undefined
  const state = await findJoinState(deps, caller, flow.email)
  return state === undefined ? closed(request) : page(request, flow.email, { state })
}

async function ask(request: StepRequest): Promise<StepOutcome> {
  const { deps, flow, caller, frame } = request
  try {
    const outcome = await askToJoin(deps, caller, { flow, locale: frame.texts.lang })
    if (outcome === 'closed') return { status: 409, page: closed(request) }
    return outcome === 'over' ? 'over' : 'moved'
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    const shown = page(request, flow.email ?? '', { state: 'open', ...wait })
    return { status: 429, page: shown, ...wait }
  }
}

/** The user is there: the page is shown anew where they may not sign in so. */
async function enter(request: StepRequest): Promise<StepOutcome> {
  const { deps, flow, caller } = request
  const isIn = await enterAsMember(deps, caller, flow)
  return isIn ? 'moved' : { status: 409, page: closed(request) }
}

async function changeAddress({ deps, flow }: StepRequest): Promise<StepOutcome> {
  await moveFlowAlone(deps, flow, { from: ['join'], to: 'identifier' })
  return 'moved'
}

function page(
  { frame, form }: StepRequest,
  email: string,
  shown: Pick<JoinPage, 'state' | 'retryAfterSeconds'>,
): string {
  return joinPage({ frame, form, email, ...shown })
}

/** Nobody with the address joins so any more, or a user has it by now, who signs in. */
function closed({ frame, caller }: StepRequest): string {
  return errorPage(frame, frame.texts.joinClosed, { reference: caller.cause.requestId })
}
