import { sql } from 'kysely'
import { isAddressAllowed } from '../../directory/allowed-domain.js'
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
    and ${isAddressAllowed(sql.ref('users.email_normalized'))}
    and ${isUsableBy(sql.ref('organizations.id'))}
    and applications.initiate_login_uri is not null
  )`
}
