import type { RefusalReason } from '@portico/contract/log-events'
import type { ResponseMode } from '@portico/contract/authorize'
import type { Environment } from '@portico/contract/fields'
import { sql, type Transaction } from 'kysely'
import { isOpenForSignIn } from '../../directory/usable.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { issuerOfSignIn, type IssuerKind } from '../../tokens/issuer.js'
import { issueCode } from '../../directory/sessions/complete-sign-in.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import {
  toAuthorizationAnswer,
  type AuthorizationAnswer,
} from '../../directory/sessions/authorization-answer.js'
import type { OrganizationUse } from '../../directory/sessions/used-organizations.js'
import { demandsPasskey, isPhishingResistant } from '../../tokens/acr.js'
import type { RequestedClaims } from '../../tokens/user-claims.js'
import { isUnexpired, isUsedLately } from '../../directory/sessions/lifetime.js'
import { isFactorDueOfUserOf } from '../../directory/sessions/factor-due.js'
import { isTotpAskedOfUserOf } from '../../directory/sessions/totp-asked.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import { markProvedBySignIn } from '../../directory/users/proved-email.js'
import { isSsoRequiredOf } from '../../directory/domains/authority.js'
import { isRequiredMetadataMissing } from '../../directory/users/signing-in-user.js'
import { usersOf } from '../../directory/users/whole-user.js'
import {
  addressProvedByBrowser,
  endAccountFlowOf,
  isEntryStillOpen,
  provedByBrowser,
} from './account-flow-of.js'
import { callerAtPage, type FlowKey, type FlowRequest } from './flow.js'
import { endOfIdpInitiated, type SignedInHere } from './idp-initiated.js'
import { isSocialStillOpen } from './social-still-open.js'
import { addressProvedInFlow, findArrival, linkArrival } from './social-arrival.js'
import { keepSession, type EndingBrowser, type NewSession } from './keep-session.js'
import { isOrganizationOf, sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A flow whose steps are complete, and the browser that finishes it. */
interface FlowEnd extends FlowRequest, EndingBrowser {
  readonly requestId: string
  /** Whether an address of an organization has an identity provider now. */
  readonly hasIdentityProvider: (trx: Transaction<DB>, owner: Owner, email: string) => Promise<boolean>
}

type Owner = Omit<FlowKey, 'flowId'>

/** The secret of a session for the cookie of its browser. */
export interface FinishedSession {
  readonly secret: string
  readonly expiresAt: Date
}

/** The answer of a finished flow. */
interface FinishedFlow {
  /** The code for the application, or an error, which the browser brings; or the end of a sign-in that it has not begun. */
  readonly answer: AuthorizationAnswer | SignedInHere
  /** The new session cookie, which every sign-in changes; undefined after an error. */
  readonly session: FinishedSession | undefined
  /** What the browser remembers of a sign-in at the issuer of the account; undefined of others, and after an error. */
  readonly use: OrganizationUse | undefined
}

/**
 * Finishes a flow at the step `ready`, once: gives its browser a session, and a code for the application.
 *
 * @returns Undefined when the flow is not ready, or no longer allowed; the log event has the reason.
 */
export async function finishFlow(deps: Deps, end: FlowEnd): Promise<FinishedFlow | undefined> {
  const cause = {
    requestId: end.requestId,
    actor: { type: 'system', id: 'sign_in_page' } as const,
    params: () => ({}),
  }
  const { record } = await change(deps, cause, async (trx) => {
    const [consumedFlow] = await consumeFlow(trx, {
      organizationDomain: end.organizationDomain,
      flowId: end.flowId,
      browserHash: hashSecret(end.browserSecret),
      at: deps.now(),
      rpId: deps.config.passkeyRpId ?? null,
    })
    if (consumedFlow === undefined) return { record: undefined }
    return { record: await finish(deps, trx, end, consumedFlow) }
  })
  return record
}

interface EndingFlow {
  readonly organizationDomain: string
  readonly flowId: string
  readonly browserHash: Buffer
  readonly at: Date
  /** The domain of passkeys; null where the service has none. */
  readonly rpId: string | null
}

/** Consumes the flow if everything that it depends on is true at this moment. */
const consumeFlow = statement((db, key: EndingFlow) =>
  db
    .updateTable('sign_in_flows as flow')
    .set({ used_at: key.at })
    .from(['organizations', 'accounts', 'applications'])
    .where('flow.id', '=', key.flowId)
    .where('flow.browser_hash', '=', key.browserHash)
    .where('flow.step', '=', 'ready')
    .where('flow.used_at', 'is', null)
    .where('flow.expires_at', '>', key.at)
    .where(isSessionStillOpen(key.at))
    .where(isEntryStillOpen())
    .where(isSecondFactorPassed(key))
    .where(isConnectionStillActive())
    .where(isSocialStillOpen())
    .where('organizations.domain', '=', key.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .where(isOrganizationOf('organizations', 'flow'))
    .whereRef('accounts.id', '=', 'flow.account_id')
    .where(sameEnvironment('applications', 'flow'))
    .whereRef('applications.id', '=', 'flow.application_id')
    .returning([
      'flow.account_id',
      'flow.id',
      'flow.social_provider_id',
      'accounts.domain as account_domain',
      sql<Environment>`flow.environment`.as('environment'),
      'flow.organization_id',
      'organizations.domain',
      'organizations.allowed_email_domains',
      'flow.application_id',
      'flow.is_idp_initiated',
      'applications.name as application_name',
      'applications.initiate_login_uri',
      'applications.allowed_web_origins',
      'applications.code_exchange',
      'applications.client_authentication',
      // The table's check constraint allows nothing else.
      sql<IssuerKind>`flow.issuer`.as('issuer'),
      'flow.redirect_uri',
      // The table's check constraint allows nothing else.
      sql<ResponseMode>`flow.response_mode`.as('response_mode'),
      'flow.state',
      'flow.nonce',
      'flow.code_challenge',
      'flow.scope',
      // Only written by startFlow().
      sql<RequestedClaims | null>`flow.claims`.as('claims'),
      // Both are written before a flow is ready.
      sql<string>`flow.user_id`.as('user_id'),
      sql<Date>`flow.authenticated_at`.as('authenticated_at'),
      'flow.amr',
      'flow.identity_id',
      'flow.account_flow_id',
      provedByBrowser().as('email_session_id'),
      addressProvedByBrowser().as('proved_address'),
      addressProvedInFlow().as('address_proved_here'),
      continuedSession().as('continued_session_id'),
      sql<boolean>`(
          ${isOpenForSignIn(sql.ref('flow.organization_id'))}
          and flow.redirect_uri = any(applications.allowed_redirect_urls)
        )`.as('is_redirect_allowed'),
    ]),
)

/**
 * Users who have enrolled since the flow began, or are asked for a second factor only now, pass it first, and who can put it off no
 * longer enrols one. After SSO only the application asks for a second factor, which the flow's steps ensure.
 */
function isSecondFactorPassed({ at, rpId }: Pick<EndingFlow, 'at' | 'rpId'>) {
  return sql<boolean>`(
    flow.amr && array['mfa', 'sso']
    or not (${isTotpAskedOfUserOf('flow')} or ${isFactorDueOfUserOf('flow', at, rpId)})
  )`
}

/** After SSO the connection must still be active; a step-up depends on its session instead. */
function isConnectionStillActive() {
  return sql<boolean>`(
    not 'sso' = any(flow.amr)
    or flow.session_id is not null
    or exists (
      select from sso_connections as connection
      where connection.account_id = flow.account_id
        and connection.environment = flow.environment
        and connection.organization_id = flow.organization_id
        and connection.id = flow.connection_id
        and connection.active
    )
  )`
}

/** Whether the session of a step-up, or of a consent, is open and was used lately: the flow has begun by a use. Other flows have none. */
function isSessionStillOpen(at: Date) {
  return sql<boolean>`(
    flow.session_id is null
    or exists (
      select from sessions
      where sessions.account_id = flow.account_id
        and sessions.environment = flow.environment
        and sessions.organization_id = flow.organization_id
        and sessions.id = flow.session_id
        and sessions.ended_at is null
        and ${isUnexpired(at)}
        and ${isUsedLately(at)}
    )
  )`
}

/**
 * The session of a flow in which no factor has been passed: the user was asked for consent alone. A sign-in in another tab may
 * have renewed it since, which the older one of the flow must not undo.
 */
function continuedSession() {
  return sql<string | null>`(
    select sessions.id from sessions
    where ${sameTenant('sessions', 'flow')}
      and sessions.id = flow.session_id
      and (
        flow.authenticated_at < flow.inserted_at
        or (sessions.authenticated_at = flow.authenticated_at and sessions.amr = flow.amr)
      )
  )`
}

type ConsumedFlow = Awaited<ReturnType<typeof consumeFlow>>[number]

async function finish(
  deps: Deps,
  trx: Transaction<DB>,
  end: FlowEnd,
  consumedFlow: ConsumedFlow,
): Promise<FinishedFlow | undefined> {
  const {
    account_id: accountId,
    environment,
    organization_id: organizationId,
    user_id: userId,
  } = consumedFlow
  const place = { accountId, accountDomain: consumedFlow.account_domain, environment, organizationId }
  const tenant: Tenant = ofUser(
    { ...callerAtPage(place, end.requestId), domain: consumedFlow.domain },
    userId,
  )
  // Locked, so that a deactivation either precedes the sign-in or ends its session.
  const user = await usersOf(trx, tenant)
    .where('users.id', '=', userId)
    .select([
      'users.id',
      'users.email',
      'users.email_normalized',
      'users.email_proved_at',
      'users.active',
      isSsoRequiredOf('users').as('is_sso_required'),
    ])
    .forNoKeyUpdate()
    .executeTakeFirst()
  const log = (
    code:
      | 'END_USER_SIGN_IN_SUCCESS'
      | 'END_USER_SIGN_IN_FAILED'
      | 'INITIATE_LOGIN_URI_MISSING'
      | 'REQUIRED_METADATA_MISSING',
    reason?: RefusalReason,
  ) => logEventOf(deps, trx, consumedFlow, { code, email: user?.email, reason, requestId: end.requestId })
  const refusal =
    whyRefused(consumedFlow, user) ??
    (user && (await isRoutedMeanwhile(deps, trx, end, consumedFlow, user.email)) ? 'sso_required' : undefined)
  if (user === undefined || refusal !== undefined) {
    await log('END_USER_SIGN_IN_FAILED', refusal)
    return undefined
  }
  if (consumedFlow.claims?.sub?.includes(userId) === false) {
    await log('END_USER_SIGN_IN_FAILED', 'other_user_expected')
    const answer = toAnswer(deps, consumedFlow, otherUserExpected)
    return { answer, session: undefined, use: undefined }
  }
  if (demandsPasskey(consumedFlow.claims) && !isPhishingResistant(consumedFlow.amr ?? [])) {
    await log('END_USER_SIGN_IN_FAILED', 'passkey_expected')
    return { answer: toAnswer(deps, consumedFlow, passkeyExpected), session: undefined, use: undefined }
  }
  const { proved_address: provedBefore, address_proved_here: provedHere } = consumedFlow
  const isProved = [provedBefore, provedHere].includes(user.email_normalized)
  // Before the link, which the proof would end. A session that only goes on is of before, too.
  if (isProved && consumedFlow.continued_session_id === null)
    await markProvedBySignIn(deps, trx, tenant, { ...user, amr: consumedFlow.amr ?? [] })
  if (consumedFlow.social_provider_id !== null)
    await linkArrival(
      deps,
      trx,
      tenant,
      { ...place, flowId: consumedFlow.id },
      { userId, amr: consumedFlow.amr ?? [] },
    )
  const accountFlowId = consumedFlow.account_flow_id
  if (accountFlowId !== null)
    await endAccountFlowOf(trx, { accountId, environment, accountFlowId, at: deps.now() })
  const sessionSecret = randomSecret()
  const signIn = {
    tenant,
    organizationId,
    userId,
    applicationId: consumedFlow.application_id,
    amr: consumedFlow.amr,
    authenticatedAt: consumedFlow.authenticated_at,
    identityId: consumedFlow.identity_id ?? undefined,
    emailSessionId: consumedFlow.email_session_id,
  }
  const kept = await keepSession(
    deps,
    trx,
    { ...signIn, continuedId: consumedFlow.continued_session_id },
    end,
    hashSecret(sessionSecret),
  )
  if (kept === undefined) {
    await log('END_USER_SIGN_IN_FAILED', 'session_ended')
    return undefined
  }
  const answer =
    endOfIdpInitiated(deps, consumedFlow, user.email) ??
    (await answerWithCode(deps, trx, consumedFlow, { ...signIn, sessionId: kept.sessionId }))
  await log('END_USER_SIGN_IN_SUCCESS')
  if (answer.mode === 'page') await log('INITIATE_LOGIN_URI_MISSING')
  // A missing required value does not block the sign-in.
  if (await isRequiredMetadataMissing(trx, tenant, userId)) await log('REQUIRED_METADATA_MISSING')
  const use = { organizationId, emailNormalized: user.email_normalized, at: deps.now() }
  const session = { secret: sessionSecret, expiresAt: kept.expiresAt }
  return { answer, session, use: consumedFlow.issuer === 'account' ? use : undefined }
}

async function answerWithCode(
  deps: Deps,
  trx: Transaction<DB>,
  consumedFlow: ConsumedFlow,
  signIn: NewSession & { readonly sessionId: string },
): Promise<AuthorizationAnswer> {
  const code = await issueCode(deps, trx, {
    ...signIn,
    issuer: consumedFlow.issuer,
    redirectUri: consumedFlow.redirect_uri,
    nonce: consumedFlow.nonce,
    codeChallenge: consumedFlow.code_challenge,
    scope: consumedFlow.scope,
    claims: consumedFlow.claims,
    state: consumedFlow.state,
    via: 'page',
  })
  return toAnswer(deps, consumedFlow, { code })
}

function toAnswer(
  { config }: Pick<Deps, 'config'>,
  consumedFlow: ConsumedFlow,
  parameters: Readonly<Record<string, string>>,
): AuthorizationAnswer {
  const { redirect_uri: redirectUri, response_mode: mode, state } = consumedFlow
  const issuer = issuerOfSignIn(config.baseUrl, consumedFlow)
  return toAuthorizationAnswer({ redirectUri, mode }, { parameters, state, issuer })
}

/** The application has demanded another user by the claim sub (OpenID Connect Core section 3.1.2.2). */
const otherUserExpected = {
  error: 'login_required',
  error_description: 'the user who has signed in is another one than claims demands by sub',
}

/** The application has demanded a passkey, and the sign-in had none. */
const passkeyExpected = {
  error: 'unmet_authentication_requirements',
  error_description: 'acr demands a passkey (phr), and the user has signed in without',
}

/** A social provider is no way around the identity provider of an address, which may have got it since the first factor. */
async function isRoutedMeanwhile(
  deps: Deps,
  trx: Transaction<DB>,
  { hasIdentityProvider }: Pick<FlowEnd, 'hasIdentityProvider'>,
  consumedFlow: ConsumedFlow,
  email: string,
): Promise<boolean> {
  if (consumedFlow.social_provider_id === null) return false
  const { account_id: accountId, environment, organization_id: organizationId, id: flowId } = consumedFlow
  const owner = { accountId, environment, organizationId }
  const isBySocial =
    consumedFlow.amr?.includes('social') === true ||
    (await findArrival(deps, trx, { ...owner, flowId })) !== undefined
  return isBySocial && hasIdentityProvider(trx, owner, email)
}

function whyRefused(
  consumedFlow: ConsumedFlow,
  user:
    | { readonly email_normalized: string; readonly active: boolean; readonly is_sso_required: boolean }
    | undefined,
): RefusalReason | undefined {
  if (user === undefined) return 'user_not_found'
  if (!user.active) return 'user_inactive'
  if (!consumedFlow.is_redirect_allowed) return 'redirect_not_allowed'
  if (user.is_sso_required && !consumedFlow.amr?.includes('sso')) return 'sso_required'
  return isEmailDomainAllowed(consumedFlow.allowed_email_domains, user.email_normalized)
    ? undefined
    : 'email_domain_not_allowed'
}
