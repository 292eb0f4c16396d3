import { environments, id as idForm, type Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { readIdTokenHint, type IdTokenHint } from '../oauth/id-token-hint.js'
import type { PublicAccount } from '../../directory/organizations/find-account.js'
import type { PublicOrganization } from '../../directory/organizations/find-organization.js'
import { withParameters } from '../../directory/sessions/complete-sign-in.js'
import { endSession } from '../../directory/end-sessions.js'
import { signOut } from '../../directory/sessions/sign-out.js'
import { isOrganizationOf, ofEnvironment, ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'
import { causeBy } from '../../platform/tenant.js'

/** Where a browser signs out: of an organization, or of all organizations of an account. */
export interface SignOutPlace extends Pick<PublicAccount, 'accountId' | 'accountDomain'> {
  /** Undefined: all of the account's. */
  readonly organization: Pick<PublicOrganization, 'organizationId' | 'domain'> | undefined
}

/** A request to sign out (RP-Initiated Logout section 2); undefined members were not sent. */
interface SignOutRequest {
  readonly place: SignOutPlace
  readonly idTokenHint: string | undefined
  /** The `sid` of a session that the application has ended by a refresh token. */
  readonly logoutHint: string | undefined
  readonly clientId: string | undefined
  readonly postLogoutRedirectUri: string | undefined
  readonly state: string | undefined
  /** The secrets in the browser's session cookies that may be of the place and an environment. */
  readonly sessionSecretsOf: (environment: Environment) => readonly string[]
}

/** The parameter at fault in a request that is refused. */
export type SignOutFault = 'id_token_hint' | 'client_id' | 'post_logout_redirect_uri'

/** A refused request; the environment is that of its application, once that is known. */
export interface RefusedSignOut {
  readonly fault: SignOutFault
  readonly environment?: Environment | undefined
}

/** The validated effect of a request to sign out. */
export interface SignOutPlan {
  /** Undefined where neither the request nor the browser determines it. */
  readonly environment: Environment | undefined
  /** The sessions to end; none where the browser has none. */
  readonly sessions: readonly EndingSession[]
  /** The hint is of one of these sessions, or of one that has just ended, so that no confirmation is needed. */
  readonly isHinted: boolean
  /** The session of the hint is, or was, this browser's: no other website has sent the browser here with a token of its own. */
  readonly isOfBrowser: boolean
  /** Where the browser goes afterwards; undefined: a page confirms the sign-out. */
  readonly redirectUrl: string | undefined
}

interface EndingSession {
  readonly environment: Environment
  readonly organizationId: string
  /** Of the organization. */
  readonly domain: string
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
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  request: SignOutRequest,
): Promise<SignOutPlan | RefusedSignOut> {
  const { place, idTokenHint, postLogoutRedirectUri: redirectUri } = request
  const hint = idTokenHint === undefined ? undefined : await readIdTokenHint(deps, place, idTokenHint)
  if (idTokenHint !== undefined && !isOfPlace(hint, place)) return { fault: 'id_token_hint' }
  const clientId = request.clientId?.toLowerCase().split('_').at(-1)
  if (hint !== undefined && clientId !== undefined && clientId !== hint.clientId)
    return { fault: 'client_id' }
  const application = await findApplication(deps, request, hint, clientId)
  if (clientId !== undefined && application === undefined) return { fault: 'client_id' }
  if (redirectUri !== undefined && application?.allowed_logout_urls.includes(redirectUri) !== true)
    return { fault: 'post_logout_redirect_uri', environment: hint?.environment ?? application?.environment }
  const named = hint?.environment ?? application?.environment
  const candidates = named === undefined ? environments : [named]
  const ofBrowser = await findSessionsOfBrowser(deps, request, candidates)
  const sessions = ofBrowser.length > 0 ? ofBrowser : await findHintedSession(deps, request, hint)
  const isOfBrowser =
    ofBrowser.some((session) => isOf(session, hint)) ||
    (application !== undefined &&
      clientId !== undefined &&
      (await hasRevoked(deps, request, { environment: application.environment, clientId })))
  return {
    environment: sessions[0]?.environment ?? named,
    sessions,
    isHinted: isOfBrowser || sessions.some((session) => isOf(session, hint)),
    isOfBrowser,
    redirectUrl: redirectUri === undefined ? undefined : withState(redirectUri, request.state),
  }
}

/** Ends the sessions of a plan, once the user has confirmed or the hint makes that unnecessary. */
export async function signOutAsPlanned(
  deps: Pick<Deps, 'db' | 'keys' | 'now' | 'metrics'>,
  { accountId, accountDomain }: SignOutPlace,
  { sessions }: SignOutPlan,
  requestId: string,
): Promise<void> {
  // One after the other: each is of its own user, who causes its end.
  for (const session of sessions) {
    const { environment, domain } = session
    const cause = causeBy(requestId, 'user', session.userId)
    const tenant = { accountId, accountDomain, environment, domain, organizationIds: null, cause }
    await change(deps, cause, async (trx) => {
      const record = await signOut(deps, trx, tenant, session)
      // Its time is over, which is no event; applications that keep sessions of their own are told all the same.
      if (record === undefined) await endSession(deps, trx, { accountId, ...session })
      return { record }
    })
  }
}

/** Whether a hint is of a user of the place; a hint that cannot be read is not. */
function isOfPlace(hint: IdTokenHint | undefined, { organization }: SignOutPlace): boolean {
  if (hint === undefined) return false
  return organization === undefined || hint.organizationDomain === organization.domain
}

const applicationId = idForm()

/** The requesting application: in the hint's environment, else in either. */
async function findApplication(
  { db }: Pick<Deps, 'db'>,
  { place: { accountId, organization } }: SignOutRequest,
  hint: IdTokenHint | undefined,
  clientId: string | undefined,
) {
  const id = clientId ?? hint?.clientId
  if (id === undefined || !applicationId.safeParse(id).success) return undefined
  return (
    db
      .selectFrom('applications')
      .where('account_id', '=', accountId)
      .where('environment', 'in', hint === undefined ? [...environments] : [hint.environment])
      .where('id', '=', id)
      .where(
        organization === undefined
          ? sql<boolean>`applications.deleted_at is null`
          : isUsableBy(sql.val(organization.organizationId)),
      )
      // The table's check constraint allows nothing else.
      .select([sql<Environment>`environment`.as('environment'), 'allowed_logout_urls'])
      .executeTakeFirst()
  )
}

/** The sessions of the browser, even idle or expired, because their refresh tokens may still be valid. */
async function findSessionsOfBrowser(
  { db }: Pick<Deps, 'db'>,
  { place, sessionSecretsOf }: SignOutRequest,
  candidates: readonly Environment[],
): Promise<readonly EndingSession[]> {
  for (const environment of candidates) {
    const hashes = sessionSecretsOf(environment).map(hashSecret)
    if (hashes.length === 0) continue
    const rows = await openSessionsOf(db, place, environment)
      .where('sessions.secret_hash', '=', sql<Buffer>`any(${hashes}::bytea[])`)
      .execute()
    if (rows.length > 0) return rows.map((row) => ({ environment, ...row }))
  }
  return []
}

/** Where the browser has none, a hint of a session that belongs to no browser: its user signed in through the API. */
async function findHintedSession(
  { db }: Pick<Deps, 'db'>,
  { place }: SignOutRequest,
  hint: IdTokenHint | undefined,
): Promise<readonly EndingSession[]> {
  if (hint?.sessionId === undefined) return []
  const { environment } = hint
  const rows = await openSessionsOf(db, place, environment)
    .where('organizations.domain', '=', hint.organizationDomain)
    .where('sessions.id', '=', hint.sessionId)
    .where('sessions.user_id', '=', hint.userId)
    .where('sessions.secret_hash', 'is', null)
    .execute()
  return rows.map((row) => ({ environment, ...row }))
}

/** Of sessions. */
function ofPlace({ accountId, organization }: SignOutPlace, environment: Environment) {
  return organization === undefined
    ? ofEnvironment({ accountId, environment }, 'sessions')
    : ofOwner({ accountId, environment, organizationId: organization.organizationId }, 'sessions')
}

function openSessionsOf(db: Deps['db'], place: SignOutPlace, environment: Environment) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', (join) =>
      join.on(sameTenant('users', 'sessions')).onRef('users.id', '=', 'sessions.user_id'),
    )
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'sessions')))
    .where(ofPlace(place, environment))
    .where('sessions.ended_at', 'is', null)
    .select([
      'sessions.organization_id as organizationId',
      'organizations.domain',
      'sessions.id as sessionId',
      'sessions.user_id as userId',
      'users.email',
    ])
    .orderBy('organizations.name')
    .orderBy('sessions.id')
}

