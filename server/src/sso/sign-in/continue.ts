import { sql, type Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import type { FlowKey } from '../../sign-in/flows/flow.js'
import { holdFlow, type HeldFlow } from '../../sign-in/flows/hold.js'
import { startFlow } from '../../sign-in/flows/start.js'
import { grantedScope } from '../../tokens/scopes.js'
import { findAdminSession, type AdminSession } from '../admins/admin-session.js'
import type { Assertion } from '../saml/assertion.js'
import { isOfConnection } from '../connections/connection-key.js'
import { admit } from './admission.js'
import { redeemArrival } from './arrival.js'
import type { PageOf } from './arrive.js'
import { vouchedBy } from './asserted-identity.js'
import { CheckRefused, demand, demandStill, type CheckList } from './demand.js'
import { findDefaultRedirection, type Destination } from './destination.js'
import { demandDestination, letIn, logEnd, noteTested, passFlow, type ProvedSignIn } from './let-in.js'
import { causeOf, findLiveConnection, holdLiveConnection, tenantOf } from './live-connection.js'
import type { AdmittedUser } from './sign-in-user.js'
import { spendAssertion, type Spent, type SpentRequest } from './spend.js'
import { endTrace, failedCheckOf, type TraceEnd } from './traces.js'

/** A browser that comes back with the handle of a response which it has posted. */
export interface ReturnedBrowser {
  readonly idpId: string
  readonly handle: string
  /** Of the flow cookie, which the browser has or is given. */
  readonly browserSecret: string
  /** Of the cookie of an administrator, where the browser has one. */
  readonly adminSecret: string | undefined
  readonly requestId: string
}

/** What becomes of it; the domain is that of the organization. */
type ReturnOutcome =
  /** No such connection. */
  | { readonly to: 'nowhere' }
  /** The handle is not one that can be used. */
  | (PageOf & { readonly to: 'over' })
  /** The flow, wherever it is by now. */
  | { readonly to: 'flow'; readonly domain: string; readonly flowId: string }
  /** The identity provider, which nobody had asked. */
  | { readonly to: 'identity_provider'; readonly domain: string; readonly flowId: string }
  | { readonly to: 'test'; readonly domain: string; readonly traceId: string }
  | (PageOf & { readonly to: 'refused' })

/**
 * Signs in whose assertion was proved, once: the handle, the request and the assertion are consumed in the transaction that
 * decides, whatever it decides.
 */
export async function continueSignIn(deps: Deps, returned: ReturnedBrowser): Promise<ReturnOutcome> {
  const found = await findLiveConnection(deps.db, returned.idpId)
  if (found === undefined) return { to: 'nowhere' }
  const { adminSecret, requestId } = returned
  const admin = adminSecret === undefined ? undefined : await findAdminSession(deps, adminSecret)
  const { record } = await change<{ record: ReturnOutcome }>(deps, causeOf(requestId), async (trx) => {
    const live = await holdLiveConnection(trx, found)
    if (live === undefined) return { record: { to: 'nowhere' } }
    const arrival = await redeemArrival(deps, trx, live, returned.handle)
    if (arrival === undefined)
      return { record: { to: 'over', domain: live.domain, environment: live.environment } }
    const checks: CheckList = { results: [...arrival.checks] }
    const vouched = vouchedBy(live, arrival.assertion)
    const tenant = tenantOf(live, requestId)
    const attempt: Attempt = { ...arrival, live, tenant, vouched, checks, returned, admin }
    return { record: await decide(deps, trx, attempt) }
  })
  return record
}

/** One response and the browser that it came by. */
interface Attempt extends ProvedSignIn {
  readonly assertion: Assertion
  /** By which it was proved. */
  readonly metadataVersion: number
  readonly traceId: string
  readonly returned: ReturnedBrowser
  readonly admin: AdminSession | undefined
}

/** What a response has led to, for its trace. */
interface End {
  readonly kind: TraceEnd['kind']
  readonly user?: AdmittedUser | undefined
  readonly clientId?: string | undefined
  readonly outcome: ReturnOutcome
}

async function decide(deps: Deps, trx: Transaction<DB>, attempt: Attempt): Promise<ReturnOutcome> {
  const { assertion, checks, live } = attempt
  const end: { kind: TraceEnd['kind'] } = {
    kind: assertion.inResponseTo === null ? 'idp_initiated' : 'sign_in',
  }
  try {
    const spent = await spendAssertion(deps, trx, live, assertion)
    demand(checks, 'replay', spent.isFirstUse, { received: assertion.id })
    if (assertion.inResponseTo === null) {
      demandCurrent(attempt, spent)
      return await note(deps, trx, attempt, await beginUnasked(deps, trx, attempt))
    }
    const request = demandRequest(attempt, spent)
    if (request.adminSessionId === null) demandCurrent(attempt, spent)
    else end.kind = 'test'
    return await note(deps, trx, attempt, await finishAsked(deps, trx, attempt, request))
  } catch (error) {
    if (!(error instanceof CheckRefused)) throw error
    const { domain, environment } = live
    const { traceId } = attempt
    const isOwnTest = end.kind === 'test' && error.check !== 'browser'
    const outcome: ReturnOutcome = isOwnTest
      ? { to: 'test', domain, traceId }
      : { to: 'refused', domain, environment }
    return note(deps, trx, attempt, { ...end, outcome })
  }
}

/** What was proved by metadata counts for as long as these are in use, a minute ago as now. */
function demandCurrent({ checks, metadataVersion }: Attempt, { currentVersion }: Spent): void {
  demandStill(checks, 'signature', currentVersion === metadataVersion, {
    expected: 'a key of the metadata in use',
    received: `a key of version ${metadataVersion} of the metadata, which is not in use any more`,
  })
}

/** The request that the assertion answers: it was made by the same metadata that prove the answer. */
function demandRequest({ assertion, checks, metadataVersion }: Attempt, { request }: Spent): SpentRequest {
  demand(checks, 'request', request !== undefined, { received: assertion.inResponseTo })
  demandStill(checks, 'request', request.metadataVersion === metadataVersion, {
    expected: `version ${request.metadataVersion} of the metadata, by which it was made`,
    received: `version ${metadataVersion}`,
  })
  return request
}

/** A response to a request of ours: of an administrator's test, or of a flow of this browser. */
async function finishAsked(
  deps: Deps,
  trx: Transaction<DB>,
  attempt: Attempt,
  request: SpentRequest,
): Promise<End> {
  const { live, checks, assertion, admin, returned } = attempt
  const { domain } = live
  if (request.adminSessionId !== null) {
    demand(checks, 'browser', admin?.sessionId === request.adminSessionId)
    const { user } = await admit(trx, live, attempt.tenant, attempt)
    await noteTested(deps, trx, attempt, attempt.metadataVersion)
    const known = user && { userId: user.id, email: user.email, identityId: '' }
    return { kind: 'test', user: known, outcome: { to: 'test', domain, traceId: attempt.traceId } }
  }
  const held = await holdFlow(
    deps,
    trx,
    { ...live, flowId: request.flowId ?? '' },
    { steps: ['identity_provider'], browserHash: hashSecret(returned.browserSecret) },
  )
  // A sign-in that was left for another way, or is over, has no open request any more.
  const isOpen = held?.connection_id === live.connectionId
  demandStill(checks, 'request', isOpen, { received: 'the sign-in went another way meanwhile' })
  demand(checks, 'browser', held.is_own_browser)
  if (held.is_sign_in_forced) demandFresh(checks, assertion, held)
  const { application_id: applicationId, redirect_uri: redirectUri } = held
  const { user } = await letIn(deps, trx, attempt, { applicationId, redirectUri })
  return pass(deps, trx, attempt, { held, user })
}

/** What clocks may differ by, as in a response. */
const clockSkewMs = 2 * 60 * 1000

/** Where the application has asked for a fresh sign-in, one of before it has asked is none. */
function demandFresh(
  checks: CheckList,
  { authenticatedAt }: Assertion,
  { inserted_at: begunAt }: HeldFlow,
): void {
  demand(checks, 'authenticated_at', authenticatedAt.getTime() >= begunAt.getTime() - clockSkewMs, {
    expected: `AuthnInstant not before ${begunAt.toISOString()}`,
    received: authenticatedAt.toISOString(),
  })
}

/** Has the flow go on with a user who was let in. */
async function pass(
  deps: Deps,
  trx: Transaction<DB>,
  attempt: Attempt,
  { held, user }: { readonly held: HeldFlow; readonly user: AdmittedUser },
): Promise<End> {
  const { live, assertion, metadataVersion } = attempt
  await passFlow(deps, trx, attempt, { held, user })
  await noteTested(deps, trx, attempt, metadataVersion)
  const kind = assertion.inResponseTo === null ? 'idp_initiated' : 'sign_in'
  const outcome = { to: 'flow', domain: live.domain, flowId: held.flowId } as const
  return { kind, user, clientId: held.application_id, outcome }
}

/**
 * A response that nobody asked for. Where the connection says so it signs in. Otherwise who it names is not looked at: this
 * browser asks the identity provider anew, and the answer to that is bound to this browser, whoever has sent the first one.
 */
async function beginUnasked(deps: Deps, trx: Transaction<DB>, attempt: Attempt): Promise<End> {
  const { live, checks } = attempt
  const destination = await findDefaultRedirection(trx, live)
  if (live.idpInitiated === 'accept') {
    const admitted = await letIn(deps, trx, attempt, destination)
    const key = await beginFlow(deps, trx, attempt, admitted.destination)
    const held = await holdFlow(deps, trx, key, { steps: ['identity_provider'] })
    if (held === undefined) throw new Error('a flow that has just begun is not there')
    return pass(deps, trx, attempt, { held, user: admitted.user })
  }
  demand(checks, 'connection_active', live.active)
  await demandNoLoop(deps, trx, attempt)
  const { flowId } = await beginFlow(deps, trx, attempt, await demandDestination(trx, attempt, destination))
  return { kind: 'idp_initiated', outcome: { to: 'identity_provider', domain: live.domain, flowId } }
}

function beginFlow(
  deps: Deps,
  trx: Transaction<DB>,
  { live, returned }: Attempt,
  destination: Destination,
): Promise<FlowKey> {
  return startFlow(deps, trx, {
    ...live,
    ...destination,
    state: null,
    nonce: null,
    codeChallenge: null,
    scope: grantedScope(undefined, 'sso'),
    isMfaRequired: false,
    isSignInForced: false,
    locale: null,
    preferredWay: null,
    email: null,
    sessionId: null,
    browserSecret: returned.browserSecret,
  })
}

/** So many times in a minute a browser is sent back: an identity provider that never answers what it is asked would go on. */
const bouncesAMinute = 3

async function demandNoLoop(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  attempt: Attempt,
): Promise<void> {
  const { live, checks, returned } = attempt
  const { count } = await trx
    .selectFrom('sign_in_flows')
    .where(isOfConnection('sign_in_flows', live))
    .where('browser_hash', '=', hashSecret(returned.browserSecret))
    .where('step', '=', 'identity_provider')
    .where('inserted_at', '>', new Date(now().getTime() - 60_000))
    .select(sql<string>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  demandStill(checks, 'unsolicited', Number(count) < bouncesAMinute, {
    expected: 'InResponseTo with the id of our request',
    received: 'responses without InResponseTo, also to requests of ours',
  })
}

/** Completes the trace, and tells the account. */
async function note(deps: Deps, trx: Transaction<DB>, attempt: Attempt, end: End): Promise<ReturnOutcome> {
  const { live, assertion, vouched, checks, traceId, returned } = attempt
  const failed = failedCheckOf(checks.results)
  const email = vouched.email ?? null
  await endTrace(trx, live, traceId, {
    kind: end.kind,
    outcome: failed === undefined ? 'success' : 'failed',
    checks: checks.results,
    nameId: assertion.nameId,
    email,
    attributes: assertion.attributes,
    userId: end.user?.userId ?? null,
    requestId: returned.requestId,
  })
  // Who is sent to be asked anew has neither signed in nor been refused.
  if (end.outcome.to !== 'identity_provider')
    await logEnd(deps, trx, live, { ...end, email, failed, requestId: returned.requestId })
  return end.outcome
}
