import type { Kysely, Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { holdFlow, type HeldFlow } from '../../sign-in/flows/hold.js'
import { findAdminSession, type AdminSession } from '../admins/admin-session.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import { findClientVersion, findCurrentClient } from '../connections/oidc-clients.js'
import { admit } from '../sign-in/admission.js'
import type { PageOf } from '../sign-in/arrive.js'
import { CheckRefused, demand, demandStill, type CheckList } from '../sign-in/demand.js'
import { letIn, logEnd, noteTested, passFlow, type ProvedSignIn } from '../sign-in/let-in.js'
import {
  causeOf,
  findLiveConnection,
  holdLiveConnection,
  tenantOf,
  type LiveConnection,
} from '../sign-in/live-connection.js'
import type { AdmittedUser } from '../sign-in/sign-in-user.js'
import { failedCheckOf, insertRefusedTrace, insertTrace, type NewTrace } from '../sign-in/traces.js'
import { authenticatedAtOf, vouchedByClaims } from './claims.js'
import { clockSkewMs } from './id-token.js'
import { proveAnswer, type SentAnswer } from './prove-answer.js'
import type { Claims } from './claims.js'
import { spendOidcRequest, type SpentOidcRequest } from './request.js'

/** A browser that a provider has sent back. It comes by our own address, so that its cookies are seen. */
export interface ReturnedBrowser {
  readonly idpId: string
  readonly answer: SentAnswer
  /** Of the flow cookie; undefined where the browser has none. */
  readonly browserSecret: string | undefined
  /** Of the cookie of an administrator, where the browser has one. */
  readonly adminSecret: string | undefined
  /** The address that it came from, for limits alone. */
  readonly ip: string
  readonly requestId: string
}

/** What becomes of it; the domain is that of the organization. */
type AnswerOutcome =
  /** No such connection of OpenID Connect. */
  | { readonly to: 'nowhere' }
  /** The flow, wherever it is by now. */
  | { readonly to: 'flow'; readonly domain: string; readonly flowId: string }
  /** The page of the administrator's test, which says what was wrong. */
  | { readonly to: 'test'; readonly traceId: string }
  | (PageOf & { readonly to: 'refused' })

/** One answer, with what was found until now. */
interface Attempt {
  readonly live: LiveConnection
  readonly returned: ReturnedBrowser
  readonly admin: AdminSession | undefined
  readonly checks: CheckList
}

/**
 * Signs in whom a provider has sent back, once: the request is spent before the provider is asked, and the transaction that
 * decides comes after it.
 *
 * @throws ApiError `rate_limited` when the network has sent the connection too much that was refused.
 */
export async function receiveAnswer(deps: Deps, returned: ReturnedBrowser): Promise<AnswerOutcome> {
  const live = await findLiveConnection(deps.db, returned.idpId)
  if (live?.protocol !== 'oidc') return { to: 'nowhere' }
  const sender = `${live.connectionId} ${networkOfClient(returned.ip)}`
  deps.limits.failedResponses.check(sender)
  const { adminSecret } = returned
  const admin = adminSecret === undefined ? undefined : await findAdminSession(deps, adminSecret)
  const attempt: Attempt = { live, returned, admin, checks: { results: [] } }
  const request = await spendOidcRequest(deps, live, returned.answer.state)
  try {
    const asked = await demandOwnRequest(deps, attempt, request)
    const claims = await prove(deps, attempt, asked)
    return await decide(deps, attempt, asked, claims)
  } catch (error) {
    if (!(error instanceof CheckRefused)) throw error
    // Who cancels at the provider, or is refused there, comes back to a sign-in of their own, which is spent with it: were
    // that counted, a few colleagues behind one address would keep the others out.
    const isTest = request?.adminSessionId != null
    if (error.check !== 'oidc_answer' && (await deps.limits.failedResponses.count(sender)))
      await logEnd(deps, deps.db, live, {
        kind: isTest ? 'test' : 'sign_in',
        email: null,
        failed: 'rate_limited',
        requestId: returned.requestId,
      })
    return refuse(deps, attempt, { isTest, check: error.check })
  }
}

/** The request that is answered, where this browser has made it. */
async function demandOwnRequest(
  deps: Pick<Deps, 'db' | 'now'>,
  { live, returned, admin, checks }: Attempt,
  request: SpentOidcRequest | undefined,
): Promise<SpentOidcRequest> {
  demand(checks, 'oidc_state', request !== undefined, {
    received: request === undefined ? receivedState(returned.answer) : null,
  })
  const isOwn =
    request.flowId === null
      ? admin !== undefined && admin.sessionId === request.adminSessionId
      : await isFlowOfBrowser(deps, live, request.flowId, returned.browserSecret)
  demand(checks, 'oidc_browser', isOwn)
  return request
}

function receivedState({ state }: SentAnswer): string {
  return state === '' ? 'no state' : 'a state that no open sign-in has'
}

/** Whether a flow was begun in a browser; the transaction that decides looks again. */
async function isFlowOfBrowser(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment, organizationId }: LiveConnection,
  flowId: string,
  browserSecret: string | undefined,
): Promise<boolean> {
  if (browserSecret === undefined) return false
  const own = await db
    .selectFrom('sign_in_flows')
    .where('account_id', '=', accountId)
    .where('environment', '=', environment)
    .where('organization_id', '=', organizationId)
    .where('id', '=', flowId)
    .where('browser_hash', '=', hashSecret(browserSecret))
    .select('id')
    .executeTakeFirst()
  return own !== undefined
}

