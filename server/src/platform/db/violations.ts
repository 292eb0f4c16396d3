import pg from 'pg'
import { ShareInUseError } from './shares.js'

/** Whether a statement failed on the unique constraint or index of this name. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint
}

/** Whether a statement failed on the check constraint of this name. */
export function isCheckViolation(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === '23514' && error.constraint === constraint
}

/** Whether a statement failed because the foreign key of this name refers to no row. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503' && error.constraint === constraint
}

/** Whether an insert failed because organizationIdOf() found no organization. */
export function isMissingOrganization(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23502' && error.column === 'organization_id'
}

/** Whether a statement waited longer for a lock than lock_timeout lets it. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

/** Whether the same transaction may succeed when it is run again (deadlock, serialization failure). */
export function isTransient(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')
}

/** Whether Postgres ended a statement that took longer than statement_timeout lets it. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014'
}

/** Codes of Node.js for a network on which the database cannot be reached. */
const noNetwork = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EADDRNOTAVAIL|ENOTFOUND|EAI_)/
/** What pg and its pool say, without a code. */
const noAnswer =
  /Connection terminated|is not queryable|timeout exceeded when trying to connect|^timeout expired$|Query read timeout|Cannot use a pool after calling end|driver has already been destroyed/

/** Whether the database could not be reached, or ended the connection (SQLSTATE classes 08 and 57P). */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof pg.DatabaseError) return /^(08|57P)/.test(error.code ?? '')
  // Where a name has several addresses, each of them failed.
  if (error instanceof AggregateError) return error.errors.some(isUnreachable)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return noNetwork.test(code) || noAnswer.test(error.message)
}

/**
 * SQLSTATEs of a database that refuses whoever asks: only reads (25006), a session ended for waiting (25P03, 25P04), no login (28), no
 * such database (3D), no resources (53), a lock that others have (55P03), a statement that took too long (57014), the
 * system below Postgres (58).
 */
const unfit = /^(25006|25P03|25P04|28|3D|53|55P03|57014|58)/

/** Whether the database could not be reached, refuses work for now, or is kept busy by others at the same work. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ShareInUseError) return true
  return isUnreachable(error) || (error instanceof pg.DatabaseError && unfit.test(error.code ?? ''))
}
