import { isSsoUser } from '../../directory/users/sso-user.js'
import type { Deps } from '../../delivery/deps.js'
import { networkKey } from '../../delivery/limits/limits.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { findBrowserSession } from '../../directory/sessions/browser-session.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { lockIdentity } from '../../directory/users/identities.js'
import { linkIdentity } from '../../directory/users/linked-identity.js'
import { emitUserChange, findUserByIdentity } from '../../directory/users/signing-in-user.js'
import { ProviderFault } from '../../platform/openid/provider.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { callerAtPage } from '../../sign-in/flows/flow.js'
import { changeOwnAccount } from '../../sign-in/own-account/own-session.js'
import type { OwnAccount } from '../../sign-in/own-account/own-account.js'
import { toAuthorizationUrl } from '../oidc/openid-client.js'
import { requestsOfNetwork } from '../sign-in/start-request.js'
import type { SocialUser } from './claims.js'
import { toSocialClient } from './client.js'
import {
  findOpenProvider,
  findOpenProviders,
  findProviderClient,
  type ProviderClient,
} from './open-providers.js'
import { insertSocialRequest, type ConsumedSocialRequest } from './request.js'
import { findIdentityProvider } from './settle.js'

/** A visit that is to link an account at a social provider. */
interface Visit {
  readonly account: Pick<OwnAccount, 'organizationId' | 'email'>
  /** The name of the provider. */
  readonly name: string
  /** The browser's IP address, for limits only. */
  readonly ip: string
}

/**
 * Begins a visit to a social provider that links the account there with the user of a fresh session. Its request is bound to that
 * session: an answer in another browser, or after its end, links nobody.
 *
 * @returns The address at the provider; undefined where the organization does not use it, or it cannot be read.
 * @throws ApiError `rate_limited` when the network of the browser has asked too often.
 */
export async function startLink(
  deps: Deps,
  tenant: Caller & Tenant,
  session: SessionOfUser,
  { account, name, ip }: Visit,
): Promise<string | 'stale' | undefined> {
  await deps.limits.take(requestsOfNetwork, networkKey(ip))
  const { accountId, environment, cause } = tenant
  const { organizationId, email } = account
  const owner = { accountId, environment, organizationId }
  const provider = (await findOpenProviders(deps, owner)).find((one) => one.name === name)
  const known = provider && (await findProviderClient(deps, provider.providerId))
  if (known === undefined) return undefined
  const entry = { ...owner, domain: tenant.domain, email, userId: session.userId, cause }
  try {
    const { client, outbound } = await toSocialClient(deps, known)
    const { sessionId } = session
    const secrets = await changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
      await logEvent(within, trx, { ...entry, code: 'END_USER_SOCIAL_STARTED', reason: name })
      return insertSocialRequest(within, { ...owner, sessionId }, known.providerId)
    })
    if (secrets === 'stale') return 'stale'
    // The browser may be signed in at the provider as somebody else, who would come to this account.
    const asked = { ...secrets, prompt: 'select_account', loginHint: null } as const
    return await toAuthorizationUrl({ ...deps, outbound }, client, asked)
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    const reason = error.message.slice(0, 500)
    await logEvent(deps, deps.db, { ...entry, code: 'END_USER_SOCIAL_FAILED', reason })
    return undefined
  }
}

/** A request of a session, and the organization of both. */
export interface LinkRequest extends Omit<ConsumedSocialRequest, 'purpose'> {
  readonly sessionId: string
  readonly domain: string
  readonly accountDomain: string
}

/** The user of the session of a request. */
interface LinkingUser {
  readonly userId: string
  readonly email: string
}

/** The user of the session of a request; undefined in any other browser, and after its end. */
export async function findLinkingUser(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  { accountId, environment, organizationId, sessionId }: LinkRequest,
  secret: string | undefined,
): Promise<LinkingUser | undefined> {
  if (secret === undefined) return undefined
  const session = await findBrowserSession(deps, { accountId, environment, organizationId, secret })
  return session?.sessionId === sessionId ? session : undefined
}

/** `taken`: the account there signs another user in; `stale`: the session is not fresh any more. */
export type LinkOutcome = 'linked' | 'taken' | 'refused' | 'stale'

interface Linking {
  readonly known: ProviderClient
  readonly request: LinkRequest
  /** The person whom the provider has named. */
  readonly user: SocialUser
  /** Of the session. */
  readonly linking: LinkingUser
  readonly requestId: string
}

/** Links the account that a provider has named with the user of the session that has asked for it, in one transaction with the check of both. */
export function completeLink(
  deps: Deps,
  { known, request, user, linking: { userId, email }, requestId }: Linking,
): Promise<LinkOutcome> {
  const { organizationId, domain, accountDomain, sessionId } = request
  const { accountId, environment, providerId } = known
  const owner = { accountId, environment, organizationId }
  const tenant: Tenant = { ...callerAtPage({ ...owner, accountDomain }, requestId, userId), domain }
  return changeOwnAccount(deps, tenant, { userId, sessionId }, 'fresh_session', async (within, trx) => {
    const isUsed = (await findOpenProvider(trx, owner, providerId)) !== undefined
    // Nobody signs in by it whose address has an identity provider.
    if (!isUsed || (await findIdentityProvider(within, trx, owner, email)) !== undefined) return 'refused'
    if (await isSsoUser(trx, tenant, userId)) return 'refused'
    const { profile: _profile, ...identity } = user.identity
    await lockIdentity(trx, tenant, identity)
    const found = await findUserByIdentity(trx, tenant, identity)
    if (found !== undefined) return found.id === userId ? 'linked' : 'taken'
    await linkIdentity(within, trx, tenant, { userId, ...identity })
    await emitUserChange(within, trx, tenant, userId)
    await enqueueNotice(within, trx, { ...owner, userId, notice: 'identity_linked', cause: tenant.cause })
    await logEvent(within, trx, {
      ...owner,
      domain,
      email,
      userId,
      code: 'END_USER_SOCIAL_SUCCESS',
      requestId,
    })
    return 'linked'
  })
}
