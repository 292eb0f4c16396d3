import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { statement } from '../../platform/db/statement.js'
import { isOrganizationOf, ofOwner } from '../../platform/db/tenant-predicate.js'
import { microsoftIssuerOf } from '../../platform/openid/microsoft.js'
import { ProviderFault } from '../../platform/openid/provider.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { isSubject } from '../oidc/claims.js'
import { exchangeAtProvider, ExchangeFault } from '../oidc/openid-client.js'
import { failedResponses } from '../sign-in/arrive.js'
import { completeSocialSignIn } from './arrive.js'
import { toSocialUser, type SocialUser } from './claims.js'
import { toSocialClient } from './client.js'
import { findProviderClient, type ProviderClient } from './open-providers.js'
import type { SocialAnswer } from './posted-answer.js'
import { isTenantAllowed } from './provider-types.js'
import { exchangeAtGithub } from './github.js'
import { completeLink, findLinkingUser, type LinkOutcome } from './link-own.js'
import { consumeSocialRequest, type ConsumedSocialRequest } from './request.js'

/** A browser that a provider has sent back. */
interface ReturnedBrowser {
  readonly providerId: string
  readonly answer: SocialAnswer
  /** From the flow cookie; undefined without one. */
  readonly browserSecret: string | undefined
  /** From the cookie of a session at an organization; undefined without one. */
  readonly sessionSecretOf: (owner: {
    readonly organizationId: string
    readonly environment: Environment
  }) => string | undefined
  /** The browser's IP address, for limits only. */
  readonly ip: string
  readonly requestId: string
}

/** Where a flow is, for the page that answers its browser. */
export interface PlaceOfFlow {
  readonly domain: string
  readonly environment: Environment
  readonly flowId: string
}

/** The next page of a browser. `denied`: its user has changed their mind at the provider. */
export type SocialOutcome =
  | { readonly to: 'nowhere' }
  | (Partial<PlaceOfFlow> & { readonly to: 'refused' })
  | (PlaceOfFlow & { readonly to: 'denied' })
  | (PlaceOfFlow & {
      readonly to: 'flow' | 'prove_address'
      /** The name of the provider. */
      readonly provider: string
    })
  | (Omit<PlaceOfFlow, 'flowId'> & { readonly to: 'account'; readonly link: LinkOutcome | 'denied' })

/**
 * Completes the sign-in for an answer of a social provider. Single use: the request is consumed before the provider is asked, and
 * the transaction that decides comes after it.
 *
 * @throws ApiError `rate_limited` when the network has sent too many refused answers.
 */
export async function receiveSocialAnswer(deps: Deps, returned: ReturnedBrowser): Promise<SocialOutcome> {
  const { answer } = returned
  const known = await findProviderClient(deps, returned.providerId)
  if (known === undefined) return { to: 'nowhere' }
  const sender = `${known.providerId} ${networkOfClient(returned.ip)}`
  deps.limits.check(failedResponses, sender)
  const request = await consumeSocialRequest(deps, known, answer.state)
  const noteFailure = () => deps.limits.note(failedResponses, sender)
  const outcome = request && (await answerRequest(deps, known, { returned, request, noteFailure }))
  if (outcome !== undefined) return outcome
  await noteFailure()
  // Without a page of the flow: this browser has not begun it.
  return { to: 'refused' }
}

interface Answered {
  readonly returned: ReturnedBrowser
  readonly request: ConsumedSocialRequest
  readonly noteFailure: () => Promise<unknown>
}

/** @returns Undefined for an answer that another browser has brought. */
function answerRequest(
  deps: Deps,
  known: ProviderClient,
  answered: Answered,
): Promise<SocialOutcome | undefined> {
  const { request } = answered
  const { purpose, ...secrets } = request
  return 'flowId' in purpose
    ? answerFlow(deps, known, { ...answered, request: { ...secrets, ...purpose } })
    : answerSession(deps, known, { ...answered, request: { ...secrets, ...purpose } })
}

async function answerFlow(
  deps: Deps,
  known: ProviderClient,
  { returned, request, noteFailure }: Omit<Answered, 'request'> & { readonly request: FlowRequest },
): Promise<SocialOutcome | undefined> {
  const { answer, browserSecret = '', requestId } = returned
  const [flow] = await selectPlace(deps.db, { ...request, browserHash: hashSecret(browserSecret) })
  if (flow?.is_own_browser !== true) return undefined
  const place = { domain: flow.domain, environment: known.environment, flowId: request.flowId }
  const fail = async (reason: string, to: 'refused' | 'denied'): Promise<SocialOutcome> => {
    await moveFlowAlone(deps, request, { from: ['social_provider'], to: 'identifier' })
    const entry = { ...request, domain: flow.domain, clientId: flow.application_id, requestId }
    await logEvent(deps, deps.db, { ...entry, code: 'END_USER_SOCIAL_FAILED', reason: reason.slice(0, 500) })
    return { ...place, to }
  }
  if (answer.error !== null) return fail('provider_denied', 'denied')
  const result = await exchange(deps, known, { answer, request })
  if (typeof result === 'string') {
    await noteFailure()
    return fail(result, 'refused')
  }
  const at = { accountDomain: flow.account_domain, allowedEmailDomains: flow.allowed_email_domains }
  const done = await completeSocialSignIn(deps, {
    known,
    request,
    user: result,
    ...place,
    ...at,
    browserSecret,
    requestId,
  })
  return done === 'refused' ? { ...place, to: done } : { ...place, to: done, provider: known.name }
}

