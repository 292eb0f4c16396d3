import type { Environment } from '@portico/contract/fields'
import type { Deps } from '../deps.js'
import { logEvent } from '../log-events/log-event.js'
import type { CheckResult } from '../saml/checks.js'
import {
  claimedRequestOf,
  validateResponse,
  type Assertion,
  type Validation,
} from '../saml/validate-response.js'
import { assertedEmail } from './asserted-identity.js'
import { networkOfClient } from '../outbound/address.js'
import { isOfConnection } from '../sso-connections/connection-key.js'
import { insertArrival, isAssertionUsed } from './arrival.js'
import {
  findCurrentMetadata,
  findLiveConnection,
  findMetadataVersion,
  findServiceProvider,
  type LiveConnection,
  type TrustedMetadata,
} from './live-connection.js'
import { deleteTrace, failedCheckOf, insertRefusedTrace, insertTrace, type NewTrace } from './traces.js'

/** A response as an identity provider has a browser post it: from another site, so that no cookie comes with it. */
export interface PostedResponse {
  readonly idpId: string
  /** The form field, as it came. */
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
export type ArrivalOutcome =
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
  const live = await findLiveConnection(deps.db, posted.idpId)
  if (live === undefined) return { to: 'nowhere' }
  // Of one connection, so that nobody is kept from another, nor from their password.
  const sender = `${live.connectionId} ${networkOfClient(posted.ip)}`
  deps.limits.failedResponses.check(sender)
  deps.limits.provedResponses.check(sender)
  const { domain, environment } = live
  const of: PageOf = { domain, environment }
  const test = await findClaimedTest(deps, live, posted)
  const metadata =
    test === undefined
      ? await findCurrentMetadata(deps.db, live)
      : await findMetadataVersion(deps.db, live, test.metadataVersion)
  const { checks, assertion, named } = await prove(deps, live, posted, metadata)
  const kind = test !== undefined ? 'test' : assertion?.inResponseTo === null ? 'idp_initiated' : 'sign_in'
  const known = {
    kind,
    checks,
    nameId: named?.nameId || null,
    email: (named && assertedEmail(named)) ?? null,
    attributes: named?.attributes ?? null,
    requestId: posted.requestId,
  } as const
  if (metadata === undefined || assertion === undefined || failedCheckOf(checks) !== undefined) {
    await deps.limits.failedResponses.count(sender)
    const traceId = await noteRefused(deps, live, known)
    return kind === 'test' && traceId !== undefined
      ? { ...of, to: 'test', traceId }
      : { ...of, to: 'refused' }
  }
  await deps.limits.provedResponses.count(sender)
  const handle = await deps.db.transaction().execute(async (trx) => {
    const traceId = await insertTrace(deps, trx, live, { ...known, outcome: 'arrived' })
    const proof = { assertion, metadataVersion: metadata.version, traceId }
    const arrival = await insertArrival(deps, trx, live, proof)
    if (arrival.traceId !== traceId) await deleteTrace(trx, live, traceId)
    return arrival.handle
  })
  return { ...of, to: 'continue', handle }
}

/** The checks up to what the database knows of who sends it. */
async function prove(
  deps: Deps,
  live: LiveConnection,
  { samlResponse }: PostedResponse,
  metadata: TrustedMetadata | undefined,
): Promise<Validation> {
  if (metadata === undefined) {
    const received = 'the connection has no metadata yet'
    const checks: CheckResult[] = [{ name: 'signature', passed: false, expected: null, received }]
    return { checks, assertion: undefined, named: undefined }
  }
  const { allowSha1, allowCbcUnsignedResponse } = live
  const validation = await validateResponse(samlResponse, {
    identityProvider: metadata,
    serviceProvider: await findServiceProvider(deps, live),
    rules: { allowSha1, allowCbcUnsignedResponse },
    at: deps.now(),
  })
  const { checks, assertion } = validation
  if (assertion === undefined) return validation
  const unsolicited = assertion.inResponseTo === null ? [checkUnsolicited(deps, live, assertion)] : []
  const isUsed =
    unsolicited.every(({ passed }) => passed) && (await isAssertionUsed(deps.db, live, assertion))
  const used: CheckResult = { name: 'replay', passed: false, expected: null, received: assertion.id }
  return { ...validation, checks: [...checks, ...unsolicited, ...(isUsed ? [used] : [])] }
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

/** The administrator's test whose request a response claims to answer; it is held against what they have uploaded. */
async function findClaimedTest(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  live: LiveConnection,
  { samlResponse }: PostedResponse,
): Promise<{ readonly metadataVersion: number } | undefined> {
  const claimed = claimedRequestOf(samlResponse)
  if (claimed === undefined) return undefined
  const row = await db
    .selectFrom('saml_requests')
    .where(isOfConnection('saml_requests', live))
    .where('id', '=', claimed)
    .where('expires_at', '>', now())
    .where('admin_session_id', 'is not', null)
    .select('metadata_version')
    .executeTakeFirst()
  return row && { metadataVersion: row.metadata_version }
}

/** @returns The id of the trace; undefined where enough of them are kept. */
async function noteRefused(
  deps: Deps,
  live: LiveConnection,
  trace: Omit<NewTrace, 'outcome'>,
): Promise<string | undefined> {
  const traceId = await insertRefusedTrace(deps, deps.db, live, trace)
  if (traceId === undefined) return undefined
  await logEvent(deps, deps.db, {
    accountId: live.accountId,
    environment: live.environment,
    organizationId: live.organizationId,
    domain: live.domain,
    code: trace.kind === 'test' ? 'ADMIN_ONBOARDING_TESTED' : 'SSO_END_USER_SAML_FAILED',
    email: trace.email,
    reason: failedCheckOf(trace.checks) ?? null,
    idpId: live.idpId,
    requestId: trace.requestId,
  })
  return traceId
}
