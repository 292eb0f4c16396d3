import { sql } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { insertFrom } from '../../platform/db/insert-if.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { BrowserSession } from '../../directory/sessions/browser-session.js'
import { codeLifetimesMs } from '../../directory/sessions/complete-sign-in.js'
import { normalizeEmail } from '../../platform/email.js'
import type { RequestedClaims } from '../../tokens/user-claims.js'
import type { AuthorizingClient } from './authorizing-client.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** The binding of a code for an existing session. */
interface SessionCode {
  readonly client: AuthorizingClient
  readonly session: BrowserSession
  /** Of the session cookie. */
  readonly secret: string
  readonly state: string | null
  readonly nonce: string | null
  readonly codeChallenge: string | null
  /** The granted scopes, separated by spaces. */
  readonly scope: string
  readonly claims: RequestedClaims | null
  readonly requestId: string
}

/**
 * Issues an authorization code for a browser's session that the same request has found live, and marks the session as used. One
 * statement, so that a session ended concurrently issues no code. What the policy of its organization says of its age was decided
 * when it was found, milliseconds before: a policy that is tightened in between finds a request that came before it.
 *
 * @returns Undefined when the session is no longer active.
 */
export async function issueSessionCode(
  { db, now, metrics }: Pick<Deps, 'db' | 'now' | 'metrics'>,
  { client, session, secret, claims, ...binding }: SessionCode,
): Promise<string | undefined> {
  const code = randomSecret()
  const at = now()
  const [used] = await insertSessionCode(db, {
    ...client,
    ...binding,
    claims: claims === null ? null : JSON.stringify(claims),
    sessionId: session.sessionId,
    email: session.email,
    secretHash: hashSecret(secret),
    at,
    id: newId(),
    codeHash: hashSecret(code),
    expiresAt: new Date(at.getTime() + codeLifetimesMs.page),
    emailNormalized: normalizeEmail(session.email),
  })
  if (used === undefined) return undefined
  metrics.countSignIn('END_USER_SIGN_IN_SUCCESS')
  return code
}

interface NewSessionCode
  extends
    AuthorizingClient,
    Omit<SessionCode, 'client' | 'session' | 'secret' | 'claims'>,
    Pick<BrowserSession, 'sessionId' | 'email'> {
  /** JSON. */
  readonly claims: string | null
  readonly secretHash: Buffer
  readonly at: Date
  readonly id: string
  readonly codeHash: Buffer
  readonly expiresAt: Date
  readonly emailNormalized: string
}

const insertSessionCode = statement((db, row: NewSessionCode) =>
  db
    .with('used', (cte) =>
      cte
        .updateTable('sessions')
        .set({ last_used_at: row.at, browser_used_at: row.at })
        .where(ofOwner(row))
        .where('id', '=', row.sessionId)
        .where('secret_hash', '=', row.secretHash)
        .where('ended_at', 'is', null)
        .where('expires_at', '>', row.at)
        .returning(['id', 'user_id', 'amr', 'authenticated_at']),
    )
    .with('code', () =>
      insertFrom(
        db,
        'authorization_codes',
        {
          account_id: row.accountId,
          environment: row.environment,
          organization_id: row.organizationId,
          id: row.id,
          session_id: sql.ref('used.id'),
          user_id: sql.ref('used.user_id'),
          application_id: row.applicationId,
          issuer: row.issuer,
          redirect_uri: row.redirectUri,
          code_hash: row.codeHash,
          code_challenge: row.codeChallenge,
          nonce: row.nonce,
          state: row.state,
          scope: row.scope,
          claims: sql`${row.claims}::jsonb`,
          amr: sql.ref('used.amr'),
          authenticated_at: sql.ref('used.authenticated_at'),
          expires_at: row.expiresAt,
        },
        sql`from used`,
      ),
    )
    .with('logged', () =>
      insertFrom(
        db,
        'log_events',
        {
          account_id: row.accountId,
          environment: row.environment,
          organization_id: row.organizationId,
          domain: row.domain,
          event_code: 'END_USER_SIGN_IN_SUCCESS',
          client_id: row.applicationId,
          email: row.email,
          email_normalized: row.emailNormalized,
          resource_owner_id: sql.ref('used.user_id'),
          request_id: row.requestId,
          inserted_at: row.at,
        },
        sql`from used`,
      ),
    )
    .selectFrom('used')
    .select('used.id'),
)
