import type { Deps } from '../../delivery/deps.js'
import type { StoredOidcClient } from '../connections/oidc-clients.js'
import { assertCheck, type CheckList } from '../sign-in/check-list.js'
import type { LiveConnection } from '../sign-in/live-connection.js'
import { isOfHostedDomain, isSubject } from './claims.js'
import { exchangeChecks } from './id-token.js'
import type { AnsweredClaims } from './claims.js'
import { exchangeAtProvider, ExchangeFault, type OidcClient } from './openid-client.js'
import { ProviderFault, type OpenIdProvider } from '../../platform/openid/provider.js'
import type { ConsumedOidcRequest } from './request.js'
import { redirectUriOf } from './start-request.js'

/** The parameters with which a provider has sent a browser back; a missing text is empty. */
export interface SentAnswer {
  readonly state: string
  readonly code: string
  /** The provider's refusal and its reason; null without a refusal. */
  readonly error: string | null
  /** `iss` (RFC 9207); null without one. */
  readonly issuer: string | null
}

/** An answer to a request of ours, with the client that the request was made with. */
interface AnswerToProve {
  readonly live: LiveConnection
  readonly client: StoredOidcClient
  readonly request: ConsumedOidcRequest
  readonly answer: SentAnswer
  readonly checks: CheckList
}

/**
 * Exchanges the code of an answer for claims, and validates them.
 *
 * @throws CheckRefused
 */
export async function validateAnswer(
  deps: Pick<Deps, 'config' | 'now' | 'openIdProviders' | 'outbound'>,
  { live, client, request, answer, checks }: AnswerToProve,
): Promise<AnsweredClaims> {
  const { issuer } = client
  const provider = await assertProvider(deps, checks, issuer)
  // Checked before the code is sent, since this provider must not get the code of another one (RFC 9700 section 4.4).
  const isSameIssuer = answer.issuer === null ? !provider.isIssuerSent : answer.issuer === issuer
  assertCheck(checks, 'oidc_issuer_parameter', isSameIssuer, {
    expected: issuer,
    received: answer.issuer ?? (isSameIssuer ? null : 'no iss, which this provider always sends'),
  })
  const redirectUri = redirectUriOf(deps.config.baseUrl, live.idpId)
  const claims = await assertClaims(
    deps,
    checks,
    { ...client, provider, redirectUri },
    { ...answer, ...request },
  )
  assertCheck(checks, 'oidc_subject', isSubject(claims.sub), { received: `${claims.sub.length} characters` })
  const isOfDomain = isOfHostedDomain(live, issuer, claims)
  if (isOfDomain !== undefined)
    assertCheck(checks, 'oidc_hosted_domain', isOfDomain, {
      expected: [...live.emailDomains, ...(live.allowedEmailDomains ?? [])].join(', '),
      received: typeof claims['hd'] === 'string' ? claims['hd'] : 'no hd',
    })
  return claims
}

async function assertProvider(
  { openIdProviders }: Pick<Deps, 'openIdProviders'>,
  checks: CheckList,
  issuer: string,
): Promise<OpenIdProvider> {
  const found = await openIdProviders.find(issuer).catch((error: unknown) => {
    if (error instanceof ProviderFault) return error
    throw error
  })
  const received = found instanceof ProviderFault ? found.message : null
  assertCheck(checks, 'oidc_discovery', !(found instanceof ProviderFault), { expected: issuer, received })
  return found
}

/** Runs outside of a transaction, because the provider may be slow. */
async function assertClaims(
  deps: Pick<Deps, 'outbound' | 'now'>,
  checks: CheckList,
  client: OidcClient,
  answer: SentAnswer & ConsumedOidcRequest,
): Promise<AnsweredClaims> {
  const result = await exchangeAtProvider(deps, client, answer).catch((error: unknown) => {
    if (error instanceof ExchangeFault) return error
    throw error
  })
  const fault = result instanceof ExchangeFault ? result.fault : undefined
  for (const name of exchangeChecks) {
    const isMet = fault?.check !== name
    assertCheck(checks, name, isMet, isMet ? {} : fault)
  }
  if (result instanceof ExchangeFault) throw result
  return result
}
