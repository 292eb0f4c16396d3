import type { Kysely, Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { ApiError } from '../../platform/errors.js'
import { ofUser, type Caller, type Tenant } from '../../platform/tenant.js'
import { grantedScope } from '../../tokens/scopes.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { findApplicationForSignIn } from '../../directory/applications/applications.js'
import { admit, refusalOf, type AdmissionRefused } from '../../directory/users/admit.js'
import { markEmailProved } from '../../directory/users/proved-email.js'
import { findUser, type SigningInUser } from '../../directory/users/signing-in-user.js'
import { callerAtPage, findFlow, type FlowKey } from '../flows/flow.js'
import { flowUrl } from '../flows/flow-url.js'
import { completeFactorOfLockedFlow, lockFlow } from '../flows/lock-flow.js'
import type { SignInMethods } from '../flows/sign-in-methods.js'
import { startFlow } from '../flows/start.js'
import { firstFactorSteps } from '../flows/step.js'
import { mailLinkOfFlow } from '../magic-link/flow-link.js'
import { givePasswordCode } from '../password/open-request.js'
import { setPasswordUrl } from '../password/own-page.js'
import { beginPasswordRequest } from '../password/request.js'
import { lockOpenInvitation, type ArrivedInvitation, type OpenInvitation } from './open-invitation.js'
import { logInvitation, reportRefusedInvitation } from './refused.js'

/** How the address of an invitation signs in, and the browser that has pressed the button of its page. */
interface Beginning {
  readonly arrived: ArrivedInvitation
  /** The connection whose identity provider is asked, if there is one. */
  readonly connectionId: string | undefined
  readonly methods: SignInMethods
  /** Whether the organization signs in by a social provider, which names the address itself. */
  readonly hasSocial: boolean
  /** Of the flow cookie. */
  readonly browserSecret: string
  /** The browser can make passkeys. */
  readonly isPasskeyCapable: boolean
  /** Of the browser; used only for limits. */
  readonly ip: string
  readonly requestId: string
}

/** Where the browser goes; or why nobody comes in by this invitation now, which stays pending. */
export type BegunInvitation =
  | { readonly redirectUrl: string }
  | { readonly refusal: 'dead' | 'no_method' | 'no_application' | AdmissionRefused['code'] }

/**
 * Begins the sign-in of an invitation. A URL that was mailed proves the mailbox: its user is made, and the invitation accepted, in
 * one transaction. With a URL that the API has returned a link is mailed first, as to everybody. An identity provider is asked
 * where the address belongs to one, whatever was proved.
 */
export async function beginInvitation(deps: Deps, beginning: Beginning): Promise<BegunInvitation> {
  const { arrived, connectionId, methods, hasSocial, requestId } = beginning
  const cause = { requestId, actor: { type: 'system', id: 'invitation_page' } as const, params: () => ({}) }
  const { record } = await change<{ record: Begun }>(deps, cause, async (trx) => {
    const open = await lockOpenInvitation(trx, arrived, deps.now())
    if (open === undefined) return { record: { refusal: 'dead' } }
    const caller = { ...callerAtPage(open, requestId), domain: open.domain }
    const application = await findApplication(trx, caller, open)
    if (application === undefined) return { record: await refuse(deps, trx, caller, open, 'no_application') }
    const canSignIn = connectionId !== undefined || isMailboxEnough(methods) || hasSocial
    if (!canSignIn) return { record: await refuse(deps, trx, caller, open, 'no_method') }
    return { record: await begin(deps, trx, { ...beginning, open, caller, ...application }) }
  })
  if ('refusal' in record || !record.isLinkNeeded) return record
  await mailLink(deps, beginning, record)
  return record
}

/** Whether the mailbox of an invitation leads in, to a link or to a first password. */
function isMailboxEnough({ hasLink, hasPassword }: SignInMethods): boolean {
  return hasLink || hasPassword
}

type Begun =
  | Extract<BegunInvitation, { refusal: string }>
  | {
      readonly redirectUrl: string
      readonly flow: FlowKey
      readonly open: OpenInvitation
      /** The mailbox is proved by a link that the flow mails. */
      readonly isLinkNeeded: boolean
    }

interface Opened extends Beginning {
  readonly open: OpenInvitation
  readonly caller: Caller & Tenant
  readonly applicationId: string
  readonly redirectUri: string
}

async function begin(deps: Deps, trx: Transaction<DB>, opened: Opened): Promise<Begun> {
  const { open, caller, connectionId, methods } = opened
  const { email, emailNormalized, isUrlReturned } = open
  // Somebody has the address by now, who signs in as ever: the invitation is not for them.
  const known = await findUser(trx, caller, emailNormalized)
  const isByMailbox = connectionId === undefined && known === undefined && isMailboxEnough(methods)
  const isProved = !isUrlReturned && isByMailbox
  const user = isProved ? await admitInvited(deps, trx, caller, email).catch(refusalOf) : undefined
  if (typeof user === 'string') return refuse(deps, trx, caller, open, user)
  const flow = await startFlowOf(deps, trx, opened)
  await logInvitation(deps, trx, caller, open, { code: 'END_USER_INVITATION_OPENED' })
  const at = flowUrl(deps.config.baseUrl, open.domain, flow.flowId)
  const redirectUrl = user === undefined ? at : await enter(deps, trx, opened, { flow, user, flowAt: at })
  const isLinkNeeded = isByMailbox && user === undefined
  return { redirectUrl, flow, open, isLinkNeeded }
}

/** The address at which the browser leaves the service in the end; undefined where the organization has no application. */
export async function findEndOfInvitation(
  { db }: Pick<Deps, 'db'>,
  open: OpenInvitation,
  requestId: string,
): Promise<string | undefined> {
  const tenant = { ...callerAtPage(open, requestId), domain: open.domain }
  return (await findApplication(db, tenant, open))?.endUri
}

function admitInvited(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  email: string,
): Promise<SigningInUser | undefined> {
  const id = newId()
  const proved = { emailVerified: true, isAddressProven: true }
  return admit(deps, trx, ofUser(tenant, id), { via: 'invitation', id, email, ...proved })
}

/** The application of the invitation, or, where that is gone, one that the organization can use; undefined without any. */
async function findApplication(
  db: Kysely<DB>,
  tenant: Tenant,
  { applicationId, redirectUri }: OpenInvitation,
): Promise<(Pick<Opened, 'applicationId' | 'redirectUri'> & { readonly endUri: string }) | undefined> {
  const wanted = { applicationId: applicationId ?? undefined, redirectUri: redirectUri ?? undefined }
  for (const requested of [wanted, { applicationId: undefined, redirectUri: undefined }]) {
    const found = await findApplicationForSignIn(db, tenant, requested).catch(asNoApplication)
    if (found === undefined) continue
    const { application, redirectUri: allowed } = found
    const endUri = application.initiate_login_uri ?? allowed
    return { applicationId: application.id, redirectUri: allowed, endUri }
  }
  return undefined
}

function asNoApplication(error: unknown): undefined {
  if (error instanceof ApiError && ['application_not_found', 'no_application'].includes(error.code))
    return undefined
  throw error
}

/** The application has not asked for this sign-in: at its end it begins one of its own, to which the session answers. */
function startFlowOf(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { open, connectionId, browserSecret, applicationId, redirectUri, isPasskeyCapable }: Opened,
): Promise<FlowKey> {
  return startFlow(deps, trx, {
    ...open,
    ...{ applicationId, redirectUri, browserSecret },
    issuer: 'organization',
    responseMode: 'query',
    ...{ state: null, nonce: null, codeChallenge: null, claims: null },
    scope: grantedScope(undefined),
    ...{ isMfaRequired: false, isConsentAsked: false, isSignInForced: false, preferredWay: null },
    connectionId: connectionId ?? null,
    sessionId: null,
    isIdpInitiated: true,
    accountFlowId: null,
    invitation: { invitationId: open.invitationId, isMailed: !open.isUrlReturned, isPasskeyCapable },
  })
}

interface Entering {
  readonly flow: FlowKey
  readonly user: SigningInUser
  /** The address of the flow. */
  readonly flowAt: string
}

/**
 * Passes the first factor of the flow by the mailbox. Where links sign nobody in, a password is made first.
 *
 * @returns The next address of the browser.
 */
async function enter(
  deps: Deps,
  trx: Transaction<DB>,
  { open, caller, methods, applicationId }: Opened,
  { flow, user, flowAt }: Entering,
): Promise<string> {
  const tenant = ofUser(caller, user.id)
  await markEmailProved(deps, trx, tenant, user)
  if (methods.hasLink) {
    const held = await lockFlow(deps, trx, flow, { steps: firstFactorSteps })
    if (held !== undefined)
      await completeFactorOfLockedFlow(deps, trx, held, {
        ...{ tenant, userId: user.id, isNew: user.isNew, amr: ['email'] },
      })
    return flowAt
  }
  const ownPage = setPasswordUrl(deps.config.baseUrl, open.domain)
  const destination = { applicationId, redirectUri: ownPage, state: null, nonce: null, codeChallenge: null }
  const { organizationId, emailNormalized: email } = open
  const { flowId } = flow
  const request = { organizationId, email, userId: user.id, destination, flowId }
  const { request_id: requestId } = await beginPasswordRequest(deps, trx, tenant, request)
  const code = await givePasswordCode(deps, trx, tenant, { requestId, email, userId: user.id })
  return code === undefined ? flowAt : `${ownPage}?${new URLSearchParams({ password_code: code }).toString()}`
}

/** Mails the link by which the mailbox is proved: to sign in, or, where links sign nobody in, to a password. */
async function mailLink(
  deps: Deps,
  { arrived, methods, browserSecret, ip, requestId }: Beginning,
  { flow: { flowId }, open }: Extract<Begun, { flow: FlowKey }>,
): Promise<void> {
  const { organizationDomain } = arrived
  const flow = await findFlow(deps, { organizationDomain, flowId, browserSecret })
  if (flow === undefined) return
  const caller = { ...callerAtPage(open, requestId), domain: open.domain }
  const purpose = methods.hasLink ? 'sign_in' : 'password'
  try {
    await mailLinkOfFlow(deps, caller, { flow, email: open.email, purpose, ip })
  } catch (error) {
    if (error instanceof ApiError)
      await change(deps, caller.cause, async (trx) => ({
        record: await reportRefusedInvitation(deps, trx, caller, open, error.code),
      }))
    throw error
  }
}

/** Tells of an invitation that lets nobody in now, and stays as it is. */
async function refuse<Reason extends string>(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  open: OpenInvitation,
  refusal: Reason,
): Promise<{ readonly refusal: Reason }> {
  await reportRefusedInvitation(deps, trx, tenant, open, refusal)
  return { refusal }
}
