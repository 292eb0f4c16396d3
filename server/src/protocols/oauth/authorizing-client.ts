import type { PkcePolicy } from '@portico/contract/client-authentication'
import { environments, type Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { isOpenForSignIn, isUsableBy } from '../../directory/usable.js'
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

/** Why no answer of a request may be redirected, for its developers: the log has it. */
export interface UnknownClient {
  readonly reason: 'issuer_unknown' | 'client_unknown' | 'client_not_usable' | 'redirect_uri_mismatch'
  /** Of the issuer, if there is one. */
  readonly accountId?: string | undefined
  /** Of the application, if the account has it. */
  readonly environment?: Environment | undefined
}

/** The application of a request, if the organization can use it and the redirect URI matches exactly. */
export async function findClientAtOrganization(
  { db }: Pick<Deps, 'db'>,
  organizationDomain: string,
  named: NamedClient,
): Promise<AskingClient | UnknownClient> {
  const [row] = await selectClient(db, { organizationDomain, clientId: named.clientId })
  return toAsking(row, 'organization', named)
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
): Promise<AskingClient | UnknownClient> {
  const { clientId } = named
  const key = {
    accountDomain,
    clientId,
    organizationDomain: domain ?? null,
    organizationId: organizationId ?? null,
  }
  const [row] = await selectAccountClient(db, key)
  return toAsking(row, 'account', named)
}

type ApplicationRow = Awaited<ReturnType<typeof selectAccountClient>>[number]

function toAsking(
  row: ApplicationRow | undefined,
  issuer: IssuerKind,
  { redirectUri }: NamedClient,
): AskingClient | UnknownClient {
  if (row === undefined) return { reason: 'issuer_unknown' }
  const { account_id: accountId, environment, id: applicationId } = row
  if (applicationId === null) return { reason: 'client_unknown', accountId }
  if (!row.is_usable) return { reason: 'client_not_usable', accountId, environment }
  if (!row.allowed_redirect_urls.includes(redirectUri))
    return { reason: 'redirect_uri_mismatch', accountId, environment }
  const application: AskingApplication = {
    issuer,
    accountId,
    accountDomain: row.account_domain,
    environment,
    applicationId,
    redirectUri,
    allowedWebOrigins: row.allowed_web_origins,
    pkce: row.client_authentication === 'none' ? 'required' : row.pkce,
  }
  return { application, client: toClient(row, application) }
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
    .leftJoin('applications', (join) =>
      join
        .onRef('applications.account_id', '=', 'organizations.account_id')
        .on('applications.environment', 'in', environments)
        .on('applications.id', '=', key.clientId),
    )
    .leftJoin('totp_connections', (join) =>
      join
        .on(isOrganizationOf('organizations', 'totp_connections'))
        .onRef('totp_connections.environment', '=', 'applications.environment'),
    )
    .where('organizations.domain', '=', key.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .select(clientColumns)
    .select(isOpenForSignIn(sql.ref('organizations.id')).as('is_usable')),
)

/** The account, its application if it has it, and the organization. An application of the account is usable at its issuer. */
const selectAccountClient = lookup((db, key: AccountClientKey) =>
  db
    .selectFrom('accounts')
    .leftJoin('applications', (join) =>
      join
        .onRef('applications.account_id', '=', 'accounts.id')
        .on('applications.environment', 'in', environments)
        .on('applications.id', '=', key.clientId)
        .on('applications.deleted_at', 'is', null),
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
    .select(clientColumns)
    .select(sql<boolean>`true`.as('is_usable')),
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

/** Null of an application that is not there, as its `id` says. */
const clientColumns = [
  'accounts.id as account_id',
  'accounts.domain as account_domain',
  // The table's check constraint allows nothing else.
  sql<Environment>`applications.environment`.as('environment'),
  'organizations.id as organization_id',
  'organizations.domain',
  'organizations.allowed_email_domains',
  'applications.id',
  sql<string[]>`applications.allowed_redirect_urls`.as('allowed_redirect_urls'),
  sql<string[]>`applications.allowed_web_origins`.as('allowed_web_origins'),
  'applications.client_authentication',
  sql<PkcePolicy>`applications.pkce`.as('pkce'),
  'totp_connections.active as is_totp_active',
] as const
