import type { Deps } from '../../delivery/deps.js'
import { networkKey } from '../../delivery/limits/limits.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import type { CheckResult } from '../saml/checks.js'
import type { ConnectionKey } from '../connections/connection-key.js'
import { findClientVersion, findCurrentClient } from '../connections/oidc-clients.js'
import { findLiveConnectionOf, type LiveConnection } from '../sign-in/live-connection.js'
import { recordRefusedAttempt } from '../sign-in/login-attempts.js'
import { requestsOfNetwork } from '../sign-in/start-request.js'
import { toAuthorizationUrl } from './openid-client.js'
import { ProviderFault, type OpenIdProvider } from '../../platform/openid/provider.js'
import { insertOidcRequest } from './request.js'

/** The purpose of a request: a flow of a browser, or an administrator's test of the client that they have entered. */
type OidcPurpose = {
  readonly requestId: string
  /** The browser's IP address, for limits only. */
  readonly ip: string
} & (
  | {
      readonly flowId: string
      /** The provider must authenticate a signed-in user again (OpenID Connect Core section 3.1.2.1, prompt). */
      readonly isForced: boolean
      /** The e-mail address that was entered. */
      readonly email: string | null
    }
  | { readonly adminSessionId: string; readonly clientVersion: number }
)

/** Where an OpenID provider sends the users of a connection back to. */
export function redirectUriOf(baseUrl: string, idpId: string): string {
  return `${baseUrl}/oidc/${idpId}/callback`
}

/**
 * Makes the request that takes a browser to the OpenID provider of a connection, and records that its answer is awaited.
 *
 * @returns The address; undefined when the connection has no such client, its provider cannot be read, or, for a flow, it is
 *   inactive.
 * @throws ApiError `rate_limited` when the network of the browser has asked too often.
 */
export async function startOidcRequest(
  deps: Deps,
  key: ConnectionKey,
  purpose: OidcPurpose,
): Promise<string | undefined> {
  const isFlow = 'flowId' in purpose
  await deps.limits.take(requestsOfNetwork, networkKey(purpose.ip))
  const live = await findLiveConnectionOf(deps.db, key)
  if (live?.protocol !== 'oidc' || (isFlow && !live.active)) return undefined
  const client = isFlow
    ? await findCurrentClient(deps, deps.db, key)
    : await findClientVersion(deps, deps.db, key, purpose.clientVersion)
  if (client === undefined) return undefined
  const provider = await findProvider(deps, live, { issuer: client.issuer, purpose })
  if (provider === undefined) return undefined
  const { isFirst, ...request } = await insertOidcRequest(deps, live, {
    ...(isFlow ? { flowId: purpose.flowId } : { adminSessionId: purpose.adminSessionId }),
    clientVersion: client.version,
  })
  if (isFlow && isFirst)
    await logEvent(deps, deps.db, {
      accountId: live.accountId,
      environment: live.environment,
      organizationId: live.organizationId,
      domain: live.domain,
      code: 'SSO_END_USER_OIDC_STARTED',
      idpId: live.idpId,
      requestId: purpose.requestId,
    })
  const redirectUri = redirectUriOf(deps.config.baseUrl, live.idpId)
  return toAuthorizationUrl(
    deps,
    { ...client, provider, redirectUri },
    {
      ...request,
      prompt: isFlow && purpose.isForced ? 'login' : null,
      loginHint: isFlow ? purpose.email : null,
    },
  )
}

/** The provider of an issuer. A failure to read it is recorded as a login attempt, since no user at the page can repair it. */
async function findProvider(
  deps: Deps,
  live: LiveConnection,
  { issuer, purpose }: { readonly issuer: string; readonly purpose: OidcPurpose },
): Promise<OpenIdProvider | undefined> {
  try {
    return await deps.openIdProviders.find(issuer)
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    const kind = 'flowId' in purpose ? 'sign_in' : 'test'
    const received = error.message
    const check: CheckResult = { name: 'oidc_discovery', passed: false, expected: issuer, received }
    const { requestId } = purpose
    const attempt = { kind, checks: [check], nameId: null, email: null, attributes: null, requestId } as const
    await recordRefusedAttempt(deps, live, attempt)
    return undefined
  }
}
