import type { Environment } from '@portico/contract/fields'
import type { Deps } from '../../delivery/deps.js'
import type { FailureLimit } from '../../delivery/limits/failures.js'
import type { CheckResult } from '../saml/checks.js'
import {
  claimedRequestOf,
  openResponse,
  validateResponse,
  type OpenedResponse,
  type Validation,
} from '../saml/validate-response.js'
import type { Assertion } from '../saml/assertion.js'
import { assertedEmail } from './asserted-identity.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import { insertArrival } from './arrival.js'
import type { LiveConnection } from './live-connection.js'
import { logEnd } from './let-in.js'
import { findReceivingConnection, type ReceivingConnection } from './receiving-connection.js'
import { failedCheckOf, insertRefusedTrace, type NewTrace } from './traces.js'

/** A response as an identity provider has a browser post it: from another site, so that no cookie comes with it. */
export interface PostedResponse {
  readonly idpId: string
  /** The form field, as it came, or `unreadForm`. */
  readonly samlResponse: unknown
  /** The address that it came from, for limits alone. */
  readonly ip: string
  readonly requestId: string
}

/** Whose page a browser sees. */
export interface PageOf {
  /** Of the organization. */
  readonly domain: string
  readonly environment: Environment
}

/** What becomes of the browser. */
type ArrivalOutcome =
  /** No such connection. */
  | { readonly to: 'nowhere' }
  /** Our own address, where its cookies are seen. */
  | (PageOf & { readonly to: 'continue'; readonly handle: string })
  /** The page of the administrator's test, which says what was wrong. */
  | (PageOf & { readonly to: 'test'; readonly traceId: string })
  | (PageOf & { readonly to: 'refused' })

/** A response that nobody asked for is taken for so long, where it is taken at all. */
const acceptedForMs = 2 * 60 * 1000

/**
 * Proves a response, and keeps what it proves for a minute. Nothing is consumed: whose browser it is shows in the next
 * request alone, which comes with cookies.
 *
 * @throws ApiError `rate_limited` when the network has sent the connection too much, refused or not.
 */
export async function receiveResponse(deps: Deps, posted: PostedResponse): Promise<ArrivalOutcome> {
  const { idpId, requestId } = posted
  // Of one connection, so that nobody is kept from another, nor from their password.
  const sender = `${idpId} ${networkOfClient(posted.ip)}`
  deps.limits.failedResponses.check(sender)
  deps.limits.provedResponses.check(sender)
  const opened = await openResponse(posted.samlResponse)
  const receiving = await findReceivingConnection(deps, idpId, claimedRequestOf(opened))
  if (receiving === undefined) return { to: 'nowhere' }
  const { live, metadata, isTest } = receiving
  const { domain, environment } = live
  const of: PageOf = { domain, environment }
  const { checks, assertion, named } = await prove(deps, opened, receiving)
  const kind = isTest ? 'test' : assertion?.inResponseTo === null ? 'idp_initiated' : 'sign_in'
  const known = {
    kind,
    checks,
    nameId: named?.nameId || null,
    email: (named && assertedEmail(named)) ?? null,
    attributes: named?.attributes ?? null,
    requestId,
  } as const
  if (metadata === undefined || assertion === undefined || failedCheckOf(checks) !== undefined)
    return refuse(known)
  await noteLimit(deps.limits.provedResponses)
  const proof = { assertion, metadataVersion: metadata.version, trace: known }
  const handle = await insertArrival(deps, live, proof)
  if (handle !== undefined) return { ...of, to: 'continue', handle }
  const used: CheckResult = { name: 'replay', passed: false, expected: null, received: assertion.id }
  return refuse({ ...known, checks: [...checks, used] })

  async function refuse(trace: Omit<NewTrace, 'outcome'>): Promise<ArrivalOutcome> {
    await noteLimit(deps.limits.failedResponses)
    const traceId = await noteRefused(deps, live, trace)
    return isTest && traceId !== undefined ? { ...of, to: 'test', traceId } : { ...of, to: 'refused' }
  }

  /** Counts a response. That no more of its network are taken is told once, since those leave no trace. */
  async function noteLimit(limit: FailureLimit): Promise<void> {
    if (await limit.count(sender))
      await logEnd(deps, deps.db, live, { kind, email: null, failed: 'rate_limited', requestId })
  }
}

/** The checks up to what the database knows of who sends it. */
async function prove(
  deps: Pick<Deps, 'now'>,
  opened: OpenedResponse,
  { live, metadata, serviceProvider }: ReceivingConnection,
): Promise<Validation> {
  if (metadata === undefined) {
    const received = 'the connection has no metadata yet'
    const checks: CheckResult[] = [{ name: 'signature', passed: false, expected: null, received }]
    return { checks, assertion: undefined, named: undefined }
  }
  const { allowSha1, allowCbcUnsignedResponse } = live
  const validation = await validateResponse(opened, {
    identityProvider: metadata,
    serviceProvider,
    rules: { allowSha1, allowCbcUnsignedResponse },
    at: deps.now(),
  })
  const { checks, assertion } = validation
  return assertion?.inResponseTo === null
    ? { ...validation, checks: [...checks, checkUnsolicited(deps, live, assertion)] }
    : validation
}

/** Whether a response that nobody asked for is taken, as the connection says. */
function checkUnsolicited(
  { now }: Pick<Deps, 'now'>,
  { idpInitiated }: LiveConnection,
  { issuedAt }: Assertion,
): CheckResult {
  const name = 'unsolicited'
  if (idpInitiated === 'bounce') return { name, passed: true, expected: null, received: null }
  if (idpInitiated === 'reject')
    return { name, passed: false, expected: 'an answer to a request of ours', received: 'no InResponseTo' }
  return {
    name,
    passed: now().getTime() - issuedAt.getTime() <= acceptedForMs,
    expected: 'issued within the last two minutes',
    received: issuedAt.toISOString(),
  }
}

/** @returns The id of the trace; undefined where enough of them are kept. */
async function noteRefused(
  deps: Deps,
  live: LiveConnection,
  trace: Omit<NewTrace, 'outcome'>,
): Promise<string | undefined> {
  const traceId = await insertRefusedTrace(deps, deps.db, live, trace)
  if (traceId === undefined) return undefined
  await logEnd(deps, deps.db, live, { ...trace, failed: failedCheckOf(trace.checks) })
  return traceId
}
