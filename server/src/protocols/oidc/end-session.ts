import { environments, id as idForm, type Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { readIdTokenHint, type IdTokenHint } from '../oauth/id-token-hint.js'
import type { PublicOrganization } from '../../directory/organizations/find-organization.js'
import { withParameters } from '../../directory/sessions/complete-sign-in.js'
import { endSession } from '../../directory/end-sessions.js'
import { signOut } from '../../directory/sessions/sign-out.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'
import { causeBy } from '../../platform/tenant.js'

/** A request to sign out of an organization (RP-Initiated Logout section 2); undefined members were not sent. */
interface SignOutRequest {
  readonly organization: PublicOrganization
  readonly idTokenHint: string | undefined
  readonly clientId: string | undefined
  readonly postLogoutRedirectUri: string | undefined
  readonly state: string | undefined
  /** The secret in the browser's session cookie of an environment. */
  readonly sessionSecretOf: (environment: Environment) => string | undefined
}

/** The parameter at fault in a request that is refused. */
export type SignOutFault = 'id_token_hint' | 'client_id' | 'post_logout_redirect_uri'

/** The validated effect of a request to sign out. */
export interface SignOutPlan {
  /** Undefined where neither the request nor the browser determines it. */
  readonly environment: Environment | undefined
  /** The session to end; undefined where the browser has none. */
  readonly session: EndingSession | undefined
  /** The hint is of this session, so that no confirmation is needed. */
  readonly isHinted: boolean
  /** Where the browser goes afterwards; undefined: a page confirms the sign-out. */
  readonly redirectUrl: string | undefined
}

interface EndingSession {
  readonly sessionId: string
  readonly userId: string
  readonly email: string
}

/**
 * Validates a request to sign out, without effect yet. Redirects only to an exactly matching, registered address of the
 * application, which is the hint's audience or named by client_id. An expired hint is accepted, because users sign out
 * after their tokens have expired.
 */
export async function planSignOut(
  deps: Pick<Deps, 'config' | 'db'>,
  request: SignOutRequest,
): Promise<SignOutPlan | { readonly fault: SignOutFault }> {
  const { idTokenHint, postLogoutRedirectUri: redirectUri } = request
  const hint =
    idTokenHint === undefined ? undefined : await readIdTokenHint(deps, request.organization, idTokenHint)
  if (idTokenHint !== undefined && hint === undefined) return { fault: 'id_token_hint' }
  const clientId = request.clientId?.toLowerCase().split('_').at(-1)
  if (hint !== undefined && clientId !== undefined && clientId !== hint.clientId)
    return { fault: 'client_id' }
  const application = await findApplication(deps, request, hint, clientId)
  if (clientId !== undefined && application === undefined) return { fault: 'client_id' }
  if (redirectUri !== undefined && application?.allowed_logout_urls.includes(redirectUri) !== true)
    return { fault: 'post_logout_redirect_uri' }
  const named = hint?.environment ?? application?.environment
  const found = await findSession(deps, request, hint, named === undefined ? environments : [named])
  return {
    environment: found?.environment ?? named,
    session: found?.session,
    isHinted: found !== undefined && isOf(found.session, hint),
    redirectUrl: redirectUri === undefined ? undefined : withState(redirectUri, request.state),
  }
}

/** Ends the session of a plan, once the user has confirmed or the hint makes that unnecessary. */
export async function signOutAsPlanned(
  deps: Pick<Deps, 'db' | 'keys' | 'now' | 'metrics'>,
  { accountId, accountDomain, organizationId, domain }: PublicOrganization,
  { environment, session }: SignOutPlan,
  requestId: string,
): Promise<void> {
  if (environment === undefined || session === undefined) return
  const cause = causeBy(requestId, 'user', session.userId)
  const tenant = { accountId, accountDomain, environment, domain, organizationIds: null, cause }
  await change(deps, cause, async (trx) => {
    const record = await signOut(deps, trx, tenant, session)
    // Its time is over, which is no event; applications that keep sessions of their own are told all the same.
    if (record === undefined)
      await endSession(deps, trx, { accountId, environment, organizationId, ...session })
    return { record }
  })
}

const applicationId = idForm()

/** The requesting application: in the hint's environment, else in either. */
async function findApplication(
  { db }: Pick<Deps, 'db'>,
  { organization }: SignOutRequest,
  hint: IdTokenHint | undefined,
  clientId: string | undefined,
) {
  const id = clientId ?? hint?.clientId
  if (id === undefined || !applicationId.safeParse(id).success) return undefined
  return (
    db
      .selectFrom('applications')
      .where('account_id', '=', organization.accountId)
      .where('environment', 'in', hint === undefined ? [...environments] : [hint.environment])
      .where('id', '=', id)
      .where(isUsableBy(sql.val(organization.organizationId)))
      // The table's check constraint allows nothing else.
      .select([sql<Environment>`environment`.as('environment'), 'allowed_logout_urls'])
      .executeTakeFirst()
  )
}

interface FoundSession {
  readonly environment: Environment
  readonly session: EndingSession
}

/**
 * The session of the browser, even idle or expired, because its refresh tokens may still be valid. Without one, a hint of
 * a session that belongs to no browser is of a user who signed in through the API, and that session ends.
 */
async function findSession(
  { db }: Pick<Deps, 'db'>,
  { organization, sessionSecretOf }: SignOutRequest,
  hint: IdTokenHint | undefined,
  candidates: readonly Environment[],
): Promise<FoundSession | undefined> {
  const { accountId, organizationId } = organization
  const sessions = (environment: Environment) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', (join) =>
        join.on(sameTenant('users', 'sessions')).onRef('users.id', '=', 'sessions.user_id'),
      )
      .where(ofOwner({ accountId, environment, organizationId }, 'sessions'))
      .where('sessions.ended_at', 'is', null)
      .select(['sessions.id', 'sessions.user_id', 'users.email'])
  for (const environment of candidates) {
    const secret = sessionSecretOf(environment)
    if (secret === undefined) continue
    const row = await sessions(environment)
      .where('sessions.secret_hash', '=', hashSecret(secret))
      .executeTakeFirst()
    if (row !== undefined) return { environment, session: toEnding(row) }
  }
  if (hint?.sessionId === undefined) return undefined
  const row = await sessions(hint.environment)
    .where('sessions.id', '=', hint.sessionId)
    .where('sessions.user_id', '=', hint.userId)
    .where('sessions.secret_hash', 'is', null)
    .executeTakeFirst()
  return row === undefined ? undefined : { environment: hint.environment, session: toEnding(row) }
}

function toEnding(row: {
  readonly id: string
  readonly user_id: string
  readonly email: string
}): EndingSession {
  return { sessionId: row.id, userId: row.user_id, email: row.email }
}

/** An ID token of another session or user does not replace the confirmation. */
function isOf({ sessionId, userId }: EndingSession, hint: IdTokenHint | undefined): boolean {
  return hint !== undefined && hint.sessionId === sessionId && hint.userId === userId
}

/** RP-Initiated Logout section 3; the address stays as it was registered, its own query included. */
function withState(redirectUri: string, state: string | undefined): string {
  return state === undefined ? redirectUri : withParameters(redirectUri, { state })
}
