import { sql, type Kysely } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'
import {
  askedAt,
  browserSessionsOf,
  toBrowserSession,
  type AskedAt,
  type BrowserSession,
  type SessionsQuery,
} from '../../directory/sessions/browser-session.js'
import type { Deps } from '../../delivery/deps.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import { isOrganizationOf, ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'
import type { AskingApplication, AuthorizingClient } from './authorizing-client.js'

/** A live session of the browser, at an organization that can use the application. */
export interface AccountSession {
  readonly client: AuthorizingClient
  readonly session: BrowserSession
  /** Of the session cookie. */
  readonly secret: string
}

/** Its organization, as a list shows it. */
export interface ListedSession {
  readonly domain: string
  readonly name: string
  readonly iconLogoUrl: string | null
  readonly email: string
  readonly usedAt: Date
}

/** More than anybody switches between. */
const mostLookedAt = 10

/** The last used of the live sessions of a browser at organizations of the account which is accepted. */
export async function findAccountSession(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  application: AskingApplication,
  secrets: readonly string[],
  isAccepted: (session: AccountSession) => boolean,
): Promise<AccountSession | undefined> {
  const [last] = await readSessions(deps, application, secrets, 1)
  if (last !== undefined && isAccepted(last)) return last
  // Nearly always the last used is accepted, and the others are not read.
  if (secrets.length <= 1) return undefined
  return (await readSessions(deps, application, secrets, mostLookedAt)).find(isAccepted)
}

async function readSessions(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  application: AskingApplication,
  secrets: readonly string[],
  most: number,
): Promise<AccountSession[]> {
  if (secrets.length === 0) return []
  const secretOf = new Map(secrets.map((secret) => [hashSecret(secret).toString('hex'), secret]))
  const key = sessionsKey(deps, application, secrets, most)
  const rows = await selectSessions(deps.db, key)
  const found = await Promise.all(
    rows.map(async (row): Promise<AccountSession | undefined> => {
      const organizationId = row.organization_id
      const session = await toBrowserSession(deps.db, { ...key, organizationId }, row)
      if (session === undefined) return undefined
      return {
        client: {
          ...application,
          organizationId,
          domain: row.domain,
          allowedEmailDomains: row.allowed_email_domains,
          isTotpActive: row.is_totp_active === true,
        },
        session,
        secret: secretOf.get(row.secret_hash.toString('hex')) ?? '',
      }
    }),
  )
  return found.filter((session) => session !== undefined)
}

/** The same for a page that has the user choose one. */
export async function listAccountSessions(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  application: SessionsOwner,
  secrets: readonly string[],
): Promise<ListedSession[]> {
  if (secrets.length === 0) return []
  const rows = await selectSessions(deps.db, sessionsKey(deps, application, secrets, mostLookedAt))
  return rows.map((row) => ({
    domain: row.domain,
    name: row.name,
    iconLogoUrl: row.icon_logo_url,
    email: row.email,
    usedAt: row.used_at,
  }))
}

type SessionsOwner = Pick<AskingApplication, 'accountId' | 'environment' | 'applicationId'>

function sessionsKey(
  deps: Pick<Deps, 'config' | 'now'>,
  { accountId, environment, applicationId }: SessionsOwner,
  secrets: readonly string[],
  most: number,
): SessionsKey {
  const secretHashes = secrets.map(hashSecret)
  return { accountId, environment, applicationId, secretHashes, most, ...askedAt(deps) }
}

interface SessionsKey extends AskedAt {
  readonly accountId: string
  readonly environment: string
  readonly applicationId: string
  readonly secretHashes: readonly Buffer[]
  readonly most: number
}

const selectSessions = lookup((db, key: SessionsKey) =>
  browserSessionsOf(db, key.at, sortedSessions(db, key))
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'sessions')))
    .innerJoin('applications', (join) => join.on(sameEnvironment('applications', 'sessions')))
    .where('organizations.deleted_at', 'is', null)
    .where('applications.id', '=', key.applicationId)
    .where(isUsableBy(sql.ref('sessions.organization_id')))
    .select([
      'sessions.organization_id',
      // The statement finds them by it.
      sql<Buffer>`sessions.secret_hash`.as('secret_hash'),
      'organizations.domain',
      'organizations.name',
      'organizations.icon_logo_url',
      // A session without a cookie has no such time.
      sql<Date>`sessions.browser_used_at`.as('used_at'),
      'organizations.allowed_email_domains',
      'totp_connections.active as is_totp_active',
    ])
    .orderBy('sessions.browser_used_at', 'desc')
    .orderBy('sessions.id')
    .limit(key.most),
)

/**
 * The sessions of a browser in the order of the statement. They are sorted first, so that Postgres joins users, policies and
 * organizations to no more of them than its limit.
 */
function sortedSessions(db: Kysely<DB>, key: SessionsKey): SessionsQuery {
  const sorted = db
    .selectFrom('sessions')
    .where(ofEnvironment(key))
    .where('secret_hash', '=', sql<Buffer>`any(${key.secretHashes}::bytea[])`)
    .selectAll()
    .orderBy('browser_used_at', 'desc')
    .orderBy('id')
    // Without it Postgres may look for what has not expired in place of the secrets.
    .offset(sql.lit(0))
  // It selects every column, so that it stands for the table; the compiler knows it without the types of an insert.
  return db.selectFrom(sorted.as('sessions')) as unknown as SessionsQuery
}
