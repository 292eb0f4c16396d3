import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { AuthorizationAnswer } from '../../directory/sessions/authorization-answer.js'
import { withParameters } from '../../directory/sessions/complete-sign-in.js'
import { accountIssuerOf } from '../../tokens/issuer.js'

/** A consumed flow with its organization and application. */
interface InitiatedFlow {
  readonly is_idp_initiated: boolean
  /** Of the organization. */
  readonly domain: string
  readonly account_domain: string
  readonly application_name: string
  readonly initiate_login_uri: string | null
  readonly allowed_web_origins: readonly string[]
  readonly code_exchange: string
  readonly client_authentication: string
}

/** The end of a sign-in on a page, because no address is known at which the application would begin one of its own. */
export interface SignedInHere {
  readonly mode: 'page'
  readonly applicationName: string
  /** An origin of the application; null where none is known. */
  readonly url: string | null
}

/**
 * The end of a sign-in that an identity provider has begun. The application did not ask for it, so that it has neither a
 * verifier for a code nor a state to compare: it begins a sign-in of its own (OpenID Connect Core section 4), to which the
 * session of the browser answers at once.
 *
 * @returns Undefined where the application gets a code: it has begun the sign-in, or needs no proof that it has.
 */
export function endOfIdpInitiated(
  { config }: Pick<Deps, 'config'>,
  flow: InitiatedFlow,
  email: string,
): AuthorizationAnswer | SignedInHere | undefined {
  if (!flow.is_idp_initiated) return undefined
  const { domain, account_domain: accountDomain, initiate_login_uri: uri } = flow
  if (uri !== null) {
    const iss = accountIssuerOf(config.baseUrl, accountDomain)
    const parameters = { iss, organization: domain, login_hint: email }
    return { mode: 'query', redirectUrl: withParameters(uri, parameters) }
  }
  if (flow.code_exchange !== 'pkce' && flow.client_authentication === 'none') return undefined
  return { mode: 'page', applicationName: flow.application_name, url: flow.allowed_web_origins[0] ?? null }
}

/**
 * The address at which a flow leaves the service, of a statement with `flow` and `applications`.
 *
 * @param redirectUri The column of the address of other flows.
 */
export function endUriOfFlow(redirectUri: 'flow.redirect_uri' | 'challenge.redirect_uri') {
  return sql<string>`coalesce(
    case when flow.is_idp_initiated then applications.initiate_login_uri end, ${sql.ref(redirectUri)}
  )`
}
