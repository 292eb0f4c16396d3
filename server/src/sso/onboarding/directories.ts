import type { DirectoryProvider, DirectorySync } from '@portico/contract/directory-sync'
import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import {
  getDirectorySync,
  resetDirectorySync,
  updateDirectorySync,
} from '../../directory/directory-sync/directory-sync.js'
import { ApiError } from '../../platform/errors.js'
import { limit } from '../../delivery/limits/limits.js'
import type { Changed } from '../../delivery/events/change.js'
import type { AdminSession } from '../admins/admin-session.js'
import { listProviderRequests, type ProviderRequest } from './provider-requests.js'
import { reachedEnvironments, reachedTenant } from './reached-tenant.js'
import type { RulesOwner } from './role-rules.js'
import { ofOrganization, ofTenant } from '../../platform/db/tenant-predicate.js'

/** Secrets that administrators make for a directory. */
const newSecrets = limit('directory-secret', { windowSeconds: 60 * 60, most: () => 10 })

/** A directory of the organization that an administrator may manage. */
interface OnboardingDirectory {
  readonly environment: Environment
  readonly providerType: DirectoryProvider
}

/** The directories of the environments that an administrator's invitation reaches, production first. */
export async function listDirectories(
  { db }: Pick<Deps, 'db'>,
  session: AdminSession,
): Promise<OnboardingDirectory[]> {
  const { accountId, organizationId } = session
  const reached = reachedEnvironments(session)
  if (reached.length === 0) return []
  return db
    .selectFrom('directories')
    .where(ofOrganization({ accountId, organizationId }))
    .where('environment', 'in', reached)
    .select([
      // The contract allows nothing else.
      sql<Environment>`environment`.as('environment'),
      sql<DirectoryProvider>`provider_type`.as('providerType'),
    ])
    .orderBy('environment')
    .execute()
}

/** The directory of one environment; undefined where there is none, or the invitation does not reach it. */
export async function findDirectory(
  deps: Pick<Deps, 'config' | 'db'>,
  session: AdminSession,
  environment: string,
): Promise<Changed<DirectorySync> | undefined> {
  const tenant = reachedTenant(session, environment, '')
  if (tenant === undefined) return undefined
  try {
    return await getDirectorySync(deps, tenant)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'directory_sync_not_found') return undefined
    throw error
  }
}

/** The rules by which a directory gives roles; undefined where the invitation does not reach it. */
export function rulesOfDirectory(
  session: AdminSession,
  { record, version }: Required<Pick<Changed<DirectorySync>, 'record' | 'version'>>,
  requestId: string,
): RulesOwner | undefined {
  const tenant = reachedTenant(session, record.__environment__, requestId)
  if (tenant === undefined) return undefined
  return {
    ...{ tenant, version, mapping: record.role_mapping },
    replace: (deps, { mode, rules }) => {
      const role_mapping = { mode, rules: rules.map(({ matched: _, ...rule }) => rule) }
      // An administrator has no scope: the one rule that comes or goes is checked in its place.
      const mapper = { ...tenant, scopes: ['write:roles' as const] }
      return updateDirectorySync(deps, mapper, { role_mapping }, [version])
    },
  }
}

/** A directory can have thousands of groups. The others are entered by their name. */
const maxShownGroups = 100

/** Groups of a directory. */
export interface OnboardingGroups {
  /** In alphabetical order. */
  readonly names: readonly string[]
  readonly hasMore: boolean
}

/** The groups that the provider of a directory has sent. */
export async function listGroups(
  { db }: Pick<Deps, 'db'>,
  session: AdminSession,
  { id, __environment__: environment }: DirectorySync,
): Promise<OnboardingGroups> {
  const tenant = reachedTenant(session, environment, '')
  if (tenant === undefined) return { names: [], hasMore: false }
  const rows = await db
    .selectFrom('directory_groups')
    .where(ofTenant(tenant))
    .where('directory_id', '=', id)
    .select('display_name')
    .orderBy('display_name_normalized')
    .limit(maxShownGroups + 1)
    .execute()
  const names = rows.slice(0, maxShownGroups).map(({ display_name: name }) => name)
  return { names: [...new Set(names)], hasMore: rows.length > maxShownGroups }
}

/** The recent requests of a directory's provider, newest first. */
export async function listRecentRequests(
  deps: Pick<Deps, 'readDb'>,
  session: AdminSession,
  directory: DirectorySync,
): Promise<readonly ProviderRequest[]> {
  const tenant = reachedTenant(session, directory.__environment__, '')
  return tenant === undefined ? [] : listProviderRequests(deps, tenant, directory)
}

/**
 * Makes a new secret of a directory, which only the answer has; the one before is valid for 24 hours more. A page that is
 * sent again finds another version, and makes no secret: otherwise the one still in use would end with it.
 *
 * @returns Undefined where it has changed since the page was shown.
 * @throws ApiError `rate_limited` when too many were made in the last hour.
 */
export async function createSecretOfDirectory(
  deps: Deps,
  session: AdminSession,
  {
    directory,
    version,
    requestId,
  }: { readonly directory: DirectorySync; readonly version: number; readonly requestId: string },
): Promise<DirectorySync | undefined> {
  const tenant = reachedTenant(session, directory.__environment__, requestId)
  if (tenant === undefined) return undefined
  await deps.limits.take(newSecrets, { ...tenant, address: '' })
  try {
    return (await resetDirectorySync(deps, tenant, [version])).record
  } catch (error) {
    if (error instanceof ApiError && error.code === 'precondition_failed') return undefined
    throw error
  }
}
