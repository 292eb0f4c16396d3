import { sql, type Expression } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'

/** A partner and where users arrive there, as a statement names them: its parameters, or columns of its rows. */
export interface Destination {
  readonly accountId: Expression<string>
  readonly environment: Expression<string>
  /** The partner. */
  readonly organizationId: Expression<string>
  readonly redirectUri: Expression<string>
}

/** The destination of a statement's row of relays. */
export function destinationOf(relays: string): Destination {
  return {
    accountId: sql.ref(`${relays}.account_id`),
    environment: sql.ref(`${relays}.environment`),
    organizationId: sql.ref(`${relays}.organization_id`),
    redirectUri: sql.ref(`${relays}.partner_redirect_uri`),
  }
}

/** Whether the partner is there and lets in addresses of every domain: who is carried there has one of elsewhere. */
export function isPartnerOpen({ accountId, organizationId }: Destination) {
  return sql<boolean>`exists (
    select from organizations
    where organizations.account_id = ${accountId}
      and organizations.id = ${organizationId}
      and organizations.deleted_at is null
      and coalesce(cardinality(organizations.allowed_email_domains), 0) = 0
  )`
}

/**
 * The id of the application that receives the codes of a relay: the oldest that the partner can use and that allows the
 * redirect URI, else null. Without this rule a relay could send the partner's codes anywhere. An application that
 * demands PKCE receives none, because nobody could exchange them.
 */
export function receivingApplication({ accountId, environment, organizationId, redirectUri }: Destination) {
  return sql<string | null>`(
    select applications.id from applications
    where applications.account_id = ${accountId}
      and applications.environment = ${environment}
      and ${isUsableBy(organizationId)}
      and ${redirectUri} = any(applications.allowed_redirect_urls)
      and applications.code_exchange <> 'pkce'
    order by applications.inserted_at, applications.id
    limit 1
  )`
}
