import type { Transaction } from 'kysely'
import type { DB } from '../db/schema.js'
import { isMissingOrganization, isTransient } from '../db/violations.js'
import type { Deps } from '../deps.js'
import { ApiError } from '../errors.js'
import type { LimitState } from '../limits/limits.js'
import type { Cause } from '../tenant.js'
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
 * touches nothing but the transaction, because it is run again when the database breaks a deadlock.
 *
 * @throws ApiError `organization_not_found` when a row was to be inserted into an organization the tenant may not see.
 */
export async function change<Result extends Changed<unknown>>(
  deps: Pick<Deps, 'db' | 'keys'>,
  cause: Cause,
  work: (trx: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await deps.db.transaction().execute(async (trx) => {
        const result = await work(trx)
        if (cause.idempotency !== undefined) {
          const { record, version, organizationId, subjectId } = result
          const answer = { record, version: version ?? null }
          await settleIdempotency(deps, trx, cause.idempotency, answer, { organizationId, subjectId })
        }
        return result
      })
    } catch (error) {
      if (isMissingOrganization(error)) throw new ApiError('organization_not_found', { cause: error })
      if (!isTransient(error) || attempt === maxAttempts) throw error
    }
  }
}
