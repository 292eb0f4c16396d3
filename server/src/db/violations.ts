import pg from 'pg'

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

/** Whether the database could not be reached, or refuses work for now: SQLSTATE classes 08, 53 and 57P, and 57014, a statement that took
 * too long. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof pg.DatabaseError) return /^(08|53|57P|57014)/.test(error.code ?? '')
  const code: unknown = 'code' in error ? error.code : undefined
  const isNetwork = typeof code === 'string' && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/.test(code)
  return (
    isNetwork ||
    /Connection terminated|is not queryable|timeout exceeded when trying to connect|Query read timeout/.test(
      error.message,
    )
  )
}
