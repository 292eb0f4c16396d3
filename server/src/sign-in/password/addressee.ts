import type { Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ApiError } from '../../platform/errors.js'
import { addresseesOf, type SoughtAddress } from '../../directory/sessions/addressee.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import type { Caller } from '../../platform/tenant.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'

/** The organization that an address may belong to, with its password connection, and the user who has the address. */
export function passwordAddresseesOf(db: Kysely<DB>, caller: Caller, sought: SoughtAddress) {
  return addresseesOf(db, caller, sought)
    .leftJoin('password_connections as connection', (join) =>
      join
        .on(isOrganizationOf('organizations', 'connection'))
        .on('connection.environment', '=', caller.environment),
    )
    .select(['connection.active', 'connection.plain_text_min_length', 'connection.plain_text_max_length'])
}

/** The state of an organization that is checked before anything of a user. */
interface PasswordConnectionState {
  /** Of the connection; null without one. */
  readonly active: boolean | null
  readonly allowed_email_domains: readonly string[] | null
  readonly is_sso_required: boolean
}

/** @throws ApiError `password_connection_not_found`, `connection_inactive`, `email_domain_not_allowed`, `sso_required` */
export function checkPasswordConnection(connection: PasswordConnectionState, normalizedEmail: string): void {
  if (connection.active === null) throw new ApiError('password_connection_not_found')
  if (!connection.active) throw new ApiError('connection_inactive')
  if (!isEmailDomainAllowed(connection.allowed_email_domains, normalizedEmail))
    throw new ApiError('email_domain_not_allowed')
  if (connection.is_sso_required) throw new ApiError('sso_required')
}
