import { sql } from 'kysely'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { limit, type Limit } from '../../delivery/limits/limits.js'
import type { CheckResult } from '../saml/checks.js'
import {
  claimedRequestOf,
  openResponse,
  validateResponse,
  type OpenedResponse,
  type ServiceProvider,
  type Validation,
} from '../saml/validate-response.js'
import type { Assertion } from '../saml/assertion.js'
import { openSsoKeys, ssoKeysOfConnection } from '../connections/keys.js'
import { assertedEmail } from './asserted-identity.js'
import { isAwaited } from './awaited-request.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import { insertArrival } from './arrival.js'
import {
  liveConnections,
  toLiveConnection,
  toServiceProvider,
  toTrustedMetadata,
  type LiveConnection,
  type TrustedMetadata,
} from './live-connection.js'
import { failedCheckOf, logSsoSignIn, recordRefusedAttempt, type NewLoginAttempt } from './login-attempts.js'
import { endPageOf, type EndPage, type PageOf } from './outcome.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

/** Refused responses, by network and connection, since any page can make its visitors post some. */
export const failedResponses = limit('saml-response', {
  windowSeconds: 15 * 60,
  most: (settings) => settings.samlFailuresPerIp,
})

/**
 * Valid responses: an identity provider in a loop must fill no table, and is refused before validation. An IdP-initiated
 * sign-in has two, the unsolicited response and the answer to our request.
 */
const validResponses = limit('saml-response-proved', {
  windowSeconds: 15 * 60,
  most: (settings) => settings.flowsPerIp * 2,
})

/** A response as an identity provider has a browser post it: from another site, so that no cookie comes with it. */
interface PostedResponse {
  readonly idpId: string
  /** The form field, as it came, or `unreadForm`. */
  readonly samlResponse: unknown
  /** The browser's IP address, for limits only. */
  readonly ip: string
  readonly requestId: string
}

/** The next address of the browser: our own, where its cookies are seen, or a page that ends the sign-in. */
type ArrivalOutcome =
  | { readonly to: 'nowhere' }
  | (PageOf & { readonly to: 'continue'; readonly handle: string })
  | EndPage

/** The age up to which an unsolicited response is accepted, where the connection accepts any. */
const acceptedForMs = 2 * 60 * 1000

/**
 * Validates a response, and keeps the assertion for a minute. Nothing is consumed: the browser is known by its cookies,
 * which come only with its next request.
 *
 * @throws ApiError `rate_limited` when the network has sent the connection too much, refused or not.
 */
export async function receiveResponse(deps: Deps, posted: PostedResponse): Promise<ArrivalOutcome> {
  const { idpId, requestId } = posted
  // By connection, so that other connections and passwords stay usable.
  const sender = `${idpId} ${networkOfClient(posted.ip)}`
  deps.limits.check(failedResponses, sender)
  deps.limits.check(validResponses, sender)
  const opened = await openResponse(posted.samlResponse)
  const receiving = await findReceivingConnection(deps, idpId, claimedRequestOf(opened))
  if (receiving === undefined) return { to: 'nowhere' }
  const { live, metadata, isTest } = receiving
  const { checks, assertion, named } = await validate(deps, opened, receiving)
  const kind = isTest ? 'test' : assertion?.inResponseTo === null ? 'idp_initiated' : 'sign_in'
  const attempt = {
    kind,
    checks,
    nameId: named?.nameId || null,
    email: (named && assertedEmail(named)) ?? null,
    attributes: named?.attributes ?? null,
    requestId,
  } as const
  if (metadata === undefined || assertion === undefined || failedCheckOf(checks) !== undefined)
    return refuse(attempt)
  await countFor(validResponses)
  const handle = await insertArrival(deps, live, { assertion, metadataVersion: metadata.version, attempt })
  const { domain, environment } = live
  if (handle !== undefined) return { domain, environment, to: 'continue', handle }
  const used: CheckResult = { name: 'replay', passed: false, expected: null, received: assertion.id }
  return refuse({ ...attempt, checks: [...checks, used] })

  async function refuse(refused: Omit<NewLoginAttempt, 'outcome'>): Promise<EndPage> {
    await countFor(failedResponses)
    const attemptId = await recordRefusedAttempt(deps, live, refused)
    return endPageOf(live, { isTest, failed: failedCheckOf(refused.checks), attemptId })
  }

  /** Counts a response. Reaching the limit of its network is logged once, since responses above it leave no attempt. */
  async function countFor(counted: Limit): Promise<void> {
    if (await deps.limits.note(counted, sender))
      await logSsoSignIn(deps, deps.db, live, { kind, email: null, failed: 'rate_limited', requestId })
  }
}

/** The connection to which a response was posted, with the keys and metadata that validate it. */
interface ReceivingConnection {
  readonly live: LiveConnection
  /** Undefined where the connection has no metadata in use. */
  readonly metadata: TrustedMetadata | undefined
  readonly serviceProvider: ServiceProvider
  /** The response claims to answer an administrator's test; the metadata are those of the test. */
  readonly isTest: boolean
}

/**
 * Finds the connection of an address in one statement; undefined when there is none, or it has another protocol.
 *
 * @param claimedRequest The request that the response claims to answer, which is not validated yet.
 */
async function findReceivingConnection(
  deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>,
  idpId: string,
  claimedRequest: string | undefined,
): Promise<ReceivingConnection | undefined> {
  const [row] = await selectReceiving(deps.db, { idpId, id: claimedRequest ?? null, at: deps.now() })
  if (row === undefined) return undefined
  const live = toLiveConnection(row)
  const { version, entity_id, redirect_url, post_url, certificates } = row
  const isThere = version !== null && entity_id !== null && certificates !== null
  return {
    live,
    metadata: isThere
      ? toTrustedMetadata({ version, entity_id, redirect_url, post_url, certificates })
      : undefined,
    serviceProvider: toServiceProvider(deps, live, () => openSsoKeys(deps, live, row.service_provider_keys)),
    isTest: row.is_test,
  }
}

interface Received {
  readonly idpId: string
  readonly id: string | null
  readonly at: Date
}

const selectReceiving = lookup((db, received: Received) =>
  liveConnections(db)
    .leftJoin('saml_requests', (join) =>
      join
        .on(sameTenant('saml_requests', 'connection'))
        .onRef('saml_requests.connection_id', '=', 'connection.id')
        .on('saml_requests.admin_session_id', 'is not', null)
        .on(isAwaited(received)),
    )
    .leftJoin('sso_metadata_versions as metadata', (join) =>
      join
        .on(sameTenant('metadata', 'connection'))
        .onRef('metadata.connection_id', '=', 'connection.id')
        .on(
          sql<boolean>`case
            when saml_requests.id is null then metadata.is_current
            else metadata.version = saml_requests.metadata_version
          end`,
        ),
    )
    .where('connection.idp_id', '=', received.idpId)
    .where('connection.protocol', '=', 'saml')
    .select([
      'metadata.version',
      'metadata.entity_id',
      'metadata.redirect_url',
      'metadata.post_url',
      'metadata.certificates',
      sql<boolean>`(saml_requests.id is not null)`.as('is_test'),
      ssoKeysOfConnection('service_provider').as('service_provider_keys'),
    ]),
)

/** Makes the checks that need nothing of the browser. */
async function validate(
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

/** Whether an unsolicited response is accepted, as the connection says. */
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
