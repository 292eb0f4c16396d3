import type { ResponseMode, WayHint } from '@portico/contract/authorize'
import type { Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { insertion } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { insertPendingSignIn } from './pending-sign-in.js'
import type { Tenant } from '../../platform/tenant.js'
import type { IssuerKind } from '../../tokens/issuer.js'
import type { RequestedClaims } from '../../tokens/user-claims.js'
import { normalizeEmail } from '../../platform/email.js'
import { flowLifetimeMs, type FlowKey } from './flow.js'
import { moveFlow } from './step.js'

/** The checked request of an application. */
export interface NewFlow extends Omit<FlowKey, 'flowId'> {
  readonly applicationId: string
  /** The issuer that was asked. */
  readonly issuer: IssuerKind
  /** Allowed by the application. */
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  readonly state: string | null
  readonly nonce: string | null
  /** S256 (RFC 7636); null when the API or an identity provider has started the sign-in. */
  readonly codeChallenge: string | null
  /** The granted scopes, separated by spaces. */
  readonly scope: string
  /** The individual claims that the application has asked for. */
  readonly claims: RequestedClaims | null
  readonly isMfaRequired: boolean
  /** The application asks that the user allows it (OpenID Connect Core section 3.1.2.1, prompt=consent). */
  readonly isConsentAsked: boolean
  /** The application asks for a fresh sign-in, also at the identity provider. */
  readonly isSignInForced: boolean
  /** ui_locales. */
  readonly locale: string | null
  /** The sign-in method that the application prefers. */
  readonly preferredWay: WayHint | null
  /** A prefilled address, as sent. */
  readonly email: string | null
  /** The SSO connection whose identity provider is asked at once. */
  readonly connectionId: string | null
  /** The session that a step-up adds a factor to; the flow ends with it. */
  readonly sessionId: string | null
  /** An identity provider or an invitation has begun the sign-in: the application has not asked for it. */
  readonly isIdpInitiated: boolean
  /** Of the flow cookie. */
  readonly browserSecret: string
  /** The account flow in which the organization was chosen, if it was. */
  readonly accountFlowId: string | null
  /** The invitation whose page has begun the flow. */
  readonly invitation?: {
    readonly invitationId: string
    /** Its URL had been mailed, so that the browser has proved the mailbox. */
    readonly isMailed: boolean
    /** The browser has said so in the form of that page. */
    readonly isPasskeyCapable: boolean
  }
}

/** Starts a flow, at its first step or at an identity provider. */
export async function startFlow(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  flow: NewFlow,
): Promise<FlowKey> {
  const at = now()
  const { accountId, environment, organizationId } = flow
  const flowId = newId()
  await insertFlow(trx, {
    account_id: accountId,
    environment,
    organization_id: organizationId,
    id: flowId,
    application_id: flow.applicationId,
    issuer: flow.issuer,
    browser_hash: hashSecret(flow.browserSecret),
    redirect_uri: flow.redirectUri,
    response_mode: flow.responseMode,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: flow.codeChallenge,
    scope: flow.scope,
    claims: flow.claims === null ? null : JSON.stringify(flow.claims),
    is_mfa_required: flow.isMfaRequired,
    is_consent_asked: flow.isConsentAsked,
    is_sign_in_forced: flow.isSignInForced,
    locale: flow.locale,
    preferred_way: flow.preferredWay,
    step: flow.connectionId === null ? 'identifier' : 'identity_provider',
    connection_id: flow.connectionId,
    email: flow.email,
    email_normalized: flow.email === null ? null : normalizeEmail(flow.email),
    session_id: flow.sessionId,
    is_idp_initiated: flow.isIdpInitiated,
    account_flow_id: flow.accountFlowId,
    invitation_id: flow.invitation?.invitationId ?? null,
    is_invitation_mailed: flow.invitation?.isMailed ?? false,
    is_passkey_capable: flow.invitation?.isPasskeyCapable ?? false,
    expires_at: new Date(at.getTime() + flowLifetimeMs),
    inserted_at: at,
  })
  return { accountId, environment, organizationId, flowId }
}

const insertFlow = insertion('sign_in_flows')

/** A user with a session in the browser. */
interface SignedIn {
  readonly userId: string
  readonly amr: readonly string[]
  readonly authenticatedAt: Date
  /** Of the SSO sign-in that opened the session. */
  readonly identityId: string | null
}

/** Moves a new flow past the first factor, for a user whose session shows that it has passed. */
export async function skipFirstFactor(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: FlowKey,
  flow: NewFlow,
  { tenant, ...signedIn }: SignedIn & { readonly tenant: Tenant },
): Promise<void> {
  const { userId, amr, authenticatedAt } = signedIn
  const signIn = { ...flow, tenant, userId, amr, authenticatedAt, via: 'page' as const }
  const pending = await insertPendingSignIn(deps, trx, signIn, key.flowId)
  await moveFlow(deps, trx, key, {
    from: ['identifier'],
    to: 'totp',
    set: { ...toColumns(signedIn), pending_sign_in_id: pending.pendingSignInId },
  })
}

/** Moves a new flow past every factor, for a user whose session is sufficient and of whom only consent is asked. */
export async function skipFactors(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: FlowKey,
  signedIn: SignedIn,
): Promise<void> {
  await moveFlow(deps, trx, key, { from: ['identifier'], to: 'ready', set: toColumns(signedIn) })
}

function toColumns({ userId, amr, authenticatedAt, identityId }: SignedIn) {
  return {
    user_id: userId,
    amr: [...amr],
    authenticated_at: authenticatedAt,
    identity_id: identityId,
  }
}
