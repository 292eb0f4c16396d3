import { environments, type Environment } from '@portico/contract/fields'
import type { Tenant } from '../../platform/tenant.js'
import type { AdminSession } from '../admins/admin-session.js'
import { reachOf } from './connections.js'
import { adminCause } from './note.js'

/**
 * The environments in which an administrator manages what is the organization's: its directory and its domains. An invitation
 * to one connection reaches none.
 */
export function reachedEnvironments({ environment, connection }: AdminSession): readonly Environment[] {
  return connection === null ? reachOf[environment] : []
}

/** The tenant of an environment, for operations of the API; undefined where the invitation does not reach it. */
export function reachedTenant(session: AdminSession, name: string, requestId: string): Tenant | undefined {
  const environment = environments.find((one) => one === name)
  if (environment === undefined || !reachedEnvironments(session).includes(environment)) return undefined
  const { accountId, accountDomain, domain } = session
  const cause = adminCause(session, requestId)
  return { accountId, accountDomain, environment, domain, organizationIds: null, cause }
}
