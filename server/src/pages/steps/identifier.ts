import { passkeyHint } from '@portico/contract/authorize'
import { email } from '@portico/contract/fields'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { findSignInMethods, methodOf, type SignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { mailLinkOfFlow } from '../../sign-in/magic-link/flow-link.js'
import { isAccountPage } from '../../directory/account-page-client.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import {
  connectionOfAddress,
  connectionsToChoose,
  findOpenConnections,
  type OpenConnection,
} from '../../sso/sign-in/connection-of-address.js'
import { findOpenProviders, type OpenProvider } from '../../sso/social/open-providers.js'
import { normalizeEmail } from '../../platform/email.js'
import { findRequestOptions } from '../../sign-in/passkeys/prove-passkey.js'
import { signInByPasskey } from '../../sign-in/passkeys/sign-in.js'
import { errorPage } from '../frame/error.js'
import { identifierPage } from '../views/identifier.js'
import { waitOf } from './limit.js'
import { proveSentPasskey } from './sent-passkey.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'

/** Asks for the address. The next step depends on organization and domain, never on whether a user has the address. */
export const identifierStep: StepPage = {
  show: async (request) => {
    const methods = await findAllMethods(request)
    return isAnyOf(request, methods) ? page(request, methods, request.flow.email ?? '') : noMethod(request)
  },
  actions: { identify, single_sign_on: signInByChosen, passkey, social: signInByProvider },
}

/** The sign-in methods of the organization, with its identity and social providers. */
interface AllMethods extends SignInMethods {
  readonly connections: readonly OpenConnection[]
  readonly socialProviders: readonly OpenProvider[]
}

async function findAllMethods({ deps, flow }: StepRequest): Promise<AllMethods> {
  const [methods, connections, socialProviders] = await Promise.all([
    findSignInMethods(deps, flow),
    findOpenConnections(deps, flow),
    findOpenProviders(deps, flow),
  ])
  return { ...methods, connections, socialProviders }
}

function isAnyOf({ flow }: StepRequest, methods: AllMethods): boolean {
  return (
    methodOf(methods, flow.preferredWay) !== undefined ||
    methods.hasPasskey ||
    methods.connections.length + methods.socialProviders.length > 0
  )
}

async function identify(request: StepRequest): Promise<StepOutcome> {
  const { deps, flow } = request
  const methods = await findAllMethods(request)
  const typed = request.field('email').trim()
  const method = methodOf(methods, request.flow.preferredWay)
  if (!isAnyOf(request, methods)) return { status: 409, page: noMethod(request) }
  const refuse = (fault: 'missing' | 'invalid' | 'not_allowed' | 'passkey_only') => ({
    status: 422,
    page: page(request, methods, typed, { fault }),
  })
  if (typed === '') return refuse('missing')
  if (!email().safeParse(typed).success) return refuse('invalid')
  const normalized = normalizeEmail(typed)
  if (!isEmailDomainAllowed(methods.allowedEmailDomains, normalized)) return refuse('not_allowed')
  const connection = connectionOfAddress(methods.connections, methods, normalized)
  if (connection !== undefined)
    return goTo(request, connection, { email: typed, email_normalized: normalized })
  if (method === undefined) return refuse(methods.hasPasskey ? 'passkey_only' : 'not_allowed')
  if (method === 'magic_link') return mailLink(request, methods, typed)
  const isMoved = await moveFlowAlone(deps, flow, {
    from: ['identifier'],
    to: 'password',
    set: { email: typed, email_normalized: normalized },
  })
  if (isMoved) await logStarted(request, typed)
  return 'moved'
}

/** Signs in by the button of a connection; only connections that are chosen by button count. */
async function signInByChosen(request: StepRequest): Promise<StepOutcome> {
  const methods = await findAllMethods(request)
  const chosen = connectionsToChoose(methods.connections, methods)
  const connection = chosen.find(({ idpId }) => idpId === request.field('idp_id'))
  if (connection !== undefined) return goTo(request, connection)
  return { status: 422, page: page(request, methods, request.flow.email ?? '') }
}

