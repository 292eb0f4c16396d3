import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { withParameters } from '../../directory/sessions/complete-sign-in.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { statement } from '../../platform/db/statement.js'
import { isOrganizationOf, sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'
import { accountIssuerOf } from '../../tokens/issuer.js'
import type { Deps } from '../../delivery/deps.js'
import { isImpersonationPermitted } from './permission.js'

/** The application begins its sign-in at once. */
const handleLifetimeMs = 60_000

/** The address of an impersonation, as its page reads it. */
interface Address {
  readonly organizationDomain: string
  readonly token: string
}

/** An impersonation that can be started, as its page shows it. */
export interface ShownImpersonation {
  readonly environment: Environment
  readonly userEmail: string
  readonly actor: string
  readonly reason: string
  readonly minutes: number
  readonly isUserNotified: boolean
  readonly applicationName: string
  /** Where the browser goes. */
  readonly uri: string
}

/** The impersonation of an address that still works; undefined when it would not start anything. */
export async function findOpenImpersonation(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { organizationDomain, token }: Address,
): Promise<ShownImpersonation | undefined> {
  const [row] = await selectOpen(db, { organizationDomain, urlHash: hashSecret(token), at: now() })
  if (row === undefined) return undefined
  return {
    environment: row.environment,
    userEmail: row.email,
    actor: row.actor_email === null ? row.actor_id : `${row.actor_id} (${row.actor_email})`,
    reason: row.reason,
    minutes: Math.ceil(row.duration_in_seconds / 60),
    isUserNotified: row.notify_user,
    applicationName: row.application_name,
    uri: row.uri,
  }
}

interface OpenedAddress {
  readonly organizationDomain: string
  readonly urlHash: Buffer
  readonly at: Date
}

const selectOpen = statement((db, key: OpenedAddress) =>
  db
    .selectFrom('impersonations')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'impersonations')))
    .innerJoin('users', (join) =>
      join.on(sameTenant('users', 'impersonations')).onRef('users.id', '=', 'impersonations.user_id'),
    )
    .innerJoin('applications', (join) =>
      join
        .on(sameEnvironment('applications', 'impersonations'))
        .onRef('applications.id', '=', 'impersonations.application_id'),
    )
    .where('impersonations.url_hash', '=', key.urlHash)
    .where('impersonations.handle_hash', 'is', null)
    .where('impersonations.ended_at', 'is', null)
    .where('impersonations.expires_at', '>', key.at)
    .where('organizations.domain', '=', key.organizationDomain)
    .where(isImpersonationPermitted())
    .select([
      // That of the user, by a foreign key.
      sql<Environment>`impersonations.environment`.as('environment'),
      'users.email',
      'impersonations.actor_id',
      'impersonations.actor_email',
      'impersonations.reason',
      'impersonations.duration_in_seconds',
      'impersonations.notify_user',
      'applications.name as application_name',
      // Demanded by isImpersonationPermitted().
      sql<string>`applications.initiate_login_uri`.as('uri'),
    ]),
)

/**
 * Uses the address, once, for the browser that presses its button: from now on only this browser can start the
 * impersonation, with the handle that its application is called with.
 *
 * @returns Where the browser goes; undefined when the address does not work.
 */
export async function openImpersonation(
  { config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>,
  { organizationDomain, token, browserSecret }: Address & { readonly browserSecret: string },
): Promise<string | undefined> {
  const handle = randomSecret()
  const at = now()
  const [row] = await takeAddress(db, {
    organizationDomain,
    urlHash: hashSecret(token),
    handleHash: hashSecret(handle),
    browserHash: hashSecret(browserSecret),
    handleExpiresAt: new Date(at.getTime() + handleLifetimeMs),
    at,
  })
  if (row === undefined) return undefined
  const iss = accountIssuerOf(config.baseUrl, row.account_domain)
  return withParameters(row.uri, { iss, organization: organizationDomain, impersonation: handle })
}

interface TakenAddress extends OpenedAddress {
  readonly handleHash: Buffer
  readonly browserHash: Buffer
  readonly handleExpiresAt: Date
}

const takeAddress = statement((db, key: TakenAddress) =>
  db
    .updateTable('impersonations')
    .set({ handle_hash: key.handleHash, browser_hash: key.browserHash, expires_at: key.handleExpiresAt })
    .from(['organizations', 'users', 'applications', 'accounts'])
    .where('impersonations.url_hash', '=', key.urlHash)
    .where('impersonations.handle_hash', 'is', null)
    .where('impersonations.ended_at', 'is', null)
    .where('impersonations.expires_at', '>', key.at)
    .where(isOrganizationOf('organizations', 'impersonations'))
    .where('organizations.domain', '=', key.organizationDomain)
    .where(sameTenant('users', 'impersonations'))
    .whereRef('users.id', '=', 'impersonations.user_id')
    .where(sameEnvironment('applications', 'impersonations'))
    .whereRef('applications.id', '=', 'impersonations.application_id')
    .whereRef('accounts.id', '=', 'impersonations.account_id')
    .where(isImpersonationPermitted())
    .returning([
      'accounts.domain as account_domain',
      // Demanded by isImpersonationPermitted().
      sql<string>`applications.initiate_login_uri`.as('uri'),
    ]),
)
