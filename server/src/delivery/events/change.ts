import { NoResultError, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { isMissingOrganization, isTransient } from '../../platform/db/violations.js'
import type { Deps } from '../deps.js'
import { ApiError, type LimitState } from '../../platform/errors.js'
import type { Cause } from '../../platform/tenant.js'
import { settleIdempotency } from './idempotency.js'

const maxAttempts = 3

/**
 * What a change answers: the record, the version its ETag names, and where the caller stands with the limit of it; and
 * whose data it is, with which the answer to repeat is erased: the organization and the user, if any.
 */
export interface Changed<Record> {
  readonly record: Record
  readonly version?: number
  readonly limit?: LimitState
  readonly organizationId?: string
  readonly subjectId?: string
}

/**
 * Runs one change: its rows, its event, its jobs and the answer to repeat commit together or not at all. The work
 * touches nothing but the transaction, because it is run again when the database breaks a deadlock, and when a row that it
 * had found is missing: what was deleted in between is refused then by its first statement.
 *
 * Where `deps.db` is a transaction already, the change is a part of that one: several operations commit together, and
 * whoever began it runs all of them again.
 *
 * @throws ApiError `organization_not_found` when a row was to be inserted into an organization the tenant may not see.
 */
export async function change<Result extends Changed<unknown>>(
  deps: Pick<Deps, 'db' | 'keys'>,
  cause: Cause,
  work: (trx: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  const { db } = deps
  for (let attempt = 1; ; attempt++) {
    try {
      if (isTransaction(db)) return await changeIn(deps, db, cause, work)
      return await db.transaction().execute((trx) => changeIn(deps, trx, cause, work))
    } catch (error) {
      if (isMissingOrganization(error)) throw new ApiError('organization_not_found', { cause: error })
      if (!isWorthAnother(error) || isTransaction(db) || attempt === maxAttempts) throw error
    }
  }
}

async function changeIn<Result extends Changed<unknown>>(
  deps: Pick<Deps, 'db' | 'keys'>,
  trx: Transaction<DB>,
  cause: Cause,
  work: (trx: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  const result = await work(trx)
  if (cause.idempotency !== undefined) {
    const { record, version, organizationId, subjectId } = result
    const answer = { record, version: version ?? null }
    await settleIdempotency(deps, trx, cause.idempotency, answer, { organizationId, subjectId })
  }
  return result
}

function isWorthAnother(error: unknown): boolean {
  return isTransient(error) || error instanceof NoResultError
}

function isTransaction(db: Kysely<DB>): db is Transaction<DB> {
  return db.isTransaction
}
