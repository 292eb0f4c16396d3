import { NoResultError, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { isMissingOrganization, isTransient } from '../../platform/db/violations.js'
import type { Deps } from '../deps.js'
import { ApiError, type LimitState } from '../../platform/errors.js'
import type { Cause } from '../../platform/tenant.js'
import { auditChange } from '../audit/audit.js'
import { settleIdempotency } from './idempotency.js'

const maxAttempts = 3

/**
 * The result of a change: the record, the version of its ETag and the state of its rate limit. The organization and the
 * user own the data, so the stored idempotent answer is erased together with them.
 */
export interface Changed<Record> {
  readonly record: Record
  readonly version?: number
  readonly limit?: LimitState
  readonly organizationId?: string
  readonly subjectId?: string
}

/**
 * Runs one change: its rows, its event, its jobs, its audit entry and its idempotent answer commit together or not at all. The work must
 * touch nothing but the transaction, because it runs again after a deadlock and after a concurrent deletion of a row that
 * it had found; its first statement then reports the missing row.
 *
 * Where `deps.db` is a transaction already, the change joins it: several operations commit together, and the code that
 * opened the transaction retries all of them.
 *
 * @throws ApiError `organization_not_found` for an insert into an organization that the tenant may not see.
 */
export async function change<Result extends Changed<unknown>>(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  cause: Cause,
  work: (trx: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  const { db } = deps
  return repeated(db, () => {
    if (isTransaction(db)) return changeIn(deps, db, cause, work)
    return db.transaction().execute((trx) => changeIn(deps, trx, cause, work))
  })
}

/** Runs work that commits or fails as a whole, and again as change() says. */
export async function repeated<Result>(db: Kysely<DB>, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (isMissingOrganization(error)) throw new ApiError('organization_not_found', { cause: error })
      if (!isRetryable(error) || isTransaction(db) || attempt === maxAttempts) throw error
    }
  }
}

async function changeIn<Result extends Changed<unknown>>(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  trx: Transaction<DB>,
  cause: Cause,
  work: (trx: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  const result = await work(trx)
  if (cause.audit !== undefined) await auditChange(deps, trx, { ...cause, audit: cause.audit }, result)
  if (cause.idempotency !== undefined) {
    const { record, version, organizationId, subjectId } = result
    const answer = { record, version: version ?? null }
    await settleIdempotency(deps, trx, cause.idempotency, answer, { organizationId, subjectId })
  }
  return result
}

function isRetryable(error: unknown): boolean {
  return isTransient(error) || error instanceof NoResultError
}

function isTransaction(db: Kysely<DB>): db is Transaction<DB> {
  return db.isTransaction
}
