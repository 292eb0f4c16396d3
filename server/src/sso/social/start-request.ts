import type { Deps } from '../../delivery/deps.js'
import { networkKey } from '../../delivery/limits/limits.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { ProviderFault } from '../../platform/openid/provider.js'
import type { Flow } from '../../sign-in/flows/flow.js'
import { toAuthorizationUrl } from '../oidc/openid-client.js'
import { requestsOfNetwork } from '../sign-in/start-request.js'
import { toSocialClient, type SocialClient } from './client.js'
import { findOpenProvider, findProviderClient, type ProviderClient } from './open-providers.js'
import { insertSocialRequest } from './request.js'

/** A flow at the step of a social provider. */
interface AskingFlow {
  readonly flow: Flow & { readonly socialProviderId: string }
  /** The browser's IP address, for limits only. */
  readonly ip: string
  readonly requestId: string
}

/**
 * Makes the request that takes the browser of a flow to its social provider.
 *
 * @returns The address; undefined where the organization does not use the provider any more, or it cannot be read.
 * @throws ApiError `rate_limited` when the network of the browser has asked too often.
 */
export async function startSocialRequest(
  deps: Deps,
  { flow, ip, requestId }: AskingFlow,
): Promise<string | undefined> {
  await deps.limits.take(requestsOfNetwork, networkKey(ip))
  const known = await findProviderClient(deps, flow.socialProviderId)
  const isUsed = (await findOpenProvider(deps.db, flow, flow.socialProviderId)) !== undefined
  if (known === undefined || !isUsed) return undefined
  const reached = await reach(deps, known, { flow, requestId })
  if (reached === undefined) return undefined
  const secrets = await insertSocialRequest(deps, flow, known.providerId)
  await logEvent(deps, deps.db, {
    ...flow,
    code: 'END_USER_SOCIAL_STARTED',
    clientId: flow.applicationId,
    reason: known.name,
    requestId,
  })
  return toAuthorizationUrl({ ...deps, outbound: reached.outbound }, reached.client, {
    ...secrets,
    prompt: flow.isSignInForced ? 'login' : null,
    loginHint: null,
  })
}

/** The failure to read a provider is in the log, since no user at the page can repair it. */
async function reach(
  deps: Deps,
  known: ProviderClient,
  { flow, requestId }: Omit<AskingFlow, 'ip'>,
): Promise<SocialClient | undefined> {
  try {
    return await toSocialClient(deps, known)
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    await logEvent(deps, deps.db, {
      ...flow,
      code: 'END_USER_SOCIAL_FAILED',
      clientId: flow.applicationId,
      reason: error.message.slice(0, 500),
      requestId,
    })
    return undefined
  }
}
