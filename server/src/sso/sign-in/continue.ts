import type { Deps } from '../../delivery/deps.js'
import { findAdminSession } from '../admins/admin-session.js'
import { consumeArrival, type ConsumedArrival } from './arrival.js'
import { toAsserted } from './asserted-identity.js'
import { assertCheck, assertCheckStill, CheckRefused, type CheckList } from './check-list.js'
import { completeSsoSignIn, type SsoAnswer, type SsoEnd, type SsoSignIn } from './complete.js'
import { findLiveConnection, type LiveConnection } from './live-connection.js'
import type { SsoOutcome } from './outcome.js'
import { completeUnsolicited } from './unsolicited.js'

/** A browser that returns with the handle of its posted response. */
interface ContinuingBrowser {
  readonly idpId: string
  readonly handle: string
  /** From the flow cookie, existing or new. */
  readonly browserSecret: string
  /** From the administrator's cookie; undefined without one. */
  readonly adminSecret: string | undefined
  readonly requestId: string
}

/**
 * Completes the sign-in for a SAML response that was validated when it was posted. Single use: handle, request and assertion
 * are consumed in the transaction that decides, whatever it decides.
 */
export async function continueSignIn(deps: Deps, returned: ContinuingBrowser): Promise<SsoOutcome> {
  const { idpId, handle, browserSecret, adminSecret, requestId } = returned
  const found = await findLiveConnection(deps.db, idpId)
  if (found === undefined) return { to: 'nowhere' }
  const admin = adminSecret === undefined ? undefined : await findAdminSession(deps, adminSecret)
  const browser = { found, browserSecret, adminSessionId: admin?.sessionId, requestId }
  return completeSsoSignIn(deps, browser, async (trx, live) => {
    const arrival = await consumeArrival(deps, trx, live, handle)
    return (
      arrival && toSsoAnswer(live, arrival, (signIn) => completeUnsolicited(deps, trx, signIn, browserSecret))
    )
  })
}

/** Hands over the validated assertion, or the check by which its one use was refused. */
function toSsoAnswer(
  live: LiveConnection,
  arrival: ConsumedArrival,
  complete: (signIn: SsoSignIn) => Promise<SsoEnd>,
): SsoAnswer {
  const { assertion, attemptId, metadataVersion: version, currentVersion } = arrival
  const checks: CheckList = { results: [...arrival.checks] }
  return {
    asserted: toAsserted(live, assertion),
    checks,
    attemptId,
    request: checkRequest(checks, arrival) ?? { kind: 'idp_initiated', complete },
    version,
    versionCheck: {
      name: 'signature',
      passed: currentVersion === version,
      expected: 'a key of the metadata in use',
      received: `a key of version ${version} of the metadata, which is not in use any more`,
    },
    authenticated: { name: 'AuthnInstant', at: assertion.authenticatedAt },
    checkNames: { request: 'request', browser: 'browser' },
  }
}

/** The request that the assertion answers, made by the metadata that validated it; undefined for an unsolicited response. */
function checkRequest(
  checks: CheckList,
  { assertion, isFirstUse, request, metadataVersion }: ConsumedArrival,
): SsoAnswer['request'] | undefined {
  const isUnsolicited = assertion.inResponseTo === null
  try {
    assertCheck(checks, 'replay', isFirstUse, { received: assertion.id })
    if (isUnsolicited) return undefined
    assertCheck(checks, 'request', request !== undefined, { received: assertion.inResponseTo })
    assertCheckStill(checks, 'request', request.metadataVersion === metadataVersion, {
      expected: `version ${request.metadataVersion} of the metadata, by which it was made`,
      received: `version ${metadataVersion}`,
    })
    return request
  } catch (failure) {
    if (!(failure instanceof CheckRefused)) throw failure
    return { kind: isUnsolicited ? 'idp_initiated' : 'sign_in', failure }
  }
}