/** Asks the provider what the answer is worth, with the client that the request was made with. */
async function prove(deps: Deps, attempt: Attempt, request: SpentOidcRequest): Promise<Claims> {
  const { live, returned, checks } = attempt
  const { code, error } = returned.answer
  const received = error ?? (code === '' ? 'neither a code nor an error' : null)
  demand(checks, 'oidc_answer', received === null, { expected: 'a code', received })
  const client = await findClientVersion(deps, deps.db, live, request.clientVersion)
  if (client === undefined)
    demand(checks, 'oidc_token', false, { received: 'the client of the request is not kept any more' })
  return proveAnswer(deps, { live, client, request, answer: returned.answer, checks })
}

/** What an answer has led to. */
interface End {
  readonly kind: NewTrace['kind']
  readonly user?: AdmittedUser | undefined
  readonly clientId?: string
  readonly to: { readonly flowId: string } | 'test' | 'refused'
}

async function decide(
  deps: Deps,
  { live: found, returned, checks }: Attempt,
  request: SpentOidcRequest,
  claims: Claims,
): Promise<AnswerOutcome> {
  const { requestId } = returned
  const { record } = await change<{ record: AnswerOutcome }>(deps, causeOf(requestId), async (trx) => {
    const live = await holdLiveConnection(trx, found)
    if (live === undefined) return { record: { to: 'nowhere' } }
    const client = await findCurrentClient(deps, trx, live)
    const issuer = String(claims['iss'])
    const proved: DecidedSignIn = {
      live,
      tenant: tenantOf(live, requestId),
      vouched: vouchedByClaims(live, issuer, claims, deps.now()),
      // Of a copy, so that the transaction can be run again.
      checks: { results: [...checks.results] },
      claims,
      request,
      returned,
      currentVersion: client?.version,
    }
    return { record: await note(deps, trx, proved, await finish(deps, trx, proved)) }
  })
  return record
}

interface DecidedSignIn extends ProvedSignIn {
  readonly claims: Claims
  readonly request: SpentOidcRequest
  readonly returned: ReturnedBrowser
  /** Of the client in use; undefined where there is none. */
  readonly currentVersion: number | undefined
}

async function finish(deps: Deps, trx: Transaction<DB>, proved: DecidedSignIn): Promise<End> {
  const { request } = proved
  const kind = request.adminSessionId === null ? 'sign_in' : 'test'
  try {
    return kind === 'test' ? await finishTest(deps, trx, proved) : await finishFlow(deps, trx, proved)
  } catch (error) {
    if (!(error instanceof CheckRefused)) throw error
    return { kind, to: kind === 'test' ? 'test' : 'refused' }
  }
}

