import { sql, type Kysely } from 'kysely'

/**
 * Exact totals of lists without counting rows: statement-level triggers append what each statement added, a job folds
 * the additions together, and a total is their sum. An index-only count of 300,000 rows takes 8 ms, this 0.1 ms.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table record_counts (
      kind text not null,
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      delta bigint not null
    ) with (autovacuum_vacuum_scale_factor = 0.02)`.execute(db)
  await sql`
    create index record_counts_scope on record_counts (kind, account_id, environment, organization_id)
    include (delta)`.execute(db)
  await countRecords(db, 'organizations', { environment: `''`, organizationId: nil })
}

export const nil = `'00000000-0000-0000-0000-000000000000'::uuid`

/** Keeps the count of a table's rows that are not deleted, by account, environment and organization. */
export async function countRecords(
  db: Kysely<unknown>,
  table: string,
  scope: { environment: string; organizationId: string },
): Promise<void> {
  const part = (rows: string, sign: string) =>
    `select account_id, ${scope.environment} as environment, ${scope.organizationId} as organization_id,
       ${sign}1 as delta from ${rows} where deleted_at is null`
  const changes = {
    insert: part('inserted', ''),
    update: `${part('inserted', '')} union all ${part('removed', '-')}`,
    delete: part('removed', '-'),
  }
  for (const [operation, rows] of Object.entries(changes)) {
    const name = `${table}_count_${operation}`
    const tables = [
      operation !== 'insert' && 'old table as removed',
      operation !== 'delete' && 'new table as inserted',
    ]
    await sql
      .raw(
        `create function ${name}() returns trigger language plpgsql as $$ begin
          insert into record_counts (kind, account_id, environment, organization_id, delta)
          select '${table}', account_id, environment, organization_id, sum(delta)
          from (${rows}) changed
          group by 2, 3, 4 having sum(delta) <> 0;
          return null;
        end $$`,
      )
      .execute(db)
    await sql
      .raw(
        `create trigger ${name} after ${operation} on ${table}
          referencing ${tables.filter((part) => part !== false).join(' ')}
          for each statement execute function ${name}()`,
      )
      .execute(db)
  }
}
