import { sql } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'

/**
 * Whether somebody may be signed in as a user: organization, user and application permit it at this moment. Of a statement with
 * `organizations`, `users` and `applications`, which itself compares their tenants.
 */
export function isImpersonationPermitted() {
  return sql<boolean>`(
    organizations.deleted_at is null
    and organizations.impersonation = 'allowed'
    and users.deleted_at is null
    and users.active
    and (
      coalesce(cardinality(organizations.allowed_email_domains), 0) = 0
      or substring(users.email_normalized from '[^@]*$') = any(organizations.allowed_email_domains)
    )
    and ${isUsableBy(sql.ref('organizations.id'))}
    and applications.initiate_login_uri is not null
  )`
}
