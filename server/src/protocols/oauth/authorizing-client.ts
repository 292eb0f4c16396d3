import type { PkcePolicy } from '@portico/contract/client-authentication'
import { environments, type Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'
import { lookup } from '../../platform/db/statement.js'
import type { IssuerKind } from '../../tokens/issuer.js'
import type { Deps } from '../../delivery/deps.js'
import type { NamedClient } from './authorization-request.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'

/** An application that requests a sign-in, and the issuer that it asks. */
export interface AskingApplication {
  readonly issuer: IssuerKind
  readonly accountId: string
  readonly accountDomain: string
  /** Of the application. */
  readonly environment: Environment
  readonly applicationId: string
  readonly redirectUri: string
  readonly allowedWebOrigins: readonly string[]
  /** What its sign-ins must send; without client authentication always a code_challenge. */
  readonly pkce: PkcePolicy
}

/** The same at an organization, with the settings that govern the sign-in. */
export interface AuthorizingClient extends AskingApplication {
  readonly organizationId: string
  /** Of the organization. */
  readonly domain: string
  readonly allowedEmailDomains: readonly string[] | null
  /** Whether users can enroll a second factor. */
  readonly isTotpActive: boolean
}

/** A request's application, and the organization whose users it signs in as far as the request names one. */
export interface AskingClient {
  readonly application: AskingApplication
  /** Undefined at an account's issuer without an organization, or with one that the application cannot use. */
  readonly client: AuthorizingClient | undefined
}

/** The application of a request, if the organization can use it and the redirect URI matches exactly. */
export async function findClientAtOrganization(
  { db }: Pick<Deps, 'db'>,
  organizationDomain: string,
  named: NamedClient,
): Promise<AskingClient | undefined> {
  const [row] = await selectClient(db, { organizationDomain, clientId: named.clientId })
  const application = row && toApplication(row, 'organization', named)
  return application && { application, client: toClient(row, application) }
}

/** The organization of a request, by its domain or its id. */
interface NamedOrganization {
  readonly domain?: string | undefined
  readonly organizationId?: string | undefined
}

/**
 * The application of a request at the account's issuer, if it belongs to the account and the redirect URI matches exactly; and
 * the named organization, or else the only one that the application is for.
 */
export async function findClientAtAccount(
  { db }: Pick<Deps, 'db'>,
  accountDomain: string,
  named: NamedClient,
  { domain, organizationId }: NamedOrganization,
): Promise<AskingClient | undefined> {
  const { clientId } = named
  const key = {
    accountDomain,
    clientId,
    organizationDomain: domain ?? null,
    organizationId: organizationId ?? null,
  }
  const [row] = await selectAccountClient(db, key)
  const application = row && toApplication(row, 'account', named)
  return application && { application, client: toClient(row, application) }
}

type ApplicationRow = Awaited<ReturnType<typeof selectAccountClient>>[number]

function toApplication(
  row: ApplicationRow,
  issuer: IssuerKind,
  { redirectUri }: NamedClient,
): AskingApplication | undefined {
  if (!row.allowed_redirect_urls.includes(redirectUri)) return undefined
  return {
    issuer,
    accountId: row.account_id,
    accountDomain: row.account_domain,
    environment: row.environment,
    applicationId: row.id,
    redirectUri,
    allowedWebOrigins: row.allowed_web_origins,
    pkce: row.client_authentication === 'none' ? 'required' : row.pkce,
  }
}

function toClient(row: ApplicationRow, application: AskingApplication): AuthorizingClient | undefined {
  const { organization_id: organizationId, domain, allowed_email_domains, is_totp_active } = row
  if (organizationId === null || domain === null) return undefined
  return {
    ...application,
    organizationId,
    domain,
    allowedEmailDomains: allowed_email_domains,
    isTotpActive: is_totp_active === true,
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
    .select(clientColumns),
)

/** One statement, because the organization is not looked up where the application is none of the account. */
const selectAccountClient = lookup((db, key: AccountClientKey) =>
  db
    .selectFrom('accounts')
    .innerJoin('applications', (join) =>
      join
        .onRef('applications.account_id', '=', 'accounts.id')
        .on('applications.environment', 'in', environments)
        .on('applications.id', '=', key.clientId),
    )
    .leftJoin('organizations', (join) =>
      join
        .onRef('organizations.account_id', '=', 'accounts.id')
        .on('organizations.domain', '=', namedOrOnly(key))
        .on('organizations.deleted_at', 'is', null)
        .on(isUsableBy(sql.ref('organizations.id'))),
    )
    .leftJoin('totp_connections', (join) =>
      join
        .on(isOrganizationOf('organizations', 'totp_connections'))
        .onRef('totp_connections.environment', '=', 'applications.environment'),
    )
    .where('accounts.domain', '=', key.accountDomain)
    .where('applications.deleted_at', 'is', null)
    .select(clientColumns),
)

interface AccountClientKey {
  readonly accountDomain: string
  readonly clientId: string
  readonly organizationDomain: string | null
  readonly organizationId: string | null
}

/** The organization that is named, else the only one that can use the application. */
function namedOrOnly({ organizationDomain, organizationId }: AccountClientKey) {
  return sql<string>`coalesce(${organizationDomain}::text, (
    select by_id.domain from organizations as by_id
    where by_id.account_id = applications.account_id
      and by_id.id = coalesce(${organizationId}::uuid, applications.organization_id)
  ))`
}

const clientColumns = [
  'applications.account_id',
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
] as const
