import type { WayHint } from '@portico/contract/authorize'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { Flow } from './flow.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'

/** The sign-in methods of an organization's users on our pages, independent of the address. */
export interface SignInMethods {
  readonly hasPassword: boolean
  readonly hasLink: boolean
  /** Whether a passkey signs in by itself. */
  readonly hasPasskey: boolean
  /** Whether a link creates the user of an unknown address. */
  readonly maySignUp: boolean
  readonly allowedEmailDomains: readonly string[] | null
}

/** The sign-in methods of a flow's organization, as they are now. */
export async function findSignInMethods(
  { db, config }: Pick<Deps, 'config' | 'db'>,
  { accountId, environment, organizationId }: Pick<Flow, 'accountId' | 'environment' | 'organizationId'>,
): Promise<SignInMethods> {
  const [row] = await selectWays(db, { accountId, environment, organizationId })
  const hasLink = row?.is_link_active ?? false
  return {
    hasPassword: row?.is_password_active ?? false,
    hasLink,
    hasPasskey:
      config.passkeyRpId !== undefined && row?.is_passkey_active === true && row.is_first_factor === true,
    maySignUp: hasLink && (row?.find_or_create_user ?? false),
    allowedEmailDomains: row?.allowed_email_domains ?? null,
  }
}

/**
 * The sign-in method of addresses without an identity provider: password if available, unless the application prefers
 * links. Undefined where the organization has none.
 */
export function methodOf(
  { hasPassword, hasLink }: Pick<SignInMethods, 'hasPassword' | 'hasLink'>,
  preferredWay: WayHint | null,
): WayHint | undefined {
  if (hasPassword && hasLink) return preferredWay ?? 'password'
  if (hasPassword) return 'password'
  return hasLink ? 'magic_link' : undefined
}

const selectWays = lookup((db, key: { accountId: string; environment: string; organizationId: string }) =>
  db
    .selectFrom('organizations')
    .leftJoin('password_connections', (join) =>
      join
        .on(isOrganizationOf('organizations', 'password_connections'))
        .on('password_connections.environment', '=', key.environment),
    )
    .leftJoin('magic_link_connections', (join) =>
      join
        .on(isOrganizationOf('organizations', 'magic_link_connections'))
        .on('magic_link_connections.environment', '=', key.environment),
    )
    .leftJoin('passkey_connections', (join) =>
      join
        .on(isOrganizationOf('organizations', 'passkey_connections'))
        .on('passkey_connections.environment', '=', key.environment),
    )
    .where('organizations.account_id', '=', key.accountId)
    .where('organizations.id', '=', key.organizationId)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'organizations.allowed_email_domains',
      'password_connections.active as is_password_active',
      'magic_link_connections.active as is_link_active',
      'magic_link_connections.find_or_create_user',
      'passkey_connections.active as is_passkey_active',
      'passkey_connections.first_factor as is_first_factor',
    ]),
)
