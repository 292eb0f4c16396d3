import { demandsPasskey } from '../../tokens/acr.js'
import type { AuthorizationRequest } from '@portico/contract/authorize'
import type { Kysely, Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { limit, networkKey } from '../../delivery/limits/limits.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { findBrowserSession, noteUse, type BrowserSession } from '../../directory/sessions/browser-session.js'
import type { OrganizationUse, UsedAccount } from '../../directory/sessions/used-organizations.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import { ofUser, type Caller } from '../../platform/tenant.js'
import type { ProvedAddress } from '../../sign-in/account-flows/email-session.js'
import { passByProof } from '../../sign-in/account-flows/enter.js'
import type { CreatedBy } from '../../sign-in/account-flows/entries.js'
import { callerAtPage, type FlowKey } from '../../sign-in/flows/flow.js'
import { holdsPasskey } from '../../sign-in/flows/holds-passkey.js'
import type { SignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import { skipFactors, skipFirstFactor, startFlow, type NewFlow } from '../../sign-in/flows/start.js'
import { moveFlow } from '../../sign-in/flows/step.js'
import type { ProvedPasskey } from '../../sign-in/passkeys/prove-passkey.js'
import { signInByPasskey } from '../../sign-in/passkeys/sign-in.js'
import { findOpenConnections } from '../../sso/sign-in/connection-of-address.js'
import { findOpenProviders, type OpenProvider } from '../../sso/social/open-providers.js'
import { grantedScope } from '../../tokens/scopes.js'
import type { AccountSession } from './account-sessions.js'
import {
  hintedEmail,
  hintedMethod,
  isPasskeyHinted,
  toFirstPage,
  type AuthorizationFault,
} from './authorization-request.js'
import type { AuthorizingClient } from './authorizing-client.js'
import { isAcrUnknown } from './requested-acr.js'
import { toRequestedClaims } from './requested-claims.js'
import { issueSessionCode } from './session-code.js'
import {
  type SignInRequirements,
  isReauthenticationRequired,
  requirementsAt,
  sessionFit,
  type HintedRequest,
} from './session-fit.js'

/** Sign-ins started by browsers, by network. */
export const flowsOfNetwork = limit('ip-flow', {
  windowSeconds: 15 * 60,
  most: (settings) => settings.flowsPerIp,
})

/** The browser of a request, as a decision at an organization needs it. */
export interface DecidingBrowser {
  /** A top-level navigation, not a background load by another page. */
  readonly isNavigation: boolean
  /** Of the flow cookie, existing or new. */
  readonly browserSecret: string
  /** The client's address, only for rate limits. */
  readonly ip: string
  /** Reads the session cookie of an organization and environment. */
  readonly findSessionSecret: (
    owner: Pick<AuthorizingClient, 'organizationId' | 'environment'>,
  ) => string | undefined
  readonly requestId: string
}

/** The organization at which the user of a request signs in. */
export interface OrganizationPlace {
  readonly client: AuthorizingClient
  /** The session that has decided it, if any. */
  readonly found?: AccountSession
  /** The connection whose identity provider is asked at once. */
  readonly connectionId?: string | undefined
  /** The choice of an organization on the account's pages. */
  readonly entering?: Entering
}

/** A choice on the account's pages. */
export interface Entering {
  /** Null where the choice was made by the API. */
  readonly accountFlowId: string | null
  /** Undefined where the address was only typed. */
  readonly proof: ProvedAddress | undefined
  /** The proof is of an earlier sign-in: a stranger at an unattended browser must not enroll a second factor by it. */
  readonly isProofOlder: boolean
  /** Was used on the account's page; undefined where none was. */
  readonly passkey?: ProvedPasskey | undefined
  /** By what entering creates the user of this address; null where it does not. */
  readonly createdBy: CreatedBy | null
  readonly methods: SignInMethods
  /**
   * Consumes the secret that enters, in the transaction of the flow, so that what ends the sign-ins of the user either comes first
   * or finds the flow; undefined where there is none.
   *
   * @throws ApiError when another request was first, or the secret was ended.
   */
  readonly consume?: ((db: Kysely<DB>) => Promise<void>) | undefined
}

/** A use of an organization that the browser shall remember. */
export interface Remembered {
  readonly account: UsedAccount
  readonly use: OrganizationUse
}

/** What becomes of a request at an organization, or before one is known. */
export type Decision =
  | { readonly fault: AuthorizationFault }
  | { readonly code: string; readonly remembered?: Remembered | undefined }
  /** The page of a new flow. */
  | { readonly path: string }

/** Issues a code for the browser's session if that is sufficient; else begins a flow, unless no page may be shown. */
export async function decideAt(
  deps: Deps,
  browser: DecidingBrowser,
  place: OrganizationPlace,
  hinted: HintedRequest,
): Promise<Decision> {
  const { client, found } = place
  const { request } = hinted
  if (isAcrUnknown(request)) return { fault: unknownAcr }

  const secret = found?.secret ?? browser.findSessionSecret(client)
  const session =
    found?.session ??
    (secret === undefined ? undefined : await findBrowserSession(deps, { ...client, secret }))
  const requirements = requirementsAt(client, hinted, deps.now())
  const { isMfaRequired, isPasskeyRequired } = requirements
  const fit = await fitOf(deps, client, session, sessionFit(session, requirements))
  if (fit === 'other_user') return { fault: otherUser }
  const isConsentAsked = request.prompt?.includes('consent') === true
  if (fit === 'enough' && session !== undefined && secret !== undefined && !isConsentAsked) {
    await place.entering?.consume?.(deps.db)
    const code = await issueSessionCode(deps, {
      client,
      session,
      secret,
      state: request.state ?? null,
      nonce: request.nonce ?? null,
      codeChallenge: request.code_challenge ?? null,
      scope: grantedScope(request.scope.join(' ')),
      claims: toRequestedClaims(request),
      requestId: browser.requestId,
    })
    if (code !== undefined) return { code, remembered: toRemembered(deps, client, session) }
  }
  if (isMfaRequired && !(await hasSecondFactor(deps, client, { isPasskeyRequired })))
    return { fault: isPasskeyRequired ? noPasskeys : noSecondFactor }
  const isKnown = fit === 'step_up' || (fit === 'enough' && isConsentAsked)
  if (request.prompt?.includes('none')) return { fault: fit === 'step_up' ? noPageAllowed : noSession }
  // Otherwise any page could use up the network's limit of sign-ins through its visitors.
  if (!browser.isNavigation) return { fault: noPageShown }
  // A passkey that was used on the account's page is a sign-in of its own.
  const known = isKnown && place.entering?.passkey === undefined ? session : undefined
  const flowId = await beginFlow(deps, browser, place, { request, isMfaRequired, fit, known })
  return { path: toFirstPage(`/t/${client.domain}/sign-in/${flowId}`, request) }
}

type Fit = Exclude<ReturnType<typeof sessionFit>, 'second_factor'>

/** A user with a passkey passes it as a second factor; one without signs in anew, and enrols one there. */
async function fitOf(
  deps: Pick<Deps, 'config' | 'db'>,
  { accountId, environment, domain, organizationId }: AuthorizingClient,
  session: BrowserSession | undefined,
  fit: ReturnType<typeof sessionFit>,
): Promise<Fit> {
  if (fit !== 'second_factor') return fit
  if (session === undefined) return 'sign_in'
  const tenant = { accountId, environment, domain, organizationIds: [organizationId] }
  const { userId } = session
  return (await holdsPasskey(deps, deps.db, { tenant, userId })) ? 'step_up' : 'sign_in'
}

/** Whether users of the organization can have a second factor: a code, or a passkey, or that alone. */
async function hasSecondFactor(
  { db, config }: Pick<Deps, 'config' | 'db'>,
  { isTotpActive, ...owner }: AuthorizingClient,
  { isPasskeyRequired }: Pick<SignInRequirements, 'isPasskeyRequired'>,
): Promise<boolean> {
  const hasCodes = isTotpActive && !isPasskeyRequired
  if (hasCodes || config.passkeyRpId === undefined) return hasCodes
  const connection = await db
    .selectFrom('passkey_connections')
    .where(ofOwner(owner))
    .where('active', '=', true)
    .select('version')
    .executeTakeFirst()
  return connection !== undefined
}

/** What the browser remembers of a code that it got at the issuer of the account. */
function toRemembered(
  { now }: Pick<Deps, 'now'>,
  { issuer, accountId, environment, organizationId }: AuthorizingClient,
  { email }: BrowserSession,
): Remembered | undefined {
  if (issuer !== 'account') return undefined
  const use = { organizationId, emailNormalized: normalizeEmail(email), at: now() }
  return { account: { accountId, environment }, use }
}

const noSecondFactor: AuthorizationFault = {
  error: 'unmet_authentication_requirements',
  description: 'acr_values demands a second factor, which the organization does not have',
}
const noPasskeys: AuthorizationFault = {
  error: 'unmet_authentication_requirements',
  description: 'acr demands a passkey (phr), and the organization, or the service, has none',
}
export const unknownAcr: AuthorizationFault = {
  error: 'unmet_authentication_requirements',
  description: 'claims demands values of acr that no sign-in has',
}
const otherUser: AuthorizationFault = {
  error: 'login_required',
  description: 'the user who is signed in is another one than claims demands by sub',
}
const noSession: AuthorizationFault = {
  error: 'login_required',
  description: 'the user has to sign in, and prompt is none',
}
const noPageAllowed: AuthorizationFault = {
  error: 'interaction_required',
  description: 'the user has to pass a second factor, and prompt is none',
}
export const noPageShown: AuthorizationFault = {
  error: 'interaction_required',
  description: 'the user has to sign in on a page, which the browser would not show (Sec-Fetch-Dest)',
}

interface BegunFlow {
  readonly request: AuthorizationRequest
  readonly isMfaRequired: boolean
  readonly fit: Fit
  /** A session that lacks only the second factor, or only consent. */
  readonly known: BrowserSession | undefined
}

/**
 * @returns The id of the flow.
 * @throws ApiError `rate_limited` when the network has begun too many.
 */
async function beginFlow(
  deps: Deps,
  { browserSecret, ip, requestId }: DecidingBrowser,
  { client, connectionId, entering }: OrganizationPlace,
  { request, isMfaRequired, fit, known }: BegunFlow,
): Promise<string> {
  await deps.limits.take(flowsOfNetwork, networkKey(ip))
  const flow: NewFlow = {
    accountId: client.accountId,
    environment: client.environment,
    organizationId: client.organizationId,
    applicationId: client.applicationId,
    issuer: client.issuer,
    redirectUri: client.redirectUri,
    responseMode: request.response_mode ?? 'query',
    state: request.state ?? null,
    nonce: request.nonce ?? null,
    codeChallenge: request.code_challenge ?? null,
    scope: grantedScope(request.scope.join(' ')),
    claims: toRequestedClaims(request),
    isMfaRequired,
    isConsentAsked: request.prompt?.includes('consent') === true,
    isSignInForced: isReauthenticationRequired(request),
    locale: request.ui_locales ?? null,
    preferredWay: hintedMethod(request) ?? null,
    email: known?.email ?? hintedEmail(request) ?? null,
    connectionId:
      known === undefined
        ? (connectionId ?? (await findHintedConnection(deps, client, request)) ?? null)
        : null,
    sessionId: known?.sessionId ?? null,
    isIdpInitiated: false,
    browserSecret,
    accountFlowId: entering?.accountFlowId ?? null,
  }
  const isAnywhere = known === undefined && entering === undefined && flow.connectionId === null
  const provider = isAnywhere ? await findHintedProvider(deps, client, request) : undefined
  const caller = callerAtPage(client, requestId)
  const { record: flowId } = await change(deps, caller.cause, async (trx) => {
    await entering?.consume?.(trx)
    const key = await startFlow(deps, trx, flow)
    if (known !== undefined) {
      const { sessionId, userId, amr, authenticatedAt, identityId } = known
      const { accountId, environment, organizationId } = client
      await noteUse(trx, { accountId, environment, organizationId, sessionId, at: deps.now() })
      const signedIn = { userId, amr, authenticatedAt, identityId }
      const tenant = ofUser({ ...caller, domain: client.domain }, userId)
      if (fit === 'step_up') await skipFirstFactor(deps, trx, key, flow, { ...signedIn, tenant })
      else await skipFactors(deps, trx, key, signedIn)
    } else if (entering !== undefined) {
      const isPasskeyAsked = isPasskeyHinted(request) && entering.methods.hasPasskey
      await enterFlow(deps, trx, { key, flow, client, entering, caller, isPasskeyAsked })
    } else if (provider !== undefined) {
      const set = { social_provider_id: provider.providerId }
      await moveFlow(deps, trx, key, { from: ['identifier'], to: 'social_provider', set })
    }
    return { record: key.flowId }
  })
  return flowId
}

/** The connection that idp_hint names, if it is open for sign-in. */
async function findHintedConnection(
  deps: Pick<Deps, 'db'>,
  client: AuthorizingClient,
  { idp_hint: hint }: AuthorizationRequest,
): Promise<string | undefined> {
  if (hint === undefined) return undefined
  const connections = await findOpenConnections(deps, client)
  return connections.find(({ idpId }) => idpId === hint)?.connectionId
}

/** The social provider that idp_hint names, if the organization uses it; a way that is no provider comes first. */
async function findHintedProvider(
  deps: Pick<Deps, 'db'>,
  client: AuthorizingClient,
  request: AuthorizationRequest,
): Promise<OpenProvider | undefined> {
  const isMethod = hintedMethod(request) !== undefined || isPasskeyHinted(request)
  if (request.idp_hint === undefined || isMethod) return undefined
  const providers = await findOpenProviders(deps, client)
  return providers.find(({ name }) => name === request.idp_hint)
}

interface EnteredFlow {
  readonly key: FlowKey
  readonly flow: NewFlow
  readonly client: AuthorizingClient
  readonly entering: Entering
  readonly caller: Caller
  /** The first page asks for a passkey at once. */
  readonly isPasskeyAsked: boolean
}

/** Moves a flow that was entered from the account's pages past the address, which was typed there. */
async function enterFlow(
  deps: Deps,
  trx: Transaction<DB>,
  { key, flow, client, entering, caller, isPasskeyAsked }: EnteredFlow,
): Promise<void> {
  const { accountId, environment, organizationId, domain, applicationId } = client
  await logEvent(deps, trx, {
    ...{ accountId, environment, organizationId, domain },
    code: 'END_USER_SIGN_IN_STARTED',
    clientId: applicationId,
    email: flow.email,
    cause: caller.cause,
  })
  // A connection decides for its addresses, whatever was proved.
  if (flow.connectionId !== null) return
  const { proof, isProofOlder, passkey, createdBy, methods } = entering
  if (passkey !== undefined) {
    const at = { ...client, flowId: key.flowId }
    await signInByPasskey({ ...deps, db: trx }, { ...caller, domain }, at, { proved: passkey })
    return
  }
  if (proof !== undefined && methods.hasLink) {
    const { isMfaRequired } = flow
    const isPasskeyRequired = demandsPasskey(flow.claims)
    const entry = { proof, createdBy, isMfaRequired, isPasskeyRequired, isProofOlder }
    await passByProof(deps, trx, { tenant: { ...caller, domain }, flow: key, ...entry })
  } else if (
    methods.hasPassword &&
    !(methods.hasLink && flow.preferredWay === 'magic_link') &&
    !isPasskeyAsked
  )
    await moveFlow(deps, trx, key, { from: ['identifier'], to: 'password' })
}
