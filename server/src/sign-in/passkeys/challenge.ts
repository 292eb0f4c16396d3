import type { RefusalReason } from '@portico/contract/log-events'
import type {
  NewPasskeyChallenge,
  OpenPasskeyChallenge,
  PassedPasskeyChallenge,
  PasskeyChallengeAnswer,
} from '@portico/contract/passkey-ceremonies'
import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { Changed } from '../../delivery/events/change.js'
import { chooseDestination } from '../../directory/sessions/code-destination.js'
import { completeSignIn } from '../../directory/sessions/complete-sign-in.js'
import type { DB } from '../../platform/db/schema.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { ofUser, type Caller, type Tenant } from '../../platform/tenant.js'
import { grantedScope } from '../../tokens/scopes.js'
import { forgetAttempts, organizationAttempts } from '../flows/attempts.js'
import { completePendingSignIn, findPendingSignIn } from '../flows/pending-sign-in.js'
import { openRenewal } from '../password/open-request.js'
import { insertCeremony, takeCeremony, type NewCeremony, type TakenCeremony } from './api-ceremony.js'
import { challengesOf, expectedAt, toRequestOptions } from './ceremony.js'
import { getPasskeyConnection } from './connection.js'
import { findOwnPage, getOwnPage } from './own-page.js'
import { findPasskeys, usableAt } from './passkeys.js'
import { proveUse, type PasskeyProof, type ProvedPasskey } from './prove-passkey.js'
import { useAsSecondFactor } from './second-factor.js'
import { amr, settle, useAsFirstFactor } from './sign-in.js'

/**
 * Asks for a passkey on a page of an application: for any of the organization, which tells nobody who has some, or for one of the
 * user whose password was right.
 *
 * @throws ApiError `organization_not_found`, `passkeys_inactive`, `application_not_found`, `no_application`, `rate_limited`, and
 *   `invalid_parameters` for an application without passkeys, or a password_request_id that is not open
 */
export async function createPasskeyChallenge(
  deps: Deps,
  caller: Caller,
  input: NewPasskeyChallenge,
): Promise<Changed<OpenPasskeyChallenge>> {
  const tenant = { ...caller, domain: input.org_domain }
  const { record: connection } = await getPasskeyConnection(deps, tenant)
  const isSecondFactor = input.password_request_id !== undefined
  if (!connection.active || !(connection.first_factor || isSecondFactor))
    throw new ApiError('passkeys_inactive')
  const { accountId, environment, domain } = tenant
  await deps.limits.take(organizationAttempts, { accountId, environment, domain })
  const asked = await (isSecondFactor ? askUser(deps, tenant, input) : askAnybody(deps, tenant, input))
  const { rpId } = await getOwnPage(deps.db, tenant, asked.applicationId)
  const { userId } = asked
  const passkeys = userId === undefined ? [] : await findPasskeys(deps, tenant, userId)
  const { ceremony, expiresAt } = await insertCeremony(deps, tenant, asked)
  const [challenge] = challengesOf(deps, ceremony)
  const known = usableAt(rpId, passkeys)
  return {
    record: {
      __type__: 'PasskeyChallenge',
      __domain__: domain,
      __environment__: environment,
      request_id: ceremony.id,
      options: toRequestOptions({ challenge, rpId, known, isVerificationRequired: !isSecondFactor }),
      expired_at: expiresAt.toISOString(),
    },
  }
}

async function askAnybody(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  input: NewPasskeyChallenge,
): Promise<NewCeremony> {
  const { applicationId, ...code } = await chooseDestination(db, tenant, input)
  return { purpose: 'sign_in', applicationId, code: { ...code, scope: grantedScope(code.scope, 'passkey') } }
}

async function askUser(
  deps: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  { password_request_id: pendingSignInId = '' }: NewPasskeyChallenge,
): Promise<NewCeremony> {
  const signIn = await findPendingSignIn(deps, deps.db, tenant, { pendingSignInId, flowId: null })
  if (signIn === undefined)
    throw invalid(
      'password_request_id',
      'not_open',
      'must be the request_id of a password challenge that waits for a second factor',
    )
  const { application_id: applicationId, user_id: userId } = signIn
  return { purpose: 'second_factor', applicationId, userId, pendingSignInId }
}

