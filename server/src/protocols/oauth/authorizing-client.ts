import type { PkcePolicy } from '@portico/contract/client-authentication'
import { environments, type Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { NamedClient } from './authorization-request.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'

/** An application that requests a sign-in at an organization, with the settings that govern it. */
export interface AuthorizingClient {
  readonly accountId: string
  readonly accountDomain: string
  /** Of the application. */
  readonly environment: Environment
  readonly organizationId: string
  /** Of the organization. */
  readonly domain: string
  readonly applicationId: string
  readonly redirectUri: string
  readonly allowedWebOrigins: readonly string[]
  readonly allowedEmailDomains: readonly string[] | null
  /** What its sign-ins must send; without client authentication always a code_challenge. */
  readonly pkce: PkcePolicy
  /** Whether users can enroll a second factor. */
  readonly isTotpActive: boolean
}

/** The application of a request, if the organization can use it and the redirect URI matches exactly. */
export async function findAuthorizingClient(
  { db }: Pick<Deps, 'db'>,
  organizationDomain: string,
  { clientId, redirectUri }: NamedClient,
): Promise<AuthorizingClient | undefined> {
  const [row] = await selectClient(db, { organizationDomain, clientId })
  if (row === undefined || !row.allowed_redirect_urls.includes(redirectUri)) return undefined
  return {
    accountId: row.account_id,
    accountDomain: row.account_domain,
    environment: row.environment,
    organizationId: row.organization_id,
    domain: row.domain,
    applicationId: row.id,
    redirectUri,
    allowedWebOrigins: row.allowed_web_origins,
    allowedEmailDomains: row.allowed_email_domains,
    pkce: row.client_authentication === 'none' ? 'required' : row.pkce,
    isTotpActive: row.is_totp_active,
  }
}

const selectClient = lookup((db, key: { organizationDomain: string; clientId: string }) =>
  db
    .selectFrom('organizations')
    .innerJoin('accounts', 'accounts.id', 'organizations.account_id')
    .innerJoin('applications', (join) =>
      join
        .onRef('applications.account_id', '=', 'organizations.account_id')
        .on('applications.environment', 'in', environments)
        .on('applications.id', '=', key.clientId),
    )
    .innerJoin('totp_connections', (join) =>
      join
        .on(isOrganizationOf('organizations', 'totp_connections'))
        .onRef('totp_connections.environment', '=', 'applications.environment'),
    )
    .where('organizations.domain', '=', key.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .where(isUsableBy(sql.ref('organizations.id')))
    .select([
      'organizations.account_id',
      'accounts.domain as account_domain',
      // The table's check constraint allows nothing else.
      sql<Environment>`applications.environment`.as('environment'),
      'organizations.id as organization_id',
      'organizations.domain',
      'organizations.allowed_email_domains',
      'applications.id',
      'applications.allowed_redirect_urls',
      'applications.allowed_web_origins',
      'applications.client_authentication',
      sql<PkcePolicy>`applications.pkce`.as('pkce'),
      'totp_connections.active as is_totp_active',
    ]),
)
