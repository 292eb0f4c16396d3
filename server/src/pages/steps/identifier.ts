import { email } from '@portico/contract/fields'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { findWays, type Ways } from '../../sign-in/flows/ways.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { mailLinkOfFlow } from '../../sign-in/magic-link/flow-link.js'
import { isEmailDomainAllowed } from '../../directory/sessions/complete-sign-in.js'
import {
  connectionOfAddress,
  connectionsToChoose,
  findOpenConnections,
  type OpenConnection,
} from '../../sso/sign-in/connection-of-address.js'
import { normalizeEmail } from '../../platform/email.js'
import { errorPage } from '../frame/error.js'
import { identifierPage } from '../views/identifier.js'
import { waitOf } from './limit.js'
import type { StepOutcome, StepPage, StepScene } from '../frame/step-page.js'

/** Where the address is asked for. What comes next, the organization and the domain decide, and never whose address it is. */
export const identifierStep: StepPage = {
  show: async (scene) => {
    const ways = await findAllWays(scene)
    const isAny = wayOf(scene, ways) !== undefined || ways.connections.length > 0
    return isAny ? page(scene, ways, scene.flow.email ?? '') : noWay(scene)
  },
  actions: { identify, single_sign_on: signInByChosen },
}

/** The ways of the organization, with its identity providers. */
interface AllWays extends Ways {
  readonly connections: readonly OpenConnection[]
}

async function findAllWays({ deps, flow }: StepScene): Promise<AllWays> {
  const [ways, connections] = await Promise.all([findWays(deps, flow), findOpenConnections(deps, flow)])
  return { ...ways, connections }
}

async function identify(scene: StepScene): Promise<StepOutcome> {
  const { deps, flow } = scene
  const ways = await findAllWays(scene)
  const typed = scene.field('email').trim()
  const way = wayOf(scene, ways)
  if (way === undefined && ways.connections.length === 0) return { status: 409, page: noWay(scene) }
  const refuse = (fault: 'missing' | 'invalid' | 'not_allowed') => ({
    status: 422,
    page: page(scene, ways, typed, { fault }),
  })
  if (typed === '') return refuse('missing')
  if (!email().safeParse(typed).success) return refuse('invalid')
  const normalized = normalizeEmail(typed)
  if (!isEmailDomainAllowed(ways.allowedEmailDomains, normalized)) return refuse('not_allowed')
  const connection = connectionOfAddress(ways.connections, ways, normalized)
  if (connection !== undefined) return goTo(scene, connection, { email: typed, email_normalized: normalized })
  if (way === undefined) return refuse('not_allowed')
  if (way === 'magic_link') return mailLink(scene, ways, typed)
  const isMoved = await moveFlowAlone(deps, flow, {
    from: ['identifier'],
    to: 'password',
    set: { email: typed, email_normalized: normalized },
  })
  if (isMoved) await logStarted(scene, typed)
  return 'moved'
}

/** By a button: of the connections that are chosen so, and of no other. */
async function signInByChosen(scene: StepScene): Promise<StepOutcome> {
  const ways = await findAllWays(scene)
  const chosen = connectionsToChoose(ways.connections, ways)
  const connection = chosen.find(({ idpId }) => idpId === scene.field('idp_id'))
  if (connection !== undefined) return goTo(scene, connection)
  return { status: 422, page: page(scene, ways, scene.flow.email ?? '') }
}

async function goTo(
  { deps, flow }: StepScene,
  { connectionId }: OpenConnection,
  address: { readonly email: string; readonly email_normalized: string } | Record<string, never> = {},
): Promise<StepOutcome> {
  const set = { ...address, connection_id: connectionId }
  await moveFlowAlone(deps, flow, { from: ['identifier'], to: 'identity_provider', set })
  return 'moved'
}

async function mailLink(scene: StepScene, ways: AllWays, typed: string): Promise<StepOutcome> {
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
 * How users of the organization sign in whose address belongs to no identity provider: by password where they can, unless
 * the application would like links.
 */
function wayOf({ flow }: StepScene, { hasPassword, hasLink }: Ways): 'password' | 'magic_link' | undefined {
  if (hasPassword && hasLink) return flow.preferredWay ?? 'password'
  if (hasPassword) return 'password'
  return hasLink ? 'magic_link' : undefined
}

function page(
  { frame, form, flow }: StepScene,
  ways: AllWays,
  address: string,
  wrong: Partial<Pick<Parameters<typeof identifierPage>[0], 'fault' | 'retryAfterSeconds'>> = {},
): string {
  const { applicationName } = flow
  const connections = connectionsToChoose(ways.connections, ways)
  return identifierPage({
    frame,
    form,
    email: address,
    maySignUp: ways.maySignUp,
    connections,
    applicationName,
    fault: undefined,
    ...wrong,
  })
}

function noWay({ frame }: StepScene): string {
  return errorPage(frame, frame.texts.noWayToSignIn)
}
