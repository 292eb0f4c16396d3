import pg from 'pg'
import { ShareInUseError } from './shares.js'

const unique = '23505'
const check = '23514'
const foreignKey = '23503'

/** Whether a statement failed on the unique constraint or index of this name. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, unique, constraint)
}

/** Whether a statement failed on the check constraint of this name. */
export function isCheckViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, check, constraint)
}

/** Whether a statement failed because the foreign key of this name refers to no row. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, foreignKey, constraint)
}

function isViolation(error: unknown, code: string, constraint: string): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  if (error.code !== code && !isOfCopiedRow(error)) return false
  return isNamed(error.constraint ?? error.message, constraint)
}

/** Whether Citus reports what failed for a row that it copies to another server: it forwards the message and not the code. */
function isOfCopiedRow({ code, routine }: pg.DatabaseError): boolean {
  return code === 'XX000' && routine === 'ReportCopyError'
}

/**
 * Whether a text names a constraint or column, in whichever language and quotes: Citus forwards only the message of an error. On the
 * server that has the rows the name of a constraint ends in the number of the table there.
 */
function isNamed(text: string, constraint: string): boolean {
  return new RegExp(`(?<!\\w)${constraint}(?:_\\d{6,})?(?!\\w)`).test(text)
}

/** Whether an insert failed because organizationIdOf() found no organization. */
export function isMissingOrganization(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code !== '23502') return false
  return isNamed(error.column ?? error.message, 'organization_id')
}

/** Whether a statement exceeded lock_timeout. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

/** Whether the same transaction may succeed when it is run again (deadlock, serialization failure). */
export function isTransient(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')
}

/** Whether Postgres cancelled a statement that exceeded statement_timeout. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014'
}

/** Codes of Node.js for a network on which the database cannot be reached. */
const noNetwork = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EADDRNOTAVAIL|ENOTFOUND|EAI_)/
/** Messages of pg and its pool that have no code. */
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
 * SQLSTATEs of a database that refuses work: read-only (25006), session ended for idling (25P03, 25P04), no login (28),
 * no such database (3D), no resources (53), lock not available (55P03), statement too long (57014), system error below
 * Postgres (58).
 */
const unfit = /^(25006|25P03|25P04|28|3D|53|55P03|57014|58)/

/** Whether the database could not be reached, refuses work for now, or the work exceeds its holder's share of it. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ShareInUseError) return true
  if (isUnreachable(error)) return true
  // FATAL: it takes no connection now, whatever its reason (55000 of a database without ALLOW_CONNECTIONS, which other errors have too).
  return error instanceof pg.DatabaseError && (error.severity === 'FATAL' || unfit.test(error.code ?? ''))
}
