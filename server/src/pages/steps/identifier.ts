import { email } from '@portico/contract/fields'
import { moveFlowAlone } from '../../flows/step.js'
import { findWays, type Ways } from '../../flows/ways.js'
import { logEvent } from '../../log-events/log-event.js'
import { mailLinkOfFlow } from '../../magic-link/flow-link.js'
import { isEmailDomainAllowed } from '../../sessions/complete-sign-in.js'
import { normalizeEmail } from '../../users/email.js'
import { errorPage } from '../error.js'
import { identifierPage } from '../identifier.js'
import { waitOf } from './limit.js'
import type { StepOutcome, StepPage, StepScene } from './step-page.js'

/** Where the address is asked for. What comes next, the organization decides, and never the address. */
export const identifierStep: StepPage = {
  show: async (scene) => {
    const ways = await findWays(scene.deps, scene.flow)
    return wayOf(scene, ways) === undefined ? noWay(scene) : page(scene, ways, scene.flow.email ?? '')
  },
  actions: { identify },
}

async function identify(scene: StepScene): Promise<StepOutcome> {
  const { deps, flow } = scene
  const ways = await findWays(deps, flow)
  const typed = scene.field('email').trim()
  const way = wayOf(scene, ways)
  if (way === undefined) return { status: 409, page: noWay(scene) }
  const refuse = (fault: 'missing' | 'invalid' | 'not_allowed') => ({
    status: 422,
    page: page(scene, ways, typed, { fault }),
  })
  if (typed === '') return refuse('missing')
  if (!email().safeParse(typed).success) return refuse('invalid')
  const normalized = normalizeEmail(typed)
  if (!isEmailDomainAllowed(ways.allowedEmailDomains, normalized)) return refuse('not_allowed')
  if (way === 'magic_link') return mailLink(scene, ways, typed)
  const isMoved = await moveFlowAlone(deps, flow, {
    from: ['identifier'],
    to: 'password',
    set: { email: typed, email_normalized: normalized },
  })
  if (isMoved) await logStarted(scene, typed)
  return 'moved'
}

async function mailLink(scene: StepScene, ways: Ways, typed: string): Promise<StepOutcome> {
  const { deps, caller, flow, ip } = scene
  try {
    const isMoved = await mailLinkOfFlow(deps, caller, { flow, email: typed, purpose: 'sign_in', ip })
    if (isMoved) await logStarted(scene, typed)
    return 'moved'
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return { status: 429, page: page(scene, ways, typed, { fault: 'too_many', ...wait }), ...wait }
  }
}

/** With the address that somebody has typed: a request of an application alone, which anybody can send, is in no log. */
function logStarted({ deps, caller, flow }: StepScene, typed: string): Promise<void> {
  return logEvent(deps, deps.db, {
    accountId: flow.accountId,
    environment: flow.environment,
    organizationId: flow.organizationId,
    domain: flow.domain,
    code: 'END_USER_SIGN_IN_STARTED',
    clientId: flow.applicationId,
    email: typed,
    requestId: caller.cause.requestId,
  })
}

/**
 * How users of the organization sign in: by password where they can, unless the application would like links. Identity
 * providers, which the domain of an address decides, will have their place here.
 */
function wayOf({ flow }: StepScene, { hasPassword, hasLink }: Ways): 'password' | 'magic_link' | undefined {
  if (hasPassword && hasLink) return flow.preferredWay ?? 'password'
  if (hasPassword) return 'password'
  return hasLink ? 'magic_link' : undefined
}

function page(
  { frame, form, flow }: StepScene,
  { maySignUp }: Ways,
  address: string,
  wrong: Partial<Pick<Parameters<typeof identifierPage>[0], 'fault' | 'retryAfterSeconds'>> = {},
): string {
  const { applicationName } = flow
  return identifierPage({
    frame,
    form,
    email: address,
    maySignUp,
    applicationName,
    fault: undefined,
    ...wrong,
  })
}

function noWay({ frame }: StepScene): string {
  return errorPage(frame, frame.texts.noWayToSignIn)
}
