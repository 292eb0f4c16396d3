import { sql, type Transaction } from 'kysely'
import { isOpenForSignIn } from '../../directory/usable.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import { isOfConnection, type ConnectionKey } from '../connections/connection-key.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'

/** The redirect target of a sign-in. */
export interface SsoDestination {
  readonly applicationId: string
  readonly redirectUri: string
}

/** The destination of IdP-initiated sign-ins; undefined where it is not set. */
export async function findDefaultRedirection(
  trx: Transaction<DB>,
  key: ConnectionKey,
): Promise<SsoDestination | undefined> {
  const row = await trx
    .selectFrom('sso_default_redirections')
    .where(isOfConnection('sso_default_redirections', key))
    .where('is_current', '=', true)
    .select(['application_id', 'uri'])
    .executeTakeFirst()
  return row && { applicationId: row.application_id, redirectUri: row.uri }
}

/** Whether the organization currently has the application, and this allows the redirect URI. */
export async function isDestinationAllowed(
  trx: Transaction<DB>,
  key: ConnectionKey,
  { applicationId, redirectUri }: SsoDestination,
): Promise<boolean> {
  const [row] = await selectAllowed(trx, { ...key, applicationId, redirectUri })
  return row !== undefined
}

const selectAllowed = lookup((db, key: ConnectionKey & SsoDestination) =>
  db
    .selectFrom('applications')
    .where(ofEnvironment(key, 'applications'))
    .where('applications.id', '=', key.applicationId)
    .where(isOpenForSignIn(sql<string>`${key.organizationId}::uuid`))
    .where(sql<boolean>`${key.redirectUri} = any(applications.allowed_redirect_urls)`)
    .select('applications.id'),
)
