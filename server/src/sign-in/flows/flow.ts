import type { WayHint } from '@portico/contract/authorize'
import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { Caller } from '../../platform/tenant.js'
import type { IssuerKind } from '../../tokens/issuer.js'
import type { RequestedClaims } from '../../tokens/user-claims.js'
import { endUriOfFlow } from './idp-initiated.js'
import { isOrganizationOf, sameEnvironment } from '../../platform/db/tenant-predicate.js'

/** How long a flow may take: time for a mail, and for a first password. */
export const flowLifetimeMs = 60 * 60 * 1000

/**
 * The step of a flow. It determines the page and the form that the page accepts:
 *
 * - `identifier`: asks for the e-mail address;
 * - `identity_provider`: waits for the identity provider of an SSO connection;
 * - `social_provider`: waits for a social provider;
 * - `prove_address`: a code was mailed to an address that a social provider or the user has named;
 * - `link_account`: the address is that of a user, who signs in to link the account at the provider;
 * - `password`: asks for the password of the address;
 * - `link_sent`: a link was mailed; it is opened in this browser, or its code is typed here;
 * - `join`: the address is proved and nobody's, and its owner asks to join the organization;
 * - `totp`: the first factor has passed, and the second one is asked for: a code, or a passkey;
 * - `enroll`: the application or the policy demands a second factor, which the user has to enrol;
 * - `recovery_codes`: the enrolment is validated, and the user has to keep its recovery codes;
 * - `renew_password`: every factor has passed, and the password should be renewed;
 * - `consent`: every factor has passed, and the application is to be allowed;
 * - `offer_passkey`: every step is complete, and the user may add a passkey;
 * - `ready`: every step is complete.
 */
export const steps = [
  'identifier',
  'identity_provider',
  'social_provider',
  'prove_address',
  'link_account',
  'password',
  'link_sent',
  'join',
  'totp',
  'enroll',
  'recovery_codes',
  'renew_password',
  'consent',
  'offer_passkey',
  'ready',
] as const
export type Step = (typeof steps)[number]

/** The key of a flow. Every statement that touches a flow compares all four members. */
export interface FlowKey {
  readonly accountId: string
  readonly environment: Environment
  readonly organizationId: string
  readonly flowId: string
}

/** A sign-in on our pages, from the application's request to its answer. */
export interface Flow extends FlowKey {
  readonly accountDomain: string
  /** Domain of the organization. */
  readonly domain: string
  readonly step: Step
  readonly applicationId: string
  readonly applicationName: string
  /** The issuer that was asked. */
  readonly issuer: IssuerKind
  readonly redirectUri: string
  /** Where the browser leaves the service: the redirect URI, or where the application begins a sign-in of its own. */
  readonly endUri: string
  /** The granted scopes, separated by spaces. */
  readonly scope: string
  /** The individual claims that the application has asked for. */
  readonly claims: RequestedClaims | null
  readonly state: string | null
  /** Language tags of ui_locales. */
  readonly locale: string | null
  /** The sign-in method that the application prefers, if the organization offers both. */
  readonly preferredWay: WayHint | null
  readonly isMfaRequired: boolean
  /** Users with a session at the identity provider have to sign in there again. */
  readonly isSignInForced: boolean
  /** As typed; before the identifier step the prefilled address, if any. */
  readonly email: string | null
  readonly userId: string | null
  /** The methods by which the user has authenticated so far. */
  readonly amr: readonly string[]
  /** When the last of them was; null before the first. */
  readonly authenticatedAt: Date | null
  /** The SSO connection whose identity provider is asked. */
  readonly connectionId: string | null
  /** The session that a step-up adds a factor to; null of a sign-in of its own. */
  readonly sessionId: string | null
  /** The social provider that is asked, or by which the first factor has passed. */
  readonly socialProviderId: string | null
  readonly pendingSignInId: string | null
  /** The enrolment that was begun here and waits for its first code. */
  readonly enrollmentId: string | null
  /** A recovery code was typed in place of a passkey, and the user adds another one. */
  readonly isRecoveryCodeUsed: boolean
  readonly isRenewalDue: boolean
  /** The account flow in which the organization was chosen, if it was. */
  readonly accountFlowId: string | null
  /** The link's page has shown a code in another browser, to be typed here. */
  readonly isLinkCodeShown: boolean
  /** How many answers of authenticators there were. */
  readonly passkeyAttempt: number
  /** The browser has said that it can make passkeys. */
  readonly isPasskeyCapable: boolean
  readonly expiresAt: Date
}

/** A request for a page of a flow. */
export interface FlowRequest {
  readonly organizationDomain: string
  readonly flowId: string
  /** Of the flow cookie. */
  readonly browserSecret: string
}

/**
 * The flow of a browser; undefined when it belongs to another browser or organization, is finished, or has expired.
 */
