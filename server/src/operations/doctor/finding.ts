import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { OpenDeps } from '../../delivery/deps.js'

/** The result of one check. */
export interface Finding {
  readonly check: string
  readonly ok: boolean
  /** What was found. */
  readonly detail: string
  /** What to do, where it is not ok. */
  readonly remedy?: string
  /** The statement of the remedy. */
  readonly sql?: string
}

/** The access of a check: nothing can be written through `db`. */
export interface Reader extends Pick<OpenDeps, 'config' | 'keys'> {
  readonly db: Transaction<DB>
  readonly at: Date
}

export type Check = (reader: Reader) => Promise<Finding[]>

/** How many rows of the same fault are named. */
export const maxNamed = 20

/** For how long a statement of a check may run. */
const statementSeconds = 20

/**
 * Runs work in a read-only transaction. Checks count whole tables, so that the planner may scan them, which the pool's
 * connections disable.
 */
export function reading<Result>(
  { db }: { readonly db: Kysely<DB> },
  work: (db: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    await sql`
      select set_config('transaction_read_only', 'on', true), set_config('enable_seqscan', 'on', true),
        set_config('plan_cache_mode', 'auto', true), set_config('jit', 'off', true),
        set_config('statement_timeout', ${`${statementSeconds}s`}, true)`.execute(trx)
    return work(trx)
  })
}

/** The finding of a check that failed to run. */
export function failedCheck(check: string, error: unknown): Finding {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error ? error.message : String(error)
  if (code === '57014')
    return {
      check,
      ok: false,
      detail: `it takes longer than ${statementSeconds} s to tell`,
      remedy: 'ask again when the database has less to do',
    }
  const isSchema = ['42P01', '42703', '42883'].includes(code)
  return {
    check,
    ok: false,
    detail: `it cannot be told: ${message}`,
    remedy: isSchema
      ? 'mend the schema first, as it says above'
      : 'mend what the database says, and ask again',
  }
}

/** A number of things: `1 row`, `2 rows`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
