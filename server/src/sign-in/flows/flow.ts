import type { WayHint } from '@portico/contract/authorize'
import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { Caller } from '../../platform/tenant.js'
import { isOrganizationOf, sameEnvironment } from '../../platform/db/tenant-predicate.js'

/** How long somebody has to sign in on our pages: time for a mail, and for a first password. */
export const flowLifetimeMs = 60 * 60 * 1000

/**
 * Where a flow is. What a page shows and which form it takes follow from this alone:
 *
 * - `identifier`: the address is asked for;
 * - `identity_provider`: the identity provider of an SSO connection is asked;
 * - `password`: the password of the address is;
 * - `link_sent`: a link was mailed, which is opened in this browser, or whose code is typed in it;
 * - `totp`: a first factor was passed, and the second one is asked for;
 * - `enroll`: the application demands a second factor, and the user has none;
 * - `recovery_codes`: the enrolment is validated, and its recovery codes are to be kept;
 * - `renew_password`: every factor was passed with a password that should be another one;
 * - `ready`: nothing more is asked.
 */
export const steps = [
  'identifier',
  'identity_provider',
  'password',
  'link_sent',
  'totp',
  'enroll',
  'recovery_codes',
  'renew_password',
  'ready',
] as const
export type Step = (typeof steps)[number]

/** Whose flow: the organization and environment, and the flow's id. Every statement that touches a flow has all four. */
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
  readonly redirectUri: string
  readonly state: string | null
  /** Language tags of ui_locales. */
  readonly locale: string | null
  /** What the application would like, where the organization has both. */
  readonly preferredWay: WayHint | null
  readonly isMfaRequired: boolean
  /** Whoever is signed in at an identity provider already has to sign in there anew. */
  readonly isSignInForced: boolean
  /** As it was typed; before the identifier what is filled in, if anything. */
  readonly email: string | null
  readonly userId: string | null
  /** By what the user has authenticated until now. */
  readonly amr: readonly string[]
  /** The SSO connection whose identity provider is asked. */
  readonly connectionId: string | null
  readonly pendingSignInId: string | null
  /** The enrolment that was begun here and waits for its first code. */
  readonly enrollmentId: string | null
  readonly isRenewalDue: boolean
  /** A code that the link's page shows in another browser waits to be typed here. */
  readonly isLinkCodeShown: boolean
  readonly expiresAt: Date
}

/** What a request for a page of a flow says. */
export interface FlowRequest {
  readonly organizationDomain: string
  readonly flowId: string
  /** Of the flow cookie. */
  readonly browserSecret: string
}

/**
 * The flow of a browser as it stands; undefined when it is another browser's, of another organization, is finished, or
 * has expired.
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

const selectFlow = statement(
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
      'flow.redirect_uri',
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
      'flow.connection_id',
      'flow.pending_sign_in_id',
      'flow.enrollment_id',
      'flow.is_renewal_due',
      sql<boolean>`(flow.link_code_sealed is not null)`.as('is_link_code_shown'),
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
    redirectUri: row.redirect_uri,
    state: row.state,
    locale: row.locale,
    preferredWay: row.preferred_way,
    isMfaRequired: row.is_mfa_required,
    isSignInForced: row.is_sign_in_forced,
    step: row.step,
    email: row.email,
    userId: row.user_id,
    amr: row.amr,
    connectionId: row.connection_id,
    pendingSignInId: row.pending_sign_in_id,
    enrollmentId: row.enrollment_id,
    isRenewalDue: row.is_renewal_due,
    isLinkCodeShown: row.is_link_code_shown,
    expiresAt: row.expires_at,
  }
}

/**
 * Somebody at a page, as operations know callers: of one organization, and with no scope, so that no answer tells more
 * than a stranger may know.
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
    apiKeyId: '',
    scopes: [],
    organizationIds: [at.organizationId],
    cause: { requestId, actor, params: () => ({}) },
  }
}
