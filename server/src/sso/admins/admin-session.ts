import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { isOrganizationOf, sameOrganization, sameTenant } from '../../platform/db/tenant-predicate.js'

/** Lifetime of a session once the code was entered; then another code is required. */
export const adminSessionMs = 8 * 60 * 60 * 1000

/** An administrator who has opened an invitation in a browser and entered the mailed code. */
export interface AdminSession {
  readonly accountId: string
  readonly accountDomain: string
  readonly organizationId: string
  /** Domain of the organization. */
  readonly domain: string
  readonly sessionId: string
  readonly linkId: string
  readonly adminId: string
  readonly email: string
  /** The environment of the invitation; one from production covers the sandbox too. */
  readonly environment: Environment
  /** The one connection that the invitation is for; null: all of the organization in the environments that it reaches. */
  readonly connection: { readonly environment: Environment; readonly connectionId: string } | null
}

/** A browser that has opened an invitation, and whether its administrator has entered the code. */
export interface ArrivedBrowser extends AdminSession {
  readonly isVerified: boolean
  /** idp_id of the one connection; null where the invitation is for the organization. */
  readonly idpId: string | null
}

/** The administrator of a browser; undefined without an open session. */
export async function findAdminSession(
  deps: Pick<Deps, 'db' | 'now'>,
  sessionSecret: string,
): Promise<AdminSession | undefined> {
  const browser = await findArrivedBrowser(deps, sessionSecret)
  return browser?.isVerified === true ? browser : undefined
}

/** The same also before the code is entered, when only the form for the code may be shown. */
export async function findArrivedBrowser(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  sessionSecret: string,
): Promise<ArrivedBrowser | undefined> {
  const [row] = await selectSession(db, { secretHash: hashSecret(sessionSecret), at: now() })
  if (row === undefined) return undefined
  const { environment, connection_id: connectionId } = row
  return {
    accountId: row.account_id,
    accountDomain: row.account_domain,
    organizationId: row.organization_id,
    domain: row.domain,
    sessionId: row.id,
    linkId: row.link_id,
    adminId: row.admin_id,
    email: row.email,
    environment,
    connection: connectionId === null ? null : { environment, connectionId },
    isVerified: row.verified_at !== null,
    idpId: row.idp_id,
  }
}

const selectSession = lookup((db, { secretHash, at }: { secretHash: Buffer; at: Date }) =>
  openSessions(db)
    .innerJoin('accounts', 'accounts.id', 'session.account_id')
    .leftJoin('sso_connections as connection', (join) =>
      join.on(sameTenant('connection', 'link')).onRef('connection.id', '=', 'link.connection_id'),
    )
    .where('session.secret_hash', '=', secretHash)
    .where('session.expires_at', '>', at)
    .select([
      'session.account_id',
      'accounts.domain as account_domain',
      'session.organization_id',
      'organizations.domain',
      'session.id',
      'session.link_id',
      'session.verified_at',
      'admin.id as admin_id',
      'admin.email',
      sql<Environment>`link.environment`.as('environment'),
      'link.connection_id',
      'connection.idp_id',
    ]),
)

/**
 * Open sessions, with their links, administrators and organizations. A session ends with its link: another invitation, a
 * refusal, and the removal of the administrator end both. The statement adds which session it means.
 */
export function openSessions(db: Kysely<DB>) {
  return db
    .selectFrom('sso_admin_sessions as session')
    .innerJoin('sso_admin_links as link', (join) =>
      join.on(sameOrganization('link', 'session')).onRef('link.id', '=', 'session.link_id'),
    )
    .innerJoin('sso_admins as admin', (join) =>
      join.on(sameOrganization('admin', 'link')).onRef('admin.id', '=', 'link.admin_id'),
    )
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'session')))
    .where('session.ended_at', 'is', null)
    .where('link.ended_at', 'is', null)
    .where('organizations.deleted_at', 'is', null)
}