/** Signs in by a passkey, whosever it is. An address with an identity provider is sent there all the same. */
async function passkey(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller, flow } = request
  const methods = await findAllMethods(request)
  const proof = await proveSentPasskey(request)
  if ('proved' in proof) {
    const connection = connectionOfAddress(methods.connections, methods, proof.proved.emailNormalized)
    if (connection !== undefined) return goTo(request, connection)
  }
  const refused = await signInByPasskey(deps, caller, flow, proof)
  if (refused === undefined || refused === 'flow_over') return 'moved'
  const { passkeyAttempt } = flow
  const next = { ...request, flow: { ...flow, passkeyAttempt: passkeyAttempt + 1 } }
  return {
    status: 422,
    page: page(next, methods, flow.email ?? '', {
      fault: refused === 'passkey_of_other_organization' ? 'passkey_elsewhere' : 'passkey_refused',
    }),
  }
}

/** Signs in by the button of a social provider. */
async function signInByProvider(request: StepRequest): Promise<StepOutcome> {
  const { deps, flow } = request
  const methods = await findAllMethods(request)
  const chosen = methods.socialProviders.find(({ name }) => name === request.field('provider'))
  if (chosen === undefined) return { status: 422, page: page(request, methods, flow.email ?? '') }
  const set = { social_provider_id: chosen.providerId }
  await moveFlowAlone(deps, flow, { from: ['identifier'], to: 'social_provider', set })
  return 'moved'
}

async function goTo(
  { deps, flow }: StepRequest,
  { connectionId }: OpenConnection,
  address: { readonly email: string; readonly email_normalized: string } | Record<string, never> = {},
): Promise<StepOutcome> {
  const set = { ...address, connection_id: connectionId }
  await moveFlowAlone(deps, flow, { from: ['identifier'], to: 'identity_provider', set })
  return 'moved'
}

async function mailLink(request: StepRequest, methods: AllMethods, typed: string): Promise<StepOutcome> {
  const { deps, caller, flow, ip } = request
  try {
    const isMoved = await mailLinkOfFlow(deps, caller, { flow, email: typed, purpose: 'sign_in', ip })
    if (isMoved) await logStarted(request, typed)
    return 'moved'
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return { status: 429, page: page(request, methods, typed, { fault: 'too_many', ...wait }), ...wait }
  }
}

/** Logs a sign-in once an address is typed: anybody can send an authorization request, so that is not logged. */
function logStarted({ deps, caller, flow }: StepRequest, typed: string): Promise<void> {
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

function page(
  request: StepRequest,
  methods: AllMethods,
  address: string,
  wrong: Partial<Pick<Parameters<typeof identifierPage>[0], 'fault' | 'retryAfterSeconds'>> = {},
): string {
  const { deps, frame, form, flow } = request
  const { applicationName } = flow
  const connections = connectionsToChoose(methods.connections, methods)
  return identifierPage({
    frame,
    form,
    email: address,
    maySignUp: methods.maySignUp,
    connections,
    socialProviders: methods.socialProviders,
    lastProvider: request.lastProvider,
    isAddressAsked:
      methodOf(methods, flow.preferredWay) !== undefined ||
      methods.connections.length > 0 ||
      methods.hasPasskey,
    isSocialDenied: request.query('social') === 'denied',
    applicationName,
    toAccount: isAccountPage(flow.applicationId) ? (flow.isSignInForced ? 'change' : 'visit') : undefined,
    // Not in the address of its forms, so that an answer to one asks for nothing.
    isPasskeyAsked: request.query('begin') === passkeyHint,
    passkeyOptions: methods.hasPasskey ? findRequestOptions(deps, flow, form.csrf) : undefined,
    fault: undefined,
    ...wrong,
  })
}

function noMethod({ frame, caller }: StepRequest): string {
  return errorPage(frame, frame.texts.noWayToSignIn, { reference: caller.cause.requestId })
}