export async function findFlow(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { organizationDomain, flowId, browserSecret }: FlowRequest,
): Promise<Flow | undefined> {
  const [row] = await selectFlow(db, {
    organizationDomain,
    flowId,
    browserHash: hashSecret(browserSecret),
    at: now(),
  })
  return row === undefined ? undefined : toFlow(row)
}

const selectFlow = lookup(
  (db, key: { organizationDomain: string; flowId: string; browserHash: Buffer; at: Date }) =>
    flowColumns(db)
      .where('organizations.domain', '=', key.organizationDomain)
      .where('flow.id', '=', key.flowId)
      .where('flow.browser_hash', '=', key.browserHash)
      .where('flow.used_at', 'is', null)
      .where('flow.expires_at', '>', key.at),
)

function flowColumns(db: Kysely<DB>) {
  return db
    .selectFrom('sign_in_flows as flow')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'flow')))
    .innerJoin('accounts', 'accounts.id', 'flow.account_id')
    .innerJoin('applications', (join) =>
      join.on(sameEnvironment('applications', 'flow')).onRef('applications.id', '=', 'flow.application_id'),
    )
    .where('organizations.deleted_at', 'is', null)
    .select([
      'flow.account_id',
      'accounts.domain as account_domain',
      sql<Environment>`flow.environment`.as('environment'),
      'flow.organization_id',
      'organizations.domain',
      'flow.id',
      'flow.application_id',
      'applications.name as application_name',
      // The table's check constraint allows nothing else.
      sql<IssuerKind>`flow.issuer`.as('issuer'),
      'flow.redirect_uri',
      endUriOfFlow('flow.redirect_uri').as('end_uri'),
      'flow.scope',
      // Only written by startFlow().
      sql<RequestedClaims | null>`flow.claims`.as('claims'),
      'flow.state',
      'flow.locale',
      // The table's check constraint allows nothing else.
      sql<WayHint | null>`flow.preferred_way`.as('preferred_way'),
      'flow.is_mfa_required',
      'flow.is_sign_in_forced',
      sql<Step>`flow.step`.as('step'),
      'flow.email',
      'flow.user_id',
      'flow.amr',
      'flow.authenticated_at',
      'flow.connection_id',
      'flow.session_id',
      'flow.social_provider_id',
      'flow.pending_sign_in_id',
      'flow.enrollment_id',
      'flow.is_recovery_code_used',
      'flow.is_renewal_due',
      'flow.account_flow_id',
      sql<boolean>`(flow.link_code_sealed is not null)`.as('is_link_code_shown'),
      'flow.passkey_attempt',
      'flow.is_passkey_capable',
      'flow.expires_at',
    ])
}

type FlowRow = Awaited<ReturnType<typeof selectFlow>>[number]

function toFlow(row: FlowRow): Flow {
  return {
    accountId: row.account_id,
    accountDomain: row.account_domain,
    environment: row.environment,
    organizationId: row.organization_id,
    domain: row.domain,
    flowId: row.id,
    applicationId: row.application_id,
    applicationName: row.application_name,
    issuer: row.issuer,
    redirectUri: row.redirect_uri,
    endUri: row.end_uri,
    scope: row.scope,
    claims: row.claims,
    state: row.state,
    locale: row.locale,
    preferredWay: row.preferred_way,
    isMfaRequired: row.is_mfa_required,
    isSignInForced: row.is_sign_in_forced,
    step: row.step,
    email: row.email,
    userId: row.user_id,
    amr: row.amr,
    authenticatedAt: row.authenticated_at,
    connectionId: row.connection_id,
    sessionId: row.session_id,
    socialProviderId: row.social_provider_id,
    pendingSignInId: row.pending_sign_in_id,
    enrollmentId: row.enrollment_id,
    isRecoveryCodeUsed: row.is_recovery_code_used,
    isRenewalDue: row.is_renewal_due,
    accountFlowId: row.account_flow_id,
    isLinkCodeShown: row.is_link_code_shown,
    passkeyAttempt: row.passkey_attempt,
    isPasskeyCapable: row.is_passkey_capable,
    expiresAt: row.expires_at,
  }
}

/**
 * The caller as which operations see a user at a page: limited to one organization and without scopes, so that no
 * answer reveals more than a stranger may know.
 */
export function callerAtPage(
  at: Pick<Flow, 'accountId' | 'accountDomain' | 'environment' | 'organizationId'>,
  requestId: string,
  userId: string | null = null,
): Caller {
  const actor =
    userId === null
      ? ({ type: 'system', id: 'sign_in_page' } as const)
      : ({ type: 'user', id: userId } as const)
  return {
    accountId: at.accountId,
    accountDomain: at.accountDomain,
    environment: at.environment,
    id: '',
    scopes: [],
    organizationIds: [at.organizationId],
    cause: { requestId, actor, params: () => ({}) },
  }
}
