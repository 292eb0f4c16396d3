import type { Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import type { Flow } from '../flows/flow.js'
import { completeFirstFactorInFlow } from '../flows/pending-sign-in.js'
import { ofUser, type Caller, type Tenant } from '../../platform/tenant.js'
import type { LimitState } from '../../platform/errors.js'
import { lockPasswordUser, logChallenge, verifyPassword, type VerifiedPassword } from './verification.js'

/** The outcome of a password typed in a flow. */
interface PasswordSignIn {
  readonly isPassed: boolean
  /** The limit as reported for every attempt, independent of the user and the input. */
  readonly limit: LimitState
}

/**
 * Verifies the password typed in a flow, as createPasswordChallenge() does for the API, and moves the flow on if it is
 * right. Every failure has the same answer.
 *
 * @throws ApiError `rate_limited`, and, independent of the user, `password_connection_not_found`,
 *   `connection_inactive`, `email_domain_not_allowed`
 */
export async function signInByPassword(
  deps: Deps,
  caller: Caller & Tenant,
  flow: Flow & { readonly email: string },
  plainText: string,
): Promise<PasswordSignIn> {
  const sent = { typedEmail: flow.email, domain: flow.domain, plainText }
  const verified = await verifyPassword(deps, caller, sent, () => flow)
  const { record: isPassed } = await change(deps, caller.cause, async (trx) => {
    if ('passed' in verified) return { record: await completePassword(deps, trx, verified.passed) }
    const { refused, reason } = verified
    await logChallenge(deps, trx, refused, { code: 'END_USER_PASSWORD_FAILED', reason })
    return { record: false }
  })
  const { attempt } = 'passed' in verified ? verified.passed : verified.refused
  if (isPassed) await attempt.succeed()
  return { isPassed, limit: attempt.state }
}

/** @returns Whether the flow was open, and the user unchanged. */
async function completePassword(
  deps: Deps,
  trx: Transaction<DB>,
  passed: VerifiedPassword<Flow>,
): Promise<boolean> {
  const { addressee, destination: flow, password, isRenewalDue } = passed
  const userId = await lockPasswordUser(deps, trx, passed)
  const signIn = {
    tenant: ofUser(passed.tenant, userId ?? ''),
    organizationId: addressee.organization_id,
    userId: userId ?? '',
    applicationId: flow.applicationId,
    redirectUri: flow.redirectUri,
    amr: ['pwd'],
    authenticatedAt: deps.now(),
    // The flow itself has the parameters of its code.
    ...{ nonce: null, codeChallenge: null, state: null, scope: '' },
    isRenewalDue,
    via: 'page' as const,
  }
  const step = userId === undefined ? undefined : await completeFirstFactorInFlow(deps, trx, signIn, flow)
  if (userId === undefined || step === undefined) {
    await logChallenge(deps, trx, passed, { code: 'END_USER_PASSWORD_FAILED', reason: 'changed_meanwhile' })
    return false
  }
  const isCodeAsked = step === 'totp'
  await emit(deps, trx, signIn.tenant, {
    code: 'password.challenge.create.success',
    record: {
      __type__: 'PasswordChallenge',
      __domain__: flow.domain,
      __environment__: flow.environment,
      request_id: newId(),
      'valid?': !isCodeAsked,
      error: isCodeAsked ? 'totp_required' : null,
      expired_at: flow.expiresAt.toISOString(),
      user_id: userId,
      password_id: password.id,
    },
    organizationId: addressee.organization_id,
    subjectId: userId,
  })
  await logChallenge(deps, trx, passed, { code: 'END_USER_PASSWORD_SUCCESS' })
  return true
}
