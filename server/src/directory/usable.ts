import { sql, type Expression } from 'kysely'

/**
 * Whether the application of a statement's row is offered to an organization: to the whole account, or to it. The
 * statement itself compares account and environment, and does not alias the table.
 */
export function isForOrganization(organizationId: Expression<string>) {
  return sql<boolean>`(applications.organization_id is null or applications.organization_id = ${organizationId})`
}

/**
 * The same for a sign-in, which may be one to the account page (account-page-client.ts): for every other statement that
 * client is a deleted application.
 */
export function isOpenForSignIn(organizationId: Expression<string>) {
  return sql<boolean>`(
    applications.deleted_at = 'infinity' or ${isUsableBy(organizationId)}
  )`
}

/** Whether the application of a statement's row can be used by an organization: offered to it, and not deleted. */
export function isUsableBy(organizationId: Expression<string>) {
  return sql<boolean>`(applications.deleted_at is null and ${isForOrganization(organizationId)})`
}