/** Links the account at the provider with the user of the session that has asked for it. */
async function answerSession(
  deps: Deps,
  known: ProviderClient,
  { returned, request: asked, noteFailure }: Omit<Answered, 'request'> & { readonly request: SessionRequest },
): Promise<SocialOutcome | undefined> {
  const { answer, requestId, sessionSecretOf } = returned
  const organization = await findPlaceOf(deps.db, asked)
  if (organization === undefined) return undefined
  const request = { ...asked, ...organization }
  const linking = await findLinkingUser(deps, request, sessionSecretOf(request))
  if (linking === undefined) return undefined
  const place = { to: 'account', domain: request.domain, environment: known.environment } as const
  const fail = async (reason: string, link: 'refused' | 'denied'): Promise<SocialOutcome> => {
    const entry = { ...request, ...linking, requestId, reason: reason.slice(0, 500) }
    await logEvent(deps, deps.db, { ...entry, code: 'END_USER_SOCIAL_FAILED' })
    return { ...place, link }
  }
  if (answer.error !== null) return fail('provider_denied', 'denied')
  const user = await exchange(deps, known, { answer, request })
  if (typeof user === 'string') {
    await noteFailure()
    return fail(user, 'refused')
  }
  return { ...place, link: await completeLink(deps, { known, request, user, linking, requestId }) }
}

async function findPlaceOf(
  db: Deps['db'],
  { accountId, organizationId }: SessionRequest,
): Promise<{ readonly domain: string; readonly accountDomain: string } | undefined> {
  const row = await db
    .selectFrom('organizations')
    .innerJoin('accounts', 'accounts.id', 'organizations.account_id')
    .where('organizations.account_id', '=', accountId)
    .where('organizations.id', '=', organizationId)
    .where('organizations.deleted_at', 'is', null)
    .select(['organizations.domain', 'accounts.domain as account_domain'])
    .executeTakeFirst()
  return row && { domain: row.domain, accountDomain: row.account_domain }
}

type Secrets = Omit<ConsumedSocialRequest, 'purpose'>
type FlowRequest = Secrets & { readonly flowId: string }
type SessionRequest = Secrets & { readonly sessionId: string }

const selectPlace = statement((db, key: FlowRequest & { readonly browserHash: Buffer }) =>
  db
    .selectFrom('sign_in_flows as flow')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'flow')))
    .innerJoin('accounts', 'accounts.id', 'flow.account_id')
    .where(ofOwner(key, 'flow'))
    .where('flow.id', '=', key.flowId)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'organizations.domain',
      'organizations.allowed_email_domains',
      'accounts.domain as account_domain',
      'flow.application_id',
      sql<boolean>`(flow.browser_hash = ${key.browserHash}::bytea)`.as('is_own_browser'),
    ]),
)

/**
 * Exchanges the code of an answer, and validates what the provider says. Runs outside of a transaction, because the provider may
 * be slow.
 *
 * @returns What was wrong, for the log of the account.
 */
async function exchange(
  deps: Deps,
  known: ProviderClient,
  {
    answer,
    request,
  }: { readonly answer: SocialAnswer; readonly request: Pick<Secrets, 'nonce' | 'codeVerifier'> },
): Promise<SocialUser | string> {
  try {
    const { client, outbound } = await toSocialClient(deps, known)
    // Checked before the code is sent, since this provider must not get the code of another one (RFC 9700 section 4.4).
    const { issuer, isIssuerSent } = client.provider
    if (answer.issuer === null ? isIssuerSent : answer.issuer !== issuer) return 'oidc_issuer_parameter'
    const exchanging = known.provider === 'github' ? exchangeAtGithub : exchangeAtProvider
    const claims = await exchanging({ ...deps, outbound }, client, { ...answer, ...request })
    if (typeof claims === 'string') return claims
    if (!isSubject(claims.sub)) return 'oidc_subject'
    const { tenant, provider } = known
    const { tid, iss } = claims
    if (
      provider === 'microsoft' &&
      !(isTenantAllowed(tenant ?? '', tid) && iss === microsoftIssuerOf(String(tid)))
    )
      return 'oidc_tenant'
    return toSocialUser(known, claims, { at: deps.now(), name: answer.name })
  } catch (error) {
    if (error instanceof ExchangeFault) return `${error.fault.check}: ${error.fault.received}`
    if (error instanceof ProviderFault) return `oidc_discovery: ${error.message}`
    throw error
  }
}
