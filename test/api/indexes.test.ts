import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'

const service = await startService()

/** Named sets of columns with which no index of their table begins; partial indexes on non-null columns count. */
async function withoutIndex(columnSets: string): Promise<string[]> {
  const rows = await service.query<{ name: string }>(`
    with column_sets (name, relation, columns) as (${columnSets})
    select name from column_sets
    where not exists (
      select from pg_index
      where indrelid = relation
        and (indkey::int2[])[0:cardinality(columns) - 1] @> columns
        and coalesce(pg_get_expr(indpred, indrelid), '') ~ '^([(]\\w+ IS NOT NULL[)])?$'
    )
    order by name`)
  return rows.map(({ name }) => name)
}

test('no foreign key makes the erasure of a record read a whole table', async () => {
  expect(
    await withoutIndex(`select conname::text, conrelid, conkey from pg_constraint where contype = 'f'`),
  ).toEqual([])
})

// Stored answers have an index only on the organization; the counts are few rows, and their key begins with the kind.
test.each([
  ['an organization', ['account_id', 'organization_id'], ['idempotency_keys', 'record_counts']],
  ['an application', ['account_id', 'environment', 'application_id'], []],
])('what is erased with %s is found without reading a whole table', async (_owner, columns, exceptions) => {
  const names = columns.map((column) => `'${column}'`).join()
  const tables = `
    select relname::text, attrelid, array_agg(attnum)
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace and attname in (${names})
    group by 1, 2 having count(*) = ${columns.length}`

  expect(await withoutIndex(tables)).toEqual(exceptions)
})

test('logical replication can name each row that it changes', async () => {
  const unnamed = await service.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relreplident <> 'f'
      and not exists (
        select from pg_index where indrelid = pg_class.oid and case relreplident
          when 'd' then indisprimary when 'i' then indisreplident else false
        end
      )
    order by relname`)

  expect(unnamed).toEqual([])
})
