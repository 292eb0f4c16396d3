import { sql, type Kysely } from 'kysely'
import type { DB } from './schema.js'

/** Rows that one statement folds. */
const batchSize = 2_000
/** Fewer scopes than rows in a batch, so that every full batch leaves far fewer rows than it took. */
const scopesAtATime = 100

/** The scope of one total. */
interface Scope {
  readonly kind: string
  readonly account_id: string
  readonly environment: string
  readonly organization_id: string
}

/**
 * Replaces the additions to each count by their sum. Each statement deletes rows and inserts their sum at once, so that
 * readers always see the same total; rows that another process locks are skipped.
 *
 * @returns How many rows were folded.
 */
export async function foldRecordCounts(db: Kysely<DB>): Promise<number> {
  // eslint-disable-next-line portico/tenant -- a worker adds up the counts of every account
  const crowded = await db
    .selectFrom('record_counts')
    .select(['kind', 'account_id', 'environment', 'organization_id'])
    .groupBy(['kind', 'account_id', 'environment', 'organization_id'])
    .having(({ fn }) => fn.countAll(), '>', 1)
    .execute()
  let folded = 0
  for (let first = 0; first < crowded.length; first += scopesAtATime) {
    folded += await foldScopes(db, crowded.slice(first, first + scopesAtATime))
  }
  return folded
}

async function foldScopes(db: Kysely<DB>, scopes: readonly Scope[]): Promise<number> {
  let folded = 0
  for (;;) {
    const taken = await foldBatch(db, scopes)
    folded += taken
    if (taken < batchSize) return folded
  }
}

async function foldBatch(db: Kysely<DB>, scopes: readonly Scope[]): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    with scopes as (
      select * from unnest(
        ${scopes.map((scope) => scope.kind)}::text[],
        ${scopes.map((scope) => scope.account_id)}::uuid[],
        ${scopes.map((scope) => scope.environment)}::text[],
        ${scopes.map((scope) => scope.organization_id)}::uuid[]
      ) as scope (kind, account_id, environment, organization_id)
    ), taken as (
      delete from record_counts where ctid = any(array(
        select ctid from record_counts
        where (kind, account_id, environment, organization_id) in (select * from scopes)
        limit ${batchSize} for update skip locked
      ))
      returning kind, account_id, environment, organization_id, delta
    ), folded as (
      insert into record_counts (kind, account_id, environment, organization_id, delta)
      select kind, account_id, environment, organization_id, sum(delta) from taken
      group by kind, account_id, environment, organization_id having sum(delta) <> 0
    )
    select count(*)::integer as taken from taken`.execute(db)
  return rows[0]?.taken ?? 0
}
