import { sql } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'
import {
  askedAt,
  browserSessionsOf,
  toBrowserSession,
  type AskedAt,
  type BrowserSession,
} from '../../directory/sessions/browser-session.js'
import type { Deps } from '../../delivery/deps.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { lookup } from '../../platform/db/statement.js'
import {
  isOrganizationOf,
  ofEnvironment,
  sameEnvironment,
  sameTenant,
} from '../../platform/db/tenant-predicate.js'
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

/** The live sessions of a browser at organizations of the account, the last used first. */
export async function findAccountSessions(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  application: AskingApplication,
  secrets: readonly string[],
): Promise<AccountSession[]> {
  if (secrets.length === 0) return []
  const secretOf = new Map(secrets.map((secret) => [hashSecret(secret).toString('hex'), secret]))
  const key = sessionsKey(deps, application, secrets)
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
          isTotpActive: row.is_totp_active,
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
  const rows = await selectSessions(deps.db, sessionsKey(deps, application, secrets))
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
): SessionsKey {
  return { accountId, environment, applicationId, secretHashes: secrets.map(hashSecret), ...askedAt(deps) }
}

interface SessionsKey extends AskedAt {
  readonly accountId: string
  readonly environment: string
  readonly applicationId: string
  readonly secretHashes: readonly Buffer[]
}

const selectSessions = lookup((db, key: SessionsKey) =>
  browserSessionsOf(db, key.at)
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'sessions')))
    .innerJoin('applications', (join) => join.on(sameEnvironment('applications', 'sessions')))
    .innerJoin('totp_connections', (join) => join.on(sameTenant('totp_connections', 'sessions')))
    .where(ofEnvironment(key, 'sessions'))
    .where('sessions.secret_hash', '=', sql<Buffer>`any(${key.secretHashes}::bytea[])`)
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
    .limit(mostLookedAt),
)
