import type { Selectable, Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { insertFound } from '../../platform/db/insert-if.js'
import type { DB, Sessions } from '../../platform/db/schema.js'
import { companion, insertion, statement } from '../../platform/db/statement.js'
import { ofOwner, ownerColumns } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import type { ActClaim } from '../../tokens/claims.js'
import type { IssuerKind } from '../../tokens/issuer.js'
import type { RequestedClaims } from '../../tokens/user-claims.js'
import type { Tenant } from '../../platform/tenant.js'
import { expiryFrom } from './lifetime.js'
import { toSession } from './record.js'

/** A page's redirect arrives at once; a back end that got the code in an answer still has to hand it on. */
export const codeLifetimesMs = { page: 60_000, api: 300_000 }

/** A user who has passed every requested factor, and the destination of the code. */
export interface CompletedFactors {
  readonly tenant: Tenant
  readonly organizationId: string
  readonly userId: string
  readonly applicationId: string
  /** Allowed by the application; the code is bound to it. */
  readonly redirectUri: string
  /** How the user was authenticated: email, relay, sso, or a name of RFC 8176. */
  readonly amr: readonly string[]
  readonly authenticatedAt: Date
  /** The identity asserted by an identity provider. */
  readonly identityId?: string | undefined
  /** What the browser has proved of a mailbox, where it came by the list of an account's organizations. */
  readonly emailSessionId?: string | null
  /** The user in the organization of origin, after a relay; in an impersonation the member of staff. */
  readonly act?: ActClaim
  /** The impersonation that the session ends with. */
  readonly impersonation?: { readonly id: string; readonly expiresAt: Date }
  readonly nonce: string | null
  /** S256 (RFC 7636). */
  readonly codeChallenge: string | null
  /** The granted scopes, separated by spaces. */
  readonly scope: string
  readonly state: string | null
  /** Whether a page redirects with the code, or an answer of the API carries it. */
  readonly via: 'page' | 'api'
  /** The issuer that tokens come from; that of the organization unless given. */
  readonly issuer?: IssuerKind
}

/**
 * Completes a sign-in outside of flows: opens a session and makes an authorization code for it. The caller has checked,
 * in the same transaction, that the user is active and may sign in to the organization.
 *
 * @returns The code, which is stored as a digest.
 */
export async function completeSignIn(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  signIn: CompletedFactors,
): Promise<string> {
  const { sessionId } = await openSession(deps, trx, signIn)
  return issueCode(deps, trx, {
    ...signIn,
    sessionId,
    issuer: signIn.issuer ?? 'organization',
    claims: null,
  })
}

/** The browser that has a session of our pages. */
interface BrowserHold {
  /** Digest of the secret in its cookie. */
  readonly secretHash: Buffer
  /** The User-Agent of the browser. */
  readonly userAgent: string | null
}

/** A session that was opened or renewed. */
export interface OpenedSession {
  readonly sessionId: string
  readonly expiresAt: Date
}

/** Opens a session, and emits its event. */
export async function openSession(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  signIn: Omit<CompletedFactors, 'nonce' | 'codeChallenge' | 'scope' | 'state' | 'via' | 'redirectUri'>,
  browser?: BrowserHold,
): Promise<OpenedSession> {
  const { tenant, organizationId, userId } = signIn
  const at = deps.now()
  const session = {
    account_id: tenant.accountId,
    environment: tenant.environment,
    organization_id: organizationId,
    id: newId(),
    user_id: userId,
    application_id: signIn.applicationId,
    amr: [...signIn.amr],
    authenticated_at: signIn.authenticatedAt,
    impersonation_id: signIn.impersonation?.id ?? null,
    last_used_at: at,
    user_agent: browser?.userAgent ?? null,
  }
  const row: NewSessionRow = {
    ...session,
    begun_at: at,
    secret_hash: browser?.secretHash ?? null,
    browser_used_at: browser === undefined ? null : at,
    identity_id: signIn.identityId ?? null,
    act: signIn.act === undefined ? null : JSON.stringify(signIn.act),
    email_session_id: signIn.emailSessionId ?? null,
  }
  const ends_at = signIn.impersonation?.expiresAt
  const [inserted] = await (ends_at === undefined
    ? insertSession(trx, row)
    : insertSessionThatEnds(trx, { ...row, ends_at }))
  if (inserted === undefined) throw new Error('an insert of one row has inserted none')
  const { expires_at } = inserted
  // A member of staff is not the user, whose list of organizations this orders.
  if (signIn.impersonation === undefined) await noteSignIn(deps, trx, signIn)
  await emit(deps, trx, tenant, {
    code: 'user.session.create.success',
    record: toSession({ ...session, expires_at, offline_until: null }, tenant),
    organizationId,
    subjectId: userId,
  })
  return { sessionId: session.id, expiresAt: expires_at }
}

/** The columns of a new session but its end. */
type NewSessionRow = Omit<
  Selectable<Sessions>,
  'expires_at' | 'ended_at' | 'offline_until' | 'act' | 'begun_at' | 'passkey_attempt'
> & {
  readonly begun_at: Date
  readonly act: string | null
}

/** A session that ends by the policy of its organization. */
const insertSession = statement((db, row: NewSessionRow) => {
  const expires_at = expiryFrom(row.begun_at, ownerOf(row))
  return insertFound(db, 'sessions', { ...columnsOf(row), expires_at }).returning('expires_at')
})

/** One with an end of its own. In one statement with the other, a cluster would leave out the query, and insert nothing. */
const insertSessionThatEnds = statement((db, row: NewSessionRow & { readonly ends_at: Date }) =>
  db
    .insertInto('sessions')
    .values({ ...columnsOf(row), expires_at: row.ends_at })
    .returning('expires_at'),
)

function ownerOf(row: NewSessionRow) {
  return { accountId: row.account_id, environment: row.environment, organizationId: row.organization_id }
}

function columnsOf(row: NewSessionRow) {
  return {
    ...ownerColumns(ownerOf(row)),
    id: row.id,
    user_id: row.user_id,
    application_id: row.application_id,
    amr: row.amr,
    act: row.act,
    authenticated_at: row.authenticated_at,
    identity_id: row.identity_id,
    impersonation_id: row.impersonation_id,
    email_session_id: row.email_session_id,
    begun_at: row.begun_at,
    last_used_at: row.last_used_at,
    browser_used_at: row.browser_used_at,
    secret_hash: row.secret_hash,
    user_agent: row.user_agent,
  }
}

const noteEveryMs = 60 * 60 * 1000

/** Notes when a user has signed in, at most once an hour, for the list of an account's organizations. */
export async function noteSignIn(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  {
    tenant: { accountId, environment },
    organizationId,
    userId,
  }: Pick<CompletedFactors, 'tenant' | 'organizationId' | 'userId'>,
): Promise<void> {
  const at = now()
  const before = new Date(at.getTime() - noteEveryMs)
  await updateSignedInAt(trx, { accountId, environment, organizationId, userId, at, before })
}

interface NotedSignIn {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly userId: string
  readonly at: Date
  readonly before: Date
}

const updateSignedInAt = companion((db, user: NotedSignIn) =>
  db
    .updateTable('users')
    .set({ last_signed_in_at: user.at })
    .where(ofOwner(user))
    .where('id', '=', user.userId)
    .where((where) =>
      where.or([where('last_signed_in_at', 'is', null), where('last_signed_in_at', '<=', user.before)]),
    ),
)

/** A session, and the parameters that its code is bound to. */
interface IssuedCode extends Omit<CompletedFactors, 'act' | 'impersonation'> {
  readonly sessionId: string
  /** The issuer that was asked; outside of flows that of the organization. */
  readonly issuer: IssuerKind
  /** The individual claims that the application has asked for; the API has no parameter for them. */
  readonly claims: RequestedClaims | null
}

/**
 * Makes an authorization code for a session, with a copy of the sign-in as it is now.
 *
 * @returns The code, which is stored as a digest.
 */
export async function issueCode(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { tenant, ...issued }: IssuedCode,
): Promise<string> {
  const code = randomSecret()
  await insertCode(trx, {
    account_id: tenant.accountId,
    environment: tenant.environment,
    organization_id: issued.organizationId,
    id: newId(),
    session_id: issued.sessionId,
    user_id: issued.userId,
    application_id: issued.applicationId,
    issuer: issued.issuer,
    redirect_uri: issued.redirectUri,
    code_hash: hashSecret(code),
    code_challenge: issued.codeChallenge,
    nonce: issued.nonce,
    state: issued.state,
    scope: issued.scope,
    claims: issued.claims === null ? null : JSON.stringify(issued.claims),
    amr: [...issued.amr],
    authenticated_at: issued.authenticatedAt,
    expires_at: new Date(now().getTime() + codeLifetimesMs[issued.via]),
  })
  return code
}

const insertCode = insertion('authorization_codes')

/**
 * The redirect with an answer, such as a code (RFC 6749 section 4.1.2). `iss` enables a client of several issuers to
 * detect an answer of another one (RFC 9207).
 *
 * @param redirectUri Kept exactly, its query included: applications compare it with what they registered.
 */
export function toRedirectUrl(redirectUri: string, answer: AnsweredParameters): string {
  return withParameters(redirectUri, toParameters(answer))
}

/** What an answer tells the application. */
export interface AnsweredParameters {
  /** The parameters beside those of every answer. */
  readonly parameters: Readonly<Record<string, string>>
  readonly state: string | null
  readonly issuer: string
}

/** The parameters of an answer, in their order. */
export function toParameters({ parameters, state, issuer }: AnsweredParameters): Record<string, string> {
  return { ...parameters, ...(state !== null && { state }), iss: issuer }
}

/** A registered address, kept exactly, with further parameters in its query. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string>>): string {
  const joint = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${joint}${new URLSearchParams(parameters).toString()}`
}
