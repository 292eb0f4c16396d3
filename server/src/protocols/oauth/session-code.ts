import { sql } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { idleMs, type BrowserSession } from '../../directory/sessions/browser-session.js'
import { codeLifetimesMs } from '../../directory/sessions/complete-sign-in.js'
import { normalizeEmail } from '../../platform/email.js'
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
  readonly codeChallenge: string
  /** The granted scopes, separated by spaces. */
  readonly scope: string
  readonly requestId: string
}

/**
 * Issues an authorization code for a browser's session, and marks the session as used. One statement, so that a session
 * ended concurrently issues no code.
 *
 * @returns Undefined when the session is no longer active.
 */
export async function issueSessionCode(
  { db, now, metrics }: Pick<Deps, 'db' | 'now' | 'metrics'>,
  { client, session, ...issued }: SessionCode,
): Promise<string | undefined> {
  const code = randomSecret()
  const at = now()
  const [used] = await insertSessionCode(db, {
    accountId: client.accountId,
    environment: client.environment,
    organizationId: client.organizationId,
    domain: client.domain,
    sessionId: session.sessionId,
    secretHash: hashSecret(issued.secret),
    at,
    idleSince: new Date(at.getTime() - idleMs),
    id: newId(),
    applicationId: client.applicationId,
    redirectUri: client.redirectUri,
    codeHash: hashSecret(code),
    codeChallenge: issued.codeChallenge,
    nonce: issued.nonce,
    state: issued.state,
    scope: issued.scope,
    expiresAt: new Date(at.getTime() + codeLifetimesMs.page),
    email: session.email,
    emailNormalized: normalizeEmail(session.email),
    requestId: issued.requestId,
  })
  if (used === undefined) return undefined
  metrics.countSignIn('END_USER_SIGN_IN_SUCCESS')
  return code
}

interface NewSessionCode {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly domain: string
  readonly sessionId: string
  readonly secretHash: Buffer
  readonly at: Date
  readonly idleSince: Date
  readonly id: string
  readonly applicationId: string
  readonly redirectUri: string
  readonly codeHash: Buffer
  readonly codeChallenge: string
  readonly nonce: string | null
  readonly state: string | null
  readonly scope: string
  readonly expiresAt: Date
  readonly email: string
  readonly emailNormalized: string
  readonly requestId: string
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
        .where('browser_used_at', '>', row.idleSince)
        .returning(['id', 'user_id', 'amr', 'authenticated_at']),
    )
    .with('code', (cte) =>
      cte
        .insertInto('authorization_codes')
        .columns([
          'account_id',
          'environment',
          'organization_id',
          'id',
          'session_id',
          'user_id',
          'application_id',
          'redirect_uri',
          'code_hash',
          'code_challenge',
          'nonce',
          'state',
          'scope',
          'amr',
          'authenticated_at',
          'expires_at',
        ])
        .expression((select) =>
          select
            .selectFrom('used')
            .select([
              sql<string>`${row.accountId}::uuid`.as('account_id'),
              sql<string>`${row.environment}::text`.as('environment'),
              sql<string>`${row.organizationId}::uuid`.as('organization_id'),
              sql<string>`${row.id}::uuid`.as('code_id'),
              'used.id',
              'used.user_id',
              sql<string>`${row.applicationId}::uuid`.as('application_id'),
              sql<string>`${row.redirectUri}::text`.as('redirect_uri'),
              sql<Buffer>`${row.codeHash}::bytea`.as('code_hash'),
              sql<string>`${row.codeChallenge}::text`.as('code_challenge'),
              sql<string | null>`${row.nonce}::text`.as('nonce'),
              sql<string | null>`${row.state}::text`.as('state'),
              sql<string>`${row.scope}::text`.as('scope'),
              'used.amr',
              'used.authenticated_at',
              sql<Date>`${row.expiresAt}::timestamptz`.as('expires_at'),
            ]),
        ),
    )
    .with('logged', (cte) =>
      cte
        .insertInto('log_events')
        .columns([
          'account_id',
          'environment',
          'organization_id',
          'domain',
          'event_code',
          'client_id',
          'email',
          'email_normalized',
          'resource_owner_id',
          'request_id',
          'inserted_at',
        ])
        .expression((select) =>
          select
            .selectFrom('used')
            .select([
              sql<string>`${row.accountId}::uuid`.as('account_id'),
              sql<string>`${row.environment}::text`.as('environment'),
              sql<string>`${row.organizationId}::uuid`.as('organization_id'),
              sql<string>`${row.domain}::text`.as('domain'),
              sql<string>`'END_USER_SIGN_IN_SUCCESS'`.as('event_code'),
              sql<string>`${row.applicationId}::uuid`.as('client_id'),
              sql<string>`${row.email}::text`.as('email'),
              sql<string>`${row.emailNormalized}::text`.as('email_normalized'),
              'used.user_id',
              sql<string>`${row.requestId}::text`.as('request_id'),
              sql<Date>`${row.at}::timestamptz`.as('inserted_at'),
            ]),
        ),
    )
    .selectFrom('used')
    .select('used.id'),
)
