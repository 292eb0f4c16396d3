import { sql, type Expression } from 'kysely'

/**
 * Whether the application of a statement's row is for an organization: of the whole account, or its own. The statement
 * compares account and environment itself, and has the table under its own name.
 */
export function isForOrganization(organizationId: Expression<string>) {
  return sql<boolean>`(applications.organization_id is null or applications.organization_id = ${organizationId})`
}

/** Whether the application of a statement's row can be used by an organization: it is for it, and not deleted. */
export function isUsableBy(organizationId: Expression<string>) {
  return sql<boolean>`(applications.deleted_at is null and ${isForOrganization(organizationId)})`
}
