import type { AuthorizationRequest } from '@portico/contract/authorize'
import { isEmailDomainAllowed } from '../../directory/sessions/complete-sign-in.js'
import type { BrowserSession } from '../../directory/sessions/browser-session.js'
import { isSecondFactorMissing } from '../../directory/sessions/totp-asked.js'
import { normalizeEmail } from '../../platform/email.js'
import { hintedEmail } from './authorization-request.js'

/** What a request demands of a session, beside what it says itself. */
export interface Demands {
  readonly request: AuthorizationRequest
  readonly allowedEmailDomains: readonly string[] | null
  readonly isMfaRequired: boolean
  /** Of the id_token_hint. */
  readonly hintedUserId: string | undefined
  readonly at: Date
}

/**
 * Whether a session of the browser is enough for a request: it is; only the second factor is missing, which its user has;
 * or its user has to sign in anew, or somebody else has to. Who is to set up a second factor signs in anew before: a browser
 * that was left alone must not be where a stranger sets up theirs.
 */
export function fitOf(
  session: BrowserSession | undefined,
  { request, allowedEmailDomains, isMfaRequired, hintedUserId, at }: Demands,
): 'enough' | 'step_up' | 'sign_in' {
  if (session === undefined || isSignInAskedFor(request)) return 'sign_in'
  if (isTooOld(session, request, at)) return 'sign_in'
  if (hintedUserId !== undefined && hintedUserId !== session.userId) return 'sign_in'
  const sessionEmail = normalizeEmail(session.email)
  const hint = hintedEmail(request)
  if (hint !== undefined && normalizeEmail(hint) !== sessionEmail) return 'sign_in'
  if (!isEmailDomainAllowed(allowedEmailDomains, sessionEmail)) return 'sign_in'
  const { amr, isTotpAsked } = session
  if (!isSecondFactorMissing(amr, { isTotpAsked, isMfaRequired })) return 'enough'
  return isTotpAsked ? 'step_up' : 'sign_in'
}

function isSignInAskedFor({ prompt = [] }: AuthorizationRequest): boolean {
  return prompt.some((value) => value === 'login' || value === 'select_account' || value === 'create')
}

/**
 * Whether an identity provider has to ask its users anew, who may be signed in there for longer than the application
 * allows.
 */
export function isFreshSignInAskedFor({ prompt = [], max_age: maxAge }: AuthorizationRequest): boolean {
  return prompt.includes('login') || maxAge !== undefined
}

/** max_age=0 is prompt=login by another name (OpenID Connect Core section 3.1.2.1). */
function isTooOld(session: BrowserSession, { max_age: maxAge }: AuthorizationRequest, at: Date): boolean {
  if (maxAge === undefined) return false
  return maxAge === 0 || at.getTime() - session.authenticatedAt.getTime() > maxAge * 1000
}