async function finishTest(deps: Deps, trx: Transaction<DB>, proved: DecidedSignIn): Promise<End> {
  const { user } = await admit(trx, proved.live, proved.tenant, proved)
  await noteTested(deps, trx, proved, proved.request.clientVersion)
  const known = user && { userId: user.id, email: user.email, identityId: '' }
  return { kind: 'test', user: known, to: 'test' }
}

async function finishFlow(deps: Deps, trx: Transaction<DB>, proved: DecidedSignIn): Promise<End> {
  const { live, checks, request, returned, claims, currentVersion } = proved
  demandStill(checks, 'oidc_token', currentVersion === request.clientVersion, {
    expected: 'the client in use',
    received: `version ${request.clientVersion} of the client, which is not in use any more`,
  })
  const held = await holdFlow(
    deps,
    trx,
    { ...live, flowId: request.flowId ?? '' },
    { steps: ['identity_provider'], browserHash: hashSecret(returned.browserSecret ?? '') },
  )
  // A sign-in that was left for another way, or is over, has no open request any more.
  const isOpen = held?.connection_id === live.connectionId
  demandStill(checks, 'oidc_state', isOpen, { received: 'the sign-in went another way meanwhile' })
  demandStill(checks, 'oidc_browser', held.is_own_browser, {})
  if (held.is_sign_in_forced) demandFresh(checks, claims, held)
  const { application_id: applicationId, redirect_uri: redirectUri } = held
  const { user } = await letIn(deps, trx, proved, { applicationId, redirectUri })
  await passFlow(deps, trx, proved, { held, user })
  await noteTested(deps, trx, proved, request.clientVersion)
  return { kind: 'sign_in', user, clientId: applicationId, to: { flowId: held.flowId } }
}

/** Where the application has asked for a fresh sign-in, one of before it has asked is none. */
function demandFresh(checks: CheckList, claims: Claims, { inserted_at: begunAt }: HeldFlow): void {
  const at = authenticatedAtOf(claims)
  demand(checks, 'authenticated_at', at !== undefined && at.getTime() >= begunAt.getTime() - clockSkewMs, {
    expected: `auth_time not before ${begunAt.toISOString()}`,
    received: at?.toISOString() ?? 'no auth_time',
  })
}

/** Writes the trace, and tells the account. */
async function note(
  deps: Deps,
  trx: Transaction<DB>,
  { live, vouched, checks, returned }: DecidedSignIn,
  { kind, user, clientId, to }: End,
): Promise<AnswerOutcome> {
  const { requestId } = returned
  const failed = failedCheckOf(checks.results)
  const email = vouched.email ?? null
  const traceId = await insertTrace(deps, trx, live, {
    kind,
    outcome: failed === undefined ? 'success' : 'failed',
    checks: checks.results,
    nameId: vouched.identity.subject,
    email,
    attributes: vouched.attributes,
    userId: user?.userId ?? null,
    requestId,
  })
  await logEnd(deps, trx, live, { kind, user, clientId, email, failed, requestId })
  const { domain, environment } = live
  if (to === 'test') return { to, traceId }
  return to === 'refused' ? { to, domain, environment } : { to: 'flow', domain, flowId: to.flowId }
}

/** What is refused before anything is proved, of which there is no end: strangers write it. */
async function refuse(
  deps: Deps,
  { live, checks, returned }: Attempt,
  { isTest, check }: { readonly isTest: boolean; readonly check: CheckRefused['check'] },
): Promise<AnswerOutcome> {
  const { requestId } = returned
  const kind = isTest ? 'test' : 'sign_in'
  const db: Kysely<DB> = deps.db
  const traceId = await insertRefusedTrace(deps, db, live, {
    kind,
    checks: checks.results,
    nameId: null,
    email: null,
    attributes: null,
    requestId,
  })
  if (traceId !== undefined) await logEnd(deps, db, live, { kind, email: null, failed: check, requestId })
  const { domain, environment } = live
  const isOwnTest = isTest && check !== 'oidc_browser' && traceId !== undefined
  return isOwnTest ? { to: 'test', traceId } : { to: 'refused', domain, environment }
}
