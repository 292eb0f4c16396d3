import type { ExtensionSchema } from '@portico/contract/attribute-mapping'
import type { DirectoryProvider } from '@portico/contract/directory-sync'
import { id as directoryIdForm, type Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { hashSecret, isDirectorySecret, isSecretEqual } from '../../platform/crypto/secret.js'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { countedDomains } from '../../directory/domains/authority.js'
import { scimBaseUrl } from '../../directory/directory-sync/base-url.js'
import { userSchemasOf } from '../../directory/directory-sync/schema-path.js'
import { roleAttributesOf } from '../../directory/roles/role-mapping.js'
import { mappingOf } from '../../directory/users/managed-metadata.js'
import type { Cause } from '../../platform/tenant.js'
import type { ScimCaller } from './scim-caller.js'
import { isOrganizationOf, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A directory whose provider has authenticated by its secret. */
export interface AuthenticatedDirectory extends Omit<ScimCaller, 'tenant' | 'log'> {
  readonly tenant: Omit<ScimCaller['tenant'], 'cause'>
  readonly active: boolean
}

/** The credentials of a request. */
export interface Credentials {
  /** From the path, not validated. */
  readonly directoryId: string
  readonly authorization: string | undefined
}

/**
 * Authenticates a request by the directory's secret, or by the previous one within 24 hours of a reset. Undefined for
 * every failure, so that the answer does not reveal which part was wrong.
 */
export async function authenticateDirectory(
  { config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>,
  { directoryId, authorization = '' }: Credentials,
): Promise<AuthenticatedDirectory | undefined> {
  const [, secret = ''] = /^Bearer +(\w+) *$/i.exec(authorization) ?? []
  // Malformed credentials cost no query.
  if (!directoryIdForm().safeParse(directoryId).success || !isDirectorySecret(secret)) return undefined
  const [row] = await selectDirectory(db, { directoryId })
  if (row === undefined) return undefined
  const hash = hashSecret(secret)
  const isCurrent = isSecretEqual(hash, row.secret_hash)
  if (!isCurrent && !isPreviousSecret(row, hash, now())) return undefined
  return toDirectory(config, row)
}

/** The directory of a job: of an organization that is there, and with these rules still. */
export async function findDirectoryOfRevision(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  { directoryId, revision }: { readonly directoryId: string; readonly revision: number },
): Promise<AuthenticatedDirectory | undefined> {
  const [row] = await selectDirectory(db, { directoryId })
  return row?.mapping_revision === revision ? toDirectory(config, row) : undefined
}

function toDirectory(
  { baseUrl }: Pick<Deps['config'], 'baseUrl'>,
  row: DirectoryRow,
): AuthenticatedDirectory {
  // Written only by directory-sync/, from the contract's input.
  const extensionSchemas = row.extension_schemas as unknown as readonly ExtensionSchema[]
  return {
    tenant: {
      accountId: row.account_id,
      accountDomain: row.account_domain,
      // The table's check constraint allows nothing else.
      environment: row.environment as Environment,
      domain: row.domain,
      organizationIds: null,
    },
    organizationId: row.organization_id,
    directoryId: row.id,
    // Only written by directory-sync.ts, from the names of the contract.
    providerType: row.provider_type as DirectoryProvider,
    takesOverUsers: row.takes_over_users,
    userSchemas: userSchemasOf(extensionSchemas),
    extensionSchemas,
    mapping: row.mapping,
    roleAttributes: row.role_attributes ?? [],
    allowedEmailDomains: row.allowed_email_domains,
    trustedEmailDomains: row.trusted_email_domains,
    baseUrl: scimBaseUrl(baseUrl, row.id),
    active: row.active,
  }
}

/** The caller for operations, with the cause of its request. */
export function toScimCaller(
  { active: _, tenant, ...directory }: AuthenticatedDirectory,
  cause: Cause,
  log: ScimCaller['log'],
): ScimCaller {
  return { ...directory, tenant: { ...tenant, cause }, log }
}

interface PreviousSecret {
  readonly previous_secret_hash: Buffer | null
  readonly previous_secret_expires_at: Date | null
}

function isPreviousSecret(row: PreviousSecret, hash: Buffer, at: Date): boolean {
  const { previous_secret_hash: previous, previous_secret_expires_at: expiresAt } = row
  return previous !== null && expiresAt !== null && expiresAt > at && isSecretEqual(hash, previous)
}

type DirectoryRow = Awaited<ReturnType<typeof selectDirectory>>[number]

// Only by the id, which is unique over all accounts: the tenant is not known before the secret is verified.
const selectDirectory = lookup((db, { directoryId }: { directoryId: string }) =>
  db
    .selectFrom('directories')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'directories')))
    .innerJoin('accounts', 'accounts.id', 'directories.account_id')
    .where('directories.id', '=', directoryId)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'directories.account_id',
      'directories.environment',
      'directories.organization_id',
      'directories.id',
      'directories.provider_type',
      'directories.active',
      'directories.takes_over_users',
      'directories.secret_hash',
      'directories.previous_secret_hash',
      'directories.previous_secret_expires_at',
      'directories.extension_schemas',
      'directories.mapping_revision',
      mappingOf('directories').as('mapping'),
      roleAttributesOf('directories').as('role_attributes'),
      'organizations.domain',
      'organizations.allowed_email_domains',
      'accounts.domain as account_domain',
      countedDomains(
        sql`organizations.allowed_email_domains || array(
          select unnest(sso_connections.email_domains) from sso_connections
          where ${sameTenant('sso_connections', 'directories')}
        )`,
        'directories',
      ).as('trusted_email_domains'),
    ]),
)
