import type { RoleMappingMode } from '@portico/contract/role-mapping'
import type { Protocol } from '@portico/contract/sso-onboarding'
import type { NewSsoConnection } from '@portico/contract/sso-connections'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { insertFound } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller } from '../../platform/tenant.js'
import type { SentClient } from './oidc-settings.js'
import type { LockedConnection } from './whole-connection.js'

/** A new connection. */
interface ConnectionToInsert {
  readonly organizationId: string
  readonly domain: string
  readonly idpId: string
  readonly settings: Settings
}

type Settings = Omit<
  NewSsoConnection,
  | ('organization_id' | 'application_id' | 'sso_admin_email' | 'send_email' | 'environment')
  | ('attribute_mapping' | 'role_mapping' | keyof SentClient)
> & {
  readonly protocol: Protocol
  /** As JSON. */
  readonly attribute_mapping?: string
  readonly role_mapping_mode?: RoleMappingMode
}

/** Inserts a connection into one of the caller's organizations, without its event. */
export async function insertConnection(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  caller: Caller,
  { organizationId, domain, idpId, settings }: ConnectionToInsert,
): Promise<LockedConnection> {
  const at = now()
  const { accountId, environment } = caller
  const id = newId()
  // The compiler demands a line for each setting that callers may write.
  const written = {
    // Chosen later in the same transaction, with its metadata and protocol.
    provider_type: 'unset',
    protocol: settings.protocol,
    seats_limit: settings.seats_limit ?? 0,
    user_security_type: settings.user_security_type ?? 'none',
    update_user_new_connection: settings.update_user_new_connection ?? false,
    email_domains: settings.email_domains ?? [],
    other_domains: settings.other_domains ?? null,
    idp_initiated: settings.idp_initiated ?? 'bounce',
    allow_sha1: settings.allow_sha1 ?? false,
    allow_cbc_unsigned_response: settings.allow_cbc_unsigned_response ?? false,
    attribute_mapping: settings.attribute_mapping ?? '[]',
    role_mapping_mode: settings.role_mapping_mode ?? null,
  } satisfies Record<keyof Settings, unknown>
  await insertFound(trx, 'sso_connections', {
    account_id: accountId,
    environment,
    organization_id: openOrganizationId(caller, organizationId),
    id,
    idp_id: idpId,
    ...written,
    active: true,
    state: 'it_admin_invitation_pending',
    inserted_at: at,
    updated_at: at,
  }).execute()
  return {
    accountId,
    environment,
    organizationId,
    connectionId: id,
    idpId,
    domain,
    providerType: 'unset',
    protocol: settings.protocol,
  }
}

/**
 * The domain of one of the caller's organizations.
 *
 * @throws ApiError `organization_not_found`
 */
export async function findDomain(db: Kysely<DB>, caller: Caller, organizationId: string): Promise<string> {
  const { rows } = await sql<{ domain: string | null }>`
    select domain from organizations
    where account_id = ${caller.accountId} and id = ${openOrganizationId(caller, organizationId)}`.execute(db)
  const domain = rows[0]?.domain
  if (domain == null) throw new ApiError('organization_not_found')
  return domain
}

/** The id of one of the caller's organizations, as a part of the statement that uses it; null for any other. */
function openOrganizationId({ accountId, organizationIds }: Caller, organizationId: string) {
  return sql<string>`(
    select id from organizations
    where account_id = ${accountId}
      and id = ${organizationId}
      and deleted_at is null
      and (${organizationIds}::uuid[] is null or id = any(${organizationIds}::uuid[]))
  )`
}
