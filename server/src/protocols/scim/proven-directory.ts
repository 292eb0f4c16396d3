import type { DirectoryProvider } from '@portico/contract/directory-sync'
import { id as directoryIdForm, type Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { hashSecret, isDirectorySecret, isSecretEqual } from '../../platform/crypto/secret.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { scimBaseUrl } from '../../directory/directory-sync/base-url.js'
import type { Cause } from '../../platform/tenant.js'
import type { ScimCaller } from './scim-caller.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'

/** A directory whose provider has shown its secret. */
export interface ProvenDirectory extends Omit<ScimCaller, 'tenant' | 'log'> {
  readonly tenant: Omit<ScimCaller['tenant'], 'cause'>
  readonly active: boolean
}

/** What a request says of its sender. */
export interface Credentials {
  /** As it stands in the path. */
  readonly directoryId: string
  readonly authorization: string | undefined
}

/**
 * The directory that a request is for, where it carries its secret, or the one before within 24 hours of a reset.
 * Undefined for everything else, so that nobody can tell which of it was wrong.
 */
export async function findProvenDirectory(
  { config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>,
  { directoryId, authorization = '' }: Credentials,
): Promise<ProvenDirectory | undefined> {
  const [, secret = ''] = /^Bearer +(\w+) *$/i.exec(authorization) ?? []
  // Before the database is asked: what cannot be right costs nothing.
  if (!directoryIdForm().safeParse(directoryId).success || !isDirectorySecret(secret)) return undefined
  const [row] = await selectDirectory(db, { directoryId })
  if (row === undefined) return undefined
  const hash = hashSecret(secret)
  const isCurrent = isSecretEqual(hash, row.secret_hash)
  if (!isCurrent && !isPreviousSecret(row, hash, now())) return undefined
  return {
    tenant: {
      accountId: row.account_id,
      accountDomain: row.account_domain,
      // A check of the table allows nothing else.
      environment: row.environment as Environment,
      domain: row.domain,
      organizationIds: null,
    },
    organizationId: row.organization_id,
    directoryId: row.id,
    // Written by directory-sync.ts alone, from the names of the contract.
    providerType: row.provider_type as DirectoryProvider,
    takesOverUsers: row.takes_over_users,
    allowedEmailDomains: row.allowed_email_domains,
    connectedEmailDomains: row.connected_email_domains,
    baseUrl: scimBaseUrl(config.baseUrl, row.id),
    active: row.active,
  }
}

/** The provider as operations know it, with what its request does. */
export function toScimCaller(
  { active: _, tenant, ...directory }: ProvenDirectory,
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

// By its id alone, which is unique over all accounts: whose it is is what the secret proves.
const selectDirectory = statement((db, { directoryId }: { directoryId: string }) =>
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
      'organizations.domain',
      'organizations.allowed_email_domains',
      'accounts.domain as account_domain',
      sql<string[]>`array(
        select unnest(sso_connections.email_domains) from sso_connections
        where sso_connections.account_id = directories.account_id
          and sso_connections.environment = directories.environment
          and sso_connections.organization_id = directories.organization_id
      )`.as('connected_email_domains'),
    ]),
)
