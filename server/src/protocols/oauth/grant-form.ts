import type { Kysely } from 'kysely'
import { poolOf } from '../../platform/db/connect.js'
import type { DB } from '../../platform/db/schema.js'
import type { Asker } from './grant-conditions.js'

/**
 * How much the statement of a grant reads. Postgres sets up each part of a statement for each token, also where the part finds nothing.
 * The usual form leaves out what few sign-ins need. The roles of a user whose account has roles are then read by another statement; the
 * signing key of an account is not, for an organization's endpoint refuses what the account has issued.
 */
export type GrantForm = 'usual' | 'whole'

/** The form of a request. */
export function formOf(db: Kysely<DB>, { endpointKind, clientId }: Asker): GrantForm {
  const mayBeUsual = endpointKind === 'organization' && clientId !== ''
  return mayBeUsual && !applicationsWithRoles(db).has(clientId) ? 'usual' : 'whole'
}

/** Remembers that the account of an application has roles: its next tokens are read whole, in one statement. */
export function rememberRoles(db: Kysely<DB>, applicationId: string): void {
  const applications = applicationsWithRoles(db)
  if (applications.size >= mostRemembered) applications.clear()
  applications.add(applicationId)
}

const mostRemembered = 10_000

/** By pool, which is that of one service: each of its processes finds out for itself. */
const withRoles = new WeakMap<object, Set<string>>()

function applicationsWithRoles(db: Kysely<DB>): Set<string> {
  const pool = poolOf(db)
  const known = withRoles.get(pool) ?? new Set()
  withRoles.set(pool, known)
  return known
}