/** What a right answer comes to. */
type Reached = Pick<PassedPasskeyChallenge, 'user_id' | 'code' | 'renew_password'>

/**
 * Signs in the user of a passkey by the answer to a challenge, which it takes away whatever the answer is.
 *
 * @throws ApiError `passkey_rejected` for every fault; the log of the organization has the reason.
 */
export async function validatePasskeyChallenge(
  deps: Deps,
  caller: Caller,
  { request_id: id, credential }: PasskeyChallengeAnswer,
): Promise<Changed<PassedPasskeyChallenge>> {
  const taken = await takeCeremony(deps, caller, { id, purposes: ['sign_in', 'second_factor'] })
  if (taken === undefined) throw new ApiError('passkey_rejected')
  const tenant = { ...caller, domain: taken.domain }
  const { accountId, environment, domain } = tenant
  const { organization_id: organizationId, application_id: applicationId } = taken
  const place = { accountId, environment, domain, organizationId, applicationId }
  const proof = await prove(deps, tenant, taken, credential)
  const outcome = await settle<Reached>(deps, tenant, place, proof, (trx, proved) =>
    completeChallenge(deps, trx, tenant, taken, proved),
  )
  if (typeof outcome === 'string') throw new ApiError('passkey_rejected')
  if ('proved' in proof && taken.pending_sign_in_id === null)
    await forgetAttempts(deps, { ...tenant, address: proof.proved.emailNormalized })
  return {
    record: {
      __type__: 'PasskeyChallenge',
      __domain__: domain,
      __environment__: environment,
      request_id: id,
      success: true,
      ...outcome,
    },
    subjectId: outcome.user_id,
  }
}

async function prove(
  deps: Deps,
  tenant: Tenant,
  {
    application_id,
    organization_id: organizationId,
    redirect_uri,
    pending_sign_in_id,
    ceremony,
  }: TakenCeremony,
  credential: PasskeyChallengeAnswer['credential'],
): Promise<PasskeyProof> {
  const page = await findOwnPage(deps.db, tenant, application_id)
  if (page === undefined) return { refused: 'passkeys_inactive' }
  if (redirect_uri !== null && !page.redirectUris.includes(redirect_uri))
    return { refused: 'redirect_not_allowed' }
  const { accountId, environment } = tenant
  const expected = expectedAt(deps, page, ceremony, pending_sign_in_id === null)
  return proveUse(deps, { accountId, environment, organizationId }, expected, credential)
}

async function completeChallenge(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  taken: TakenCeremony,
  proved: ProvedPasskey,
): Promise<RefusalReason | Reached> {
  const { userId } = proved
  const { pending_sign_in_id: pendingSignInId } = taken
  if (pendingSignInId === null) {
    const refused = await useAsFirstFactor(deps, trx, tenant, proved)
    if (refused !== undefined) return refused
    const code = await completeSignIn(deps, trx, {
      tenant: ofUser(tenant, userId),
      organizationId: taken.organization_id,
      userId,
      applicationId: taken.application_id,
      redirectUri: taken.redirect_uri ?? '',
      amr,
      authenticatedAt: deps.now(),
      nonce: taken.nonce,
      codeChallenge: taken.code_challenge,
      scope: taken.scope ?? '',
      state: taken.state,
      via: 'api',
    })
    return { user_id: userId, code, renew_password: null }
  }
  const refused = await useAsSecondFactor(deps, trx, tenant, taken.user_id ?? '', proved)
  if (refused !== undefined) return refused
  const signIn = await completePendingSignIn(deps, trx, tenant, { pendingSignInId, userId, amr: 'pop' })
  if (signIn === undefined || signIn.code === null) return 'sign_in_over'
  const { code, renewal } = signIn
  const password_code = renewal && (await openRenewal(deps, trx, tenant, { ...renewal, userId }))
  return { user_id: userId, code, renew_password: password_code === undefined ? null : { password_code } }
}
