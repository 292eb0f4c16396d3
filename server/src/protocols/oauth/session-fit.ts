import type { AuthorizationRequest } from '@portico/contract/authorize'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import type { BrowserSession } from '../../directory/sessions/browser-session.js'
import { isSecondFactorMissing } from '../../directory/sessions/totp-asked.js'
import { normalizeEmail } from '../../platform/email.js'
import { isPhishingResistant } from '../../tokens/acr.js'
import { hintedEmail } from './authorization-request.js'
import type { AuthorizingClient } from './authorizing-client.js'
import type { IdTokenHint } from './id-token-hint.js'
import { requiredFactors } from './requested-acr.js'
import { expectedUsers } from './requested-claims.js'

/** The requirements of a request on a session. */
export interface SignInRequirements {
  readonly request: AuthorizationRequest
  readonly allowedEmailDomains: readonly string[] | null
  readonly isMfaRequired: boolean
  /** The second factor is a passkey. */
  readonly isPasskeyRequired: boolean
  /** Of the id_token_hint. */
  readonly hintedUserId: string | undefined
  /** Of the claim sub of the request; undefined: any user. */
  readonly expectedUserIds: readonly string[] | undefined
  readonly at: Date
}

/** A request, with the user of its id_token_hint. */
export interface HintedRequest {
  readonly request: AuthorizationRequest
  readonly hint: IdTokenHint | undefined
}

/** What a request demands of a session at an organization. */
export function requirementsAt(
  { allowedEmailDomains, isTotpActive }: AuthorizingClient,
  { request, hint }: HintedRequest,
  at: Date,
): SignInRequirements {
  const demanded = requiredFactors(request)
  return {
    request,
    allowedEmailDomains,
    isMfaRequired:
      demanded === 'two' ||
      demanded === 'phishing_resistant' ||
      (demanded === 'two_if_possible' && isTotpActive),
    isPasskeyRequired: demanded === 'phishing_resistant',
    hintedUserId: hint?.userId,
    expectedUserIds: expectedUsers(request),
    at,
  }
}

/**
 * Whether a browser's session is sufficient: it is (`enough`), only an enrolled second factor is missing (`step_up`), or one of
 * whose user no app is known (`second_factor`), or its user or another one must sign in (`sign_in`), or it is of another user than
 * the request accepts (`other_user`). Enrolling a second factor requires a new sign-in, so that a stranger at an unattended browser
 * cannot enroll their own.
 */
export function sessionFit(
  session: BrowserSession | undefined,
  { request, allowedEmailDomains, hintedUserId, expectedUserIds, at, ...demanded }: SignInRequirements,
): 'enough' | 'step_up' | 'second_factor' | 'sign_in' | 'other_user' {
  if (session === undefined || isSignInAskedFor(request)) return 'sign_in'
  if (expectedUserIds?.includes(session.userId) === false) return 'other_user'
  if (isTooOld(session, request, at)) return 'sign_in'
  if (hintedUserId !== undefined && hintedUserId !== session.userId) return 'sign_in'
  const sessionEmail = normalizeEmail(session.email)
  const hint = hintedEmail(request)
  if (hint !== undefined && normalizeEmail(hint) !== sessionEmail) return 'sign_in'
  if (!isEmailDomainAllowed(allowedEmailDomains, sessionEmail)) return 'sign_in'
  const { isMfaRequired, isPasskeyRequired } = demanded
  const { amr, isTotpAsked, isEnrollmentDue, isPasskeyAsked } = session
  if (isPasskeyRequired) return isPhishingResistant(amr) ? 'enough' : 'second_factor'
  const isAsked = isTotpAsked || isEnrollmentDue || isPasskeyAsked
  if (!isSecondFactorMissing(amr, { isAsked, isMfaRequired })) return 'enough'
  return isTotpAsked ? 'step_up' : 'second_factor'
}

/** Whether no session is enough, whoever's it is. */
export function isSignInAskedFor({ prompt = [] }: AuthorizationRequest): boolean {
  return prompt.some((value) => value === 'login' || value === 'select_account' || value === 'create')
}

/**
 * Whether an identity provider must reauthenticate its users, whose session there may be older than the application
 * allows.
 */
export function isReauthenticationRequired({ prompt = [], max_age: maxAge }: AuthorizationRequest): boolean {
  return prompt.includes('login') || maxAge !== undefined
}

/** max_age=0 is equivalent to prompt=login (OpenID Connect Core section 3.1.2.1). */
function isTooOld(session: BrowserSession, { max_age: maxAge }: AuthorizationRequest, at: Date): boolean {
  if (maxAge === undefined) return false
  return maxAge === 0 || at.getTime() - session.authenticatedAt.getTime() > maxAge * 1000
}