/** An ID token of another session or user does not replace the confirmation. */
function isOf({ sessionId, userId }: EndingSession, hint: IdTokenHint | undefined): boolean {
  return hint !== undefined && hint.sessionId === sessionId && hint.userId === userId
}

/** How long the end of a session by its application stands for the confirmation of the sign-out that follows. */
const revocationCountsMs = 5 * 60 * 1000

/**
 * Whether this browser's cookie is of the session that logout_hint names, and the application has just ended it by its refresh
 * token: its user has signed out there. The hint alone is no proof, because every reader of a token knows it.
 */
async function hasRevoked(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { place, logoutHint, sessionSecretsOf }: SignOutRequest,
  { environment, clientId }: { readonly environment: Environment; readonly clientId: string },
): Promise<boolean> {
  if (!idForm().safeParse(logoutHint).success) return false
  const hashes = sessionSecretsOf(environment).map(hashSecret)
  const since = new Date(now().getTime() - revocationCountsMs)
  const revoked = await db
    .selectFrom('sessions')
    .innerJoin('refresh_token_families as family', (join) =>
      join.on(sameTenant('family', 'sessions')).onRef('family.session_id', '=', 'sessions.id'),
    )
    .where(ofPlace(place, environment))
    .where('sessions.id', '=', logoutHint ?? '')
    .where('sessions.secret_hash', '=', sql<Buffer>`any(${hashes}::bytea[])`)
    .where('sessions.ended_at', '>', since)
    .where('family.application_id', '=', clientId)
    .where('family.ended_at', '>', since)
    .select('sessions.id')
    .executeTakeFirst()
  return revoked !== undefined
}

/** RP-Initiated Logout section 3; the address stays as it was registered, its own query included. */
function withState(redirectUri: string, state: string | undefined): string {
  return state === undefined ? redirectUri : withParameters(redirectUri, { state })
}
