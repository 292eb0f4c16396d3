import type { Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import type { Deps } from '../../delivery/deps.js'
import { findAdminSession } from '../admins/admin-session.js'
import { findClientVersion, findCurrentClient } from '../connections/oidc-clients.js'
import { failedResponses } from '../sign-in/arrive.js'
import { assertCheck, CheckRefused, type CheckList } from '../sign-in/check-list.js'
import { completeSsoSignIn, type ReturnedBrowser, type SsoAnswer } from '../sign-in/complete.js'
import { findLiveConnection, type LiveConnection } from '../sign-in/live-connection.js'
import { logSsoSignIn, recordRefusedAttempt } from '../sign-in/login-attempts.js'
import { endPageOf, type SsoOutcome } from '../sign-in/outcome.js'
import { authenticatedAtOf, toAssertedByClaims, type AnsweredClaims } from './claims.js'
import { validateAnswer, type SentAnswer } from './validate-answer.js'
import { consumeOidcRequest, type ConsumedOidcRequest } from './request.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** A browser that a provider has sent back to our own address, so that its cookies are seen. */
interface AnsweredBrowser {
  readonly idpId: string
  readonly answer: SentAnswer
  /** From the flow cookie; undefined without one. */
  readonly browserSecret: string | undefined
  /** From the administrator's cookie; undefined without one. */
  readonly adminSecret: string | undefined
  /** The browser's IP address, for limits only. */
  readonly ip: string
  readonly requestId: string
}

/** An answer with the checks made so far. */
interface ReceivedAnswer {
  readonly live: LiveConnection
  readonly answer: SentAnswer
  readonly browser: ReturnedBrowser
  readonly checks: CheckList
}

/**
 * Completes the sign-in for an answer of an OpenID provider. Single use: the request is consumed before the provider is
 * asked, and the transaction that decides comes after it.
 *
 * @throws ApiError `rate_limited` when the network has sent the connection too many refused answers.
 */
export async function receiveAnswer(deps: Deps, returned: AnsweredBrowser): Promise<SsoOutcome> {
  const { idpId, answer, browserSecret, adminSecret, requestId } = returned
  const live = await findLiveConnection(deps.db, idpId)
  if (live?.protocol !== 'oidc') return { to: 'nowhere' }
  const sender = `${live.connectionId} ${networkOfClient(returned.ip)}`
  deps.limits.check(failedResponses, sender)
  const admin = adminSecret === undefined ? undefined : await findAdminSession(deps, adminSecret)
  const browser = { browserSecret, adminSessionId: admin?.sessionId, requestId }
  const received: ReceivedAnswer = { live, answer, browser, checks: { results: [] } }
  const request = await consumeOidcRequest(deps, live, answer.state)
  try {
    const own = await assertOwnRequest(deps, received, request)
    const claims = await validate(deps, received, own)
    return await completeSsoSignIn(deps, { found: live, ...browser }, (trx, locked) =>
      toSsoAnswer(deps, trx, locked, { ...received, request: own, claims }),
    )
  } catch (error) {
    if (!(error instanceof CheckRefused)) throw error
    const kind = request?.kind ?? 'sign_in'
    // Users who cancel or are refused at the provider consume a sign-in of their own. These answers are not counted:
    // otherwise a few colleagues behind one address would lock out the others.
    if (error.check !== 'oidc_answer' && (await deps.limits.note(failedResponses, sender)))
      await logSsoSignIn(deps, deps.db, live, { kind, email: null, failed: 'rate_limited', requestId })
    const checks = received.checks.results
    const attempt = { kind, checks, nameId: null, email: null, attributes: null, requestId }
    const attemptId = await recordRefusedAttempt(deps, live, attempt)
    const flowId = request?.kind === 'sign_in' ? request.flowId : undefined
    return endPageOf(live, { isTest: kind === 'test', failed: error.check, attemptId, flowId })
  }
}

/** The answered request, which this browser must have made. */
async function assertOwnRequest(
  deps: Pick<Deps, 'db' | 'now'>,
  { live, answer, browser, checks }: ReceivedAnswer,
  request: ConsumedOidcRequest | undefined,
): Promise<ConsumedOidcRequest> {
  assertCheck(checks, 'oidc_state', request !== undefined, {
    received: request === undefined ? receivedState(answer) : null,
  })
  const isOwn =
    request.kind === 'test'
      ? browser.adminSessionId === request.adminSessionId
      : await isFlowOfBrowser(deps, live, request.flowId, browser.browserSecret)
  assertCheck(checks, 'oidc_browser', isOwn)
  return request
}

function receivedState({ state }: SentAnswer): string {
  return state === '' ? 'no state' : 'a state that no open sign-in has'
}

/** Whether a flow was begun in a browser. The transaction that decides checks it again. */
async function isFlowOfBrowser(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment, organizationId }: LiveConnection,
  flowId: string,
  browserSecret: string | undefined,
): Promise<boolean> {
  if (browserSecret === undefined) return false
  const own = await db
    .selectFrom('sign_in_flows')
    .where(ofOwner({ accountId, environment, organizationId }))
    .where('id', '=', flowId)
    .where('browser_hash', '=', hashSecret(browserSecret))
    .select('id')
    .executeTakeFirst()
  return own !== undefined
}

/** Exchanges the code for claims, by the client with which the request was made. */
async function validate(
  deps: Deps,
  { live, answer, checks }: ReceivedAnswer,
  request: ConsumedOidcRequest,
): Promise<AnsweredClaims> {
  const { code, error } = answer
  const received = error ?? (code === '' ? 'neither a code nor an error' : null)
  assertCheck(checks, 'oidc_answer', received === null, { expected: 'a code', received })
  const client = await findClientVersion(deps, deps.db, live, request.clientVersion)
  if (client === undefined)
    assertCheck(checks, 'oidc_token', false, { received: 'the client of the request is not kept any more' })
  return validateAnswer(deps, { live, client, request, answer, checks })
}

/** Hands over the validated claims. */
async function toSsoAnswer(
  deps: Deps,
  trx: Transaction<DB>,
  live: LiveConnection,
  {
    request,
    claims,
    checks,
  }: ReceivedAnswer & { readonly request: ConsumedOidcRequest; readonly claims: AnsweredClaims },
): Promise<SsoAnswer> {
  const current = await findCurrentClient(deps, trx, live)
  const version = request.clientVersion
  return {
    asserted: toAssertedByClaims(live, String(claims['iss']), claims, deps.now()),
    // A copy, so that the transaction can be run again.
    checks: { results: [...checks.results] },
    request,
    version,
    versionCheck: {
      name: 'oidc_token',
      passed: current?.version === version,
      expected: 'the client in use',
      received: `version ${version} of the client, which is not in use any more`,
    },
    authenticated: { name: 'auth_time', at: authenticatedAtOf(claims) },
    checkNames: { request: 'oidc_state', browser: 'oidc_browser' },
  }
}
