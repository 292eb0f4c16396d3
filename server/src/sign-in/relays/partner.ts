import { sql, type Expression } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'

/** A partner and its redirect URI as SQL expressions: parameters, or columns of rows. */
export interface RelayDestination {
  readonly accountId: Expression<string>
  readonly environment: Expression<string>
  /** The partner. */
  readonly organizationId: Expression<string>
  readonly redirectUri: Expression<string>
}

/** The destination of a statement's row of relays. */
export function destinationOf(relays: string): RelayDestination {
  return {
    accountId: sql.ref(`${relays}.account_id`),
    environment: sql.ref(`${relays}.environment`),
    organizationId: sql.ref(`${relays}.organization_id`),
    redirectUri: sql.ref(`${relays}.partner_redirect_uri`),
  }
}

/**
 * Whether the partner exists and allows every e-mail domain: carried users have addresses of other domains. `offset 0` keeps
 * the planner from a join that reads all organizations of the account.
 */
export function isPartnerOpen({ accountId, organizationId }: RelayDestination) {
  return sql<boolean>`exists (
    select from organizations
    where organizations.account_id = ${accountId}
      and organizations.id = ${organizationId}
      and organizations.deleted_at is null
      and coalesce(cardinality(organizations.allowed_email_domains), 0) = 0
    offset 0
  )`
}

/**
 * The id of the application that receives a relay's codes: the oldest that the partner can use and that allows the
 * redirect URI, else null. Without this rule a relay could send the partner's codes anywhere. An application that
 * demands PKCE or a nonce is excluded: nobody could exchange its codes.
 */
export function receivingApplication({
  accountId,
  environment,
  organizationId,
  redirectUri,
}: RelayDestination) {
  return sql<string | null>`(
    select applications.id from applications
    where applications.account_id = ${accountId}
      and applications.environment = ${environment}
      and ${isUsableBy(organizationId)}
      and ${redirectUri} = any(applications.allowed_redirect_urls)
      and applications.code_exchange <> 'pkce'
      and (applications.client_authentication = 'none' or applications.pkce = 'optional')
    order by applications.inserted_at, applications.id
    limit 1
  )`
}
