import type { RefusalReason } from '@portico/contract/log-events'
import type { ResponseMode } from '@portico/contract/authorize'
import { sql } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'
import {
  toAuthorizationAnswer,
  type AuthorizationAnswer,
} from '../../directory/sessions/authorization-answer.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { isOrganizationOf, ofOwner, sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'
import { statement } from '../../platform/db/statement.js'
import { issuerOfSignIn, type IssuerKind } from '../../tokens/issuer.js'
import { grantedScope } from '../../tokens/scopes.js'
import type { Caller } from '../../platform/tenant.js'
import type { Flow, FlowKey, Step } from './flow.js'
import { moveFlowAlone } from './step.js'

/**
 * Allows the application of a flow what its page has shown, which nothing changes afterwards; the flow is then ready.
 *
 * @param userId The user whom the page has shown: another one may have taken their place in another tab.
 */
export async function allowApplication(
  deps: Pick<Deps, 'db' | 'now'>,
  flow: FlowKey,
  userId: string,
): Promise<void> {
  await moveFlowAlone(deps, flow, { from: ['consent'], of: userId, to: 'ready' })
}

/** Moves a flow from a step back to its beginning, for another sign-in; what was passed before is forgotten. */
export async function beginAnew(deps: Pick<Deps, 'db' | 'now'>, flow: Flow, from: Step): Promise<void> {
  await moveFlowAlone(deps, flow, {
    from: [from],
    to: 'identifier',
    set: {
      user_id: null,
      amr: [],
      authenticated_at: null,
      identity_id: null,
      connection_id: null,
      session_id: null,
      pending_sign_in_id: null,
      is_renewal_due: false,
      // Without the method by which the first user has signed in.
      scope: grantedScope(flow.scope),
    },
  })
}

/** What a user may refuse: at which step, and how the log and the application are told (RFC 6749 section 4.1.2.1). */
const refusals = {
  consent: {
    step: 'consent',
    reason: 'consent_refused',
    description: 'the user has not allowed the application',
  },
  passkey: {
    step: 'totp',
    reason: 'passkey_expected',
    description: 'the user has not used the passkey that the application demands',
  },
  new_passkey: {
    step: 'enroll',
    reason: 'passkey_expected',
    description: 'the user has not added the passkey that the application demands',
  },
  enrollment: {
    step: 'enroll',
    reason: 'second_factor_expected',
    description: 'the user has not set up the second factor that the application demands',
  },
} as const satisfies Record<string, Refusal>

interface Refusal {
  readonly step: Step
  readonly reason: RefusalReason
  readonly description: string
}

/**
 * Ends a flow whose user does not give the application what the page of a step asks for, once.
 *
 * @returns The error for the application; undefined when the flow is at another step, or its redirect no longer allowed.
 */
export async function refuseApplication(
  deps: Deps,
  { cause }: Pick<Caller, 'cause'>,
  { accountId, environment, organizationId, flowId }: FlowKey,
  refusal: keyof typeof refusals,
): Promise<AuthorizationAnswer | undefined> {
  const { step, reason, description } = refusals[refusal]
  const { record: refused } = await change(deps, cause, async (trx) => {
    const key = { accountId, environment, organizationId, flowId, step, at: deps.now() }
    const [ended] = await endRefused(trx, key)
    if (ended !== undefined) {
      const { requestId } = cause
      await logEventOf(deps, trx, ended, { code: 'END_USER_SIGN_IN_FAILED', reason, requestId })
    }
    return { record: ended }
  })
  if (refused === undefined) return undefined
  const { redirect_uri: redirectUri, response_mode: mode, state } = refused
  return toAuthorizationAnswer(
    { redirectUri, mode },
    {
      parameters: { error: 'access_denied', error_description: description },
      state,
      issuer: issuerOfSignIn(deps.config.baseUrl, refused),
    },
  )
}

const endRefused = statement((db, key: FlowKey & { readonly step: Step; readonly at: Date }) =>
  db
    .updateTable('sign_in_flows as flow')
    .set({ used_at: key.at })
    .from(['organizations', 'accounts', 'applications', 'users'])
    .where(ofOwner(key, 'flow'))
    .where('flow.id', '=', key.flowId)
    .where('flow.step', '=', key.step)
    .where('flow.used_at', 'is', null)
    .where('flow.expires_at', '>', key.at)
    .where(isOrganizationOf('organizations', 'flow'))
    .where('organizations.deleted_at', 'is', null)
    .whereRef('accounts.id', '=', 'flow.account_id')
    .where(sameEnvironment('applications', 'flow'))
    .whereRef('applications.id', '=', 'flow.application_id')
    .where(isUsableBy(sql.ref('flow.organization_id')))
    .where(sql<boolean>`flow.redirect_uri = any(applications.allowed_redirect_urls)`)
    .where(sameTenant('users', 'flow'))
    .whereRef('users.id', '=', 'flow.user_id')
    .returning([
      'flow.account_id',
      'flow.environment',
      'flow.organization_id',
      'organizations.domain',
      'accounts.domain as account_domain',
      // The table's check constraint allows nothing else.
      sql<IssuerKind>`flow.issuer`.as('issuer'),
      'flow.application_id',
      sql<string>`flow.user_id`.as('user_id'),
      'users.email',
      'flow.redirect_uri',
      // The table's check constraint allows nothing else.
      sql<ResponseMode>`flow.response_mode`.as('response_mode'),
      'flow.state',
    ]),
)
