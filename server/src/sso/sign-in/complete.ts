import type { SsoCheck } from '@portico/contract/sso-checks'
import { sql, type Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { lockFlow, completeFactorOfLockedFlow, type LockedFlow } from '../../sign-in/flows/lock-flow.js'
import { findInvitationOfFlow } from '../../sign-in/invitations/invitation-of-flow.js'
import { reportRefusedInvitation } from '../../sign-in/invitations/refused.js'
import { emitConnection } from '../connections/whole-connection.js'
import type { CheckResult } from '../saml/checks.js'
import { authorizeAssertedUser, type FlowInvitation } from './admission.js'
import type { Asserted } from './asserted-identity.js'
import type { AnsweredRequest } from './awaited-request.js'
import { assertCheck, assertCheckStill, CheckRefused, type CheckList } from './check-list.js'
import { isDestinationAllowed, type SsoDestination } from './destination.js'
import { causeOf, lockLiveConnection, tenantOfConnection, type LiveConnection } from './live-connection.js'
import { failedCheckOf, logSsoSignIn, recordLoginAttempt } from './login-attempts.js'
import { endPageOf, type OtherAddress, type SsoOutcome } from './outcome.js'
import { writeUser, type SignedInUser } from './sign-in-user.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** A browser that an identity provider has sent back, at our own address, so that its cookies are seen. */
export interface ReturnedBrowser {
  /** From the flow cookie; undefined without one. */
  readonly browserSecret: string | undefined
  /** The session of the administrator at the browser; undefined without one. */
  readonly adminSessionId: string | undefined
  readonly requestId: string
}

/** A validated answer, as the adapter of a protocol hands it over in the transaction that decides. */
export interface SsoAnswer {
  readonly asserted: Asserted
  readonly checks: CheckList
  /** The login attempt that was recorded when the answer arrived; undefined where there is none yet. */
  readonly attemptId?: string
  readonly request:
    | AnsweredRequest
    | { readonly kind: 'idp_initiated'; readonly complete: (signIn: SsoSignIn) => Promise<SsoEnd> }
    /** A check of the protocol has failed. */
    | { readonly kind: 'sign_in' | 'idp_initiated'; readonly failure: CheckRefused }
  /** The version of the metadata or client that validated the answer. */
  readonly version: number
  /** The check that this version is in use, which a sign-in needs and a test does not. */
  readonly versionCheck: CheckResult
  /** When the user has authenticated, and the protocol's name for it. */
  readonly authenticated: { readonly name: string; readonly at: Date | undefined }
  /** The protocol's checks of the request and of the browser that made it. */
  readonly checkNames: { readonly request: SsoCheck; readonly browser: SsoCheck }
}

/** A sign-in at its end: the answer, the connection, whose row is locked, and the browser. */
export interface SsoSignIn extends SsoAnswer {
  readonly live: LiveConnection
  readonly tenant: Tenant
  readonly browser: ReturnedBrowser
}

/** The result of an answer, for the login attempt and the browser. */
export interface SsoEnd {
  readonly user?: Pick<SignedInUser, 'userId' | 'email'> | undefined
  readonly clientId?: string
  /** Undefined where the sign-in ends here. */
  readonly next?: { readonly to: 'flow' | 'identity_provider'; readonly flowId: string }
}

/**
 * Completes a sign-in by SSO, of either protocol, in one transaction: the adapter's consumption of the answer, the checks, the
 * user, the flow, the login attempt and the log event commit together, whether it succeeds or is refused.
 *
 * @param readAnswer The adapter; it gives undefined where the answer was consumed before.
 */
export async function completeSsoSignIn(
  deps: Deps,
  { found, ...browser }: ReturnedBrowser & { readonly found: LiveConnection },
  readAnswer: (trx: Transaction<DB>, live: LiveConnection) => Promise<SsoAnswer | undefined>,
): Promise<SsoOutcome> {
  const { requestId } = browser
  const { record } = await change<{ record: SsoOutcome }>(deps, causeOf(requestId), async (trx) => {
    const live = await lockLiveConnection(trx, found)
    if (live === undefined) return { record: { to: 'nowhere' } }
    const answer = await readAnswer(trx, live)
    const { domain, environment } = live
    if (answer === undefined) return { record: { domain, environment, to: 'over' } }
    const signIn: SsoSignIn = { ...answer, live, tenant: tenantOfConnection(live, requestId), browser }
    return { record: await recordEnd(deps, trx, signIn, await decide(deps, trx, signIn)) }
  })
  return record
}

/** Makes the remaining checks, and completes the purpose of the answered request. */
async function decide(deps: Deps, trx: Transaction<DB>, signIn: SsoSignIn): Promise<SsoEnd> {
  const { request, checks, versionCheck } = signIn
  try {
    if ('failure' in request) throw request.failure
    if (request.kind === 'test') return await completeTest(deps, trx, signIn, request.adminSessionId)
    assertCheckStill(checks, versionCheck.name, versionCheck.passed, versionCheck)
    if (request.kind === 'idp_initiated') return await request.complete(signIn)
    return await completeRequested(deps, trx, signIn, request.flowId)
  } catch (error) {
    if (!(error instanceof CheckRefused)) throw error
    return {}
  }
}

/** A test makes every check of the user, and writes no user and no flow. */
async function completeTest(
  deps: Deps,
  trx: Transaction<DB>,
  signIn: SsoSignIn,
  adminSessionId: string,
): Promise<SsoEnd> {
  const { live, tenant, asserted, checks, checkNames, browser } = signIn
  assertCheckStill(checks, checkNames.browser, browser.adminSessionId === adminSessionId)
  const { user } = await authorizeAssertedUser(trx, live, tenant, { asserted, checks, at: deps.now() })
  await markTested(deps, trx, signIn)
  return { user: user && { userId: user.id, email: user.email } }
}

async function completeRequested(
  deps: Deps,
  trx: Transaction<DB>,
  signIn: SsoSignIn,
  flowId: string,
): Promise<SsoEnd> {
  const { live, checks, checkNames, browser } = signIn
  const lockedFlow = await lockFlow(
    deps,
    trx,
    { ...live, flowId },
    { steps: ['identity_provider'], browserHash: hashSecret(browser.browserSecret ?? '') },
  )
  // A flow that has taken another sign-in method, or is over, has no open request.
  const isOpen = lockedFlow?.connection_id === live.connectionId
  assertCheckStill(checks, checkNames.request, isOpen, { received: 'the sign-in went another way meanwhile' })
  assertCheckStill(checks, checkNames.browser, lockedFlow.is_own_browser)
  if (lockedFlow.is_sign_in_forced) assertFresh(signIn, lockedFlow)
  const { application_id: applicationId, redirect_uri: redirectUri } = lockedFlow
  const invited = await findInvitationOfFlow(deps, trx, lockedFlow)
  const destination = { applicationId, redirectUri }
  const { user } = await authorizeUser(deps, trx, signIn, destination, invited).catch((error: unknown) =>
    reportInvited(deps, trx, signIn, { invited, error }),
  )
  return completeFlow(deps, trx, signIn, { lockedFlow, user })
}

/** Tells of the invitation of a flow whose user the checks have refused. */
async function reportInvited(
  deps: Deps,
  trx: Transaction<DB>,
  { live, tenant }: SsoSignIn,
  { invited, error }: { readonly invited: FlowInvitation | undefined; readonly error: unknown },
): Promise<never> {
  const { organizationId } = live
  if (invited !== undefined && error instanceof CheckRefused)
    await reportRefusedInvitation(deps, trx, tenant, { ...invited, organizationId }, error.check)
  throw error
}

/** Allowed difference between clocks, as in a response and in an ID token. */
const clockSkewMs = 2 * 60 * 1000

/** An application that asks for a fresh sign-in needs an authentication that is later than its request. */
function assertFresh(
  { checks, authenticated: { name, at } }: SsoSignIn,
  { inserted_at: begunAt }: LockedFlow,
): void {
  const isFresh = at !== undefined && at.getTime() >= begunAt.getTime() - clockSkewMs
  assertCheck(checks, 'authenticated_at', isFresh, {
    expected: `${name} not before ${begunAt.toISOString()}`,
    received: at?.toISOString() ?? `no ${name}`,
  })
}

/**
 * Authorizes the asserted user for the destination, and writes the user. The flow is not written yet.
 *
 * @throws CheckRefused
 */
export async function authorizeUser(
  deps: Deps,
  trx: Transaction<DB>,
  signIn: SsoSignIn,
  destination: SsoDestination | undefined,
  invited?: FlowInvitation,
): Promise<{ readonly user: SignedInUser; readonly destination: SsoDestination }> {
  const { live, tenant, asserted, checks } = signIn
  assertCheck(checks, 'connection_active', live.active)
  const admission = await authorizeAssertedUser(trx, live, tenant, {
    ...{ asserted, checks, invited },
    at: deps.now(),
  })
  const allowed = await assertDestination(trx, signIn, destination)
  const user = await writeUser(deps, trx, live, tenant, { ...admission, asserted, checks })
  return { user, destination: allowed }
}

/** @throws CheckRefused where the application is gone, or no longer allows the redirect URI. */
export async function assertDestination(
  trx: Transaction<DB>,
  { live, checks }: SsoSignIn,
  destination: SsoDestination | undefined,
): Promise<SsoDestination> {
  const isAllowed = destination !== undefined && (await isDestinationAllowed(trx, live, destination))
  assertCheck(checks, 'destination_application', isAllowed, {
    received: destination?.redirectUri ?? 'the connection has no default redirection',
  })
  return destination
}

/** Moves a locked flow past its first factor, for an authorized user. */
export async function completeFlow(
  deps: Deps,
  trx: Transaction<DB>,
  signIn: SsoSignIn,
  { lockedFlow, user }: { readonly lockedFlow: LockedFlow; readonly user: SignedInUser },
): Promise<SsoEnd> {
  const { tenant, asserted } = signIn
  await completeFactorOfLockedFlow(deps, trx, lockedFlow, {
    tenant,
    userId: user.userId,
    amr: asserted.amr,
    authenticatedAt: asserted.identity.authenticatedAt,
    identityId: user.identityId,
  })
  await markTested(deps, trx, signIn)
  return { user, clientId: lockedFlow.application_id, next: { to: 'flow', flowId: lockedFlow.flowId } }
}

/** Marks the connection as tested by its first sign-in or test with the metadata, or the client, in use. */
async function markTested(
  deps: Deps,
  trx: Transaction<DB>,
  { live, tenant, version }: SsoSignIn,
): Promise<void> {
  if (live.state === 'tested') return
  const versions = live.protocol === 'saml' ? 'sso_metadata_versions' : 'sso_oidc_clients'
  const tested = await trx
    .updateTable('sso_connections as connection')
    .set({ state: 'tested', updated_at: deps.now(), version: sql`connection.version + 1` })
    .where(ofOwner(live, 'connection'))
    .where('connection.id', '=', live.connectionId)
    .where('connection.state', '<>', 'tested')
    .where(
      sql<boolean>`exists (
        select from ${sql.table(versions)} as stored
        where stored.account_id = connection.account_id
          and stored.environment = connection.environment
          and stored.organization_id = connection.organization_id
          and stored.connection_id = connection.id
          and stored.version = ${version}
          and stored.is_current
      )`,
    )
    .returning('connection.id')
    .executeTakeFirst()
  if (tested !== undefined)
    await emitConnection(deps, trx, tenant.cause, live, 'sso.connection.update.success')
}

/** Records the end in the login attempt and in the account's log, and gives the browser its next address. */
async function recordEnd(
  deps: Deps,
  trx: Transaction<DB>,
  { live, asserted, checks, request, browser: { requestId }, ...answer }: SsoSignIn,
  { user, clientId, next }: SsoEnd,
): Promise<SsoOutcome> {
  const { kind } = request
  const flowId = 'flowId' in request ? request.flowId : undefined
  const failed = failedCheckOf(checks.results)
  const email = asserted.email ?? null
  const attemptId = await recordLoginAttempt(deps, trx, live, {
    attemptId: answer.attemptId,
    kind,
    outcome: failed === undefined ? 'success' : 'failed',
    checks: checks.results,
    nameId: asserted.identity.subject,
    email,
    attributes: asserted.attributes,
    userId: user?.userId ?? null,
    requestId,
  })
  // A browser that is sent back to the identity provider has neither signed in nor been refused.
  if (next?.to !== 'identity_provider')
    await logSsoSignIn(deps, trx, live, { kind, user, clientId, email, failed, requestId })
  const { domain, environment } = live
  return next === undefined
    ? endPageOf(live, { isTest: kind === 'test', failed, attemptId, flowId, other: otherAddressOf(checks) })
    : { domain, environment, ...next }
}

/** The asserted address and the invited one, where they are not the same. */
function otherAddressOf({ results }: CheckList): OtherAddress | undefined {
  const refused = results.find(({ name, passed }) => name === 'invitation' && !passed)
  return refused && { asserted: refused.received ?? '', invited: refused.expected ?? '' }
}
