import type { AuthorizationRequest } from '@portico/contract/authorize'
import { startImpersonation } from '../../sign-in/impersonation/start.js'
import { grantedScope } from '../../tokens/scopes.js'
import type { Deps } from '../../delivery/deps.js'
import type { AuthorizationFault } from './authorization-request.js'
import type { AskingClient } from './authorizing-client.js'
import type { IdTokenHint } from './id-token-hint.js'
import { isAcrUnknown, requiredFactors } from './requested-acr.js'
import { expectedUsers, toRequestedClaims } from './requested-claims.js'
import type { HintedRequest } from './session-fit.js'

/** The browser that brings a handle. */
interface HandleBrowser {
  /** Of the flow cookie. */
  readonly browserSecret: string
  readonly requestId: string
}

/**
 * Answers a request with the handle of an impersonation: with a code, without a page, and without a look at the sessions of the
 * browser.
 */
export async function issueImpersonatedCode(
  deps: Deps,
  { application, client }: AskingClient,
  { request, hint }: HintedRequest,
  handle: string,
  { browserSecret, requestId }: HandleBrowser,
): Promise<{ readonly code: string } | { readonly fault: AuthorizationFault }> {
  const isTwo = ['two', 'phishing_resistant'].includes(requiredFactors(request))
  if (isAcrUnknown(request) || isTwo) return { fault: oneFactorOnly }
  if (request.prompt?.includes('consent')) return { fault: noConsent }
  const named = application.issuer === 'organization' ? client?.domain : request.organization
  if (named !== undefined && hint !== undefined && hint.organizationDomain !== named)
    return { fault: notUsable }
  const code = await startImpersonation(
    deps,
    {
      ...application,
      organizationDomain: named ?? hint?.organizationDomain ?? null,
      expectedUserIds: expectedBy(request, hint) ?? null,
      handle,
      browserSecret,
    },
    {
      issuer: application.issuer,
      redirectUri: application.redirectUri,
      state: request.state ?? null,
      nonce: request.nonce ?? null,
      codeChallenge: request.code_challenge ?? null,
      scope: grantedScope(request.scope.join(' ')),
      claims: toRequestedClaims(request),
      requestId,
    },
  )
  return code === undefined ? { fault: notUsable } : { code }
}

/** The users that both id_token_hint and the claim sub accept; undefined: any. */
function expectedBy(
  request: AuthorizationRequest,
  hint: IdTokenHint | undefined,
): readonly string[] | undefined {
  const expected = expectedUsers(request)
  if (hint === undefined) return expected
  return expected?.includes(hint.userId) === false ? [] : [hint.userId]
}

const oneFactorOnly: AuthorizationFault = {
  error: 'unmet_authentication_requirements',
  description: 'a second factor is demanded, and an impersonation has none',
}
const noConsent: AuthorizationFault = {
  error: 'access_denied',
  description: 'prompt demands the consent of the user, which an impersonation cannot give',
}
/** One text for all reasons, so that nobody learns whose a handle is. */
const notUsable: AuthorizationFault = {
  error: 'access_denied',
  description:
    'impersonation is not one that can be used now: it was used, has ended or expired, or belongs to another browser, application, organization or user',
}
