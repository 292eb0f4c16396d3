import { sql, type QueryExecutorProvider } from 'kysely'
import type { CatalogObject } from '../../platform/db/catalog.js'
import { migratedCatalog } from '../../platform/db/migrated-catalog.js'

/** The one statement of a function that counts what a statement has changed. */
const addition = /begin\s+(?<insert>insert into )record_counts (?<rest>\(kind, .*?);\s+return null;\s+end/s

/**
 * What the migrations make, as it is in a schema of a cluster. Citus would plan the addition to a total as a statement of the
 * cluster, and loses the rows that a trigger was called with; so the triggers add to the shard of record_counts by its name.
 */
export function inCluster(object: CatalogObject): CatalogObject {
  const { insert = '', rest = '' } = addition.exec(object.definition)?.groups ?? {}
  if (object.kind !== 'function' || rest === '') return object
  const body = `declare
          shard constant text := (
            select coalesce(max('_' || shardid), '') from pg_catalog.pg_dist_shard
            where logicalrelid = 'record_counts'::regclass
          );
        begin
          execute format($statement$${insert}record_counts%s ${rest}$statement$, shard);
          return null;
        end`
  return { ...object, definition: object.definition.replace(addition, () => body) }
}

const counting = migratedCatalog.filter(
  ({ kind, definition }) => kind === 'function' && addition.test(definition),
)
const triggers = migratedCatalog.filter(({ kind }) => kind === 'trigger')

/** Drops the triggers: they would be called for each row that a schema takes along to its server. */
export async function dropTriggers(db: QueryExecutorProvider): Promise<void> {
  for (const { name, table } of triggers)
    await sql`drop trigger if exists ${sql.ref(name)} on ${sql.table(table)}`.execute(db)
}

/** Gives a schema of a cluster the triggers that it lacks, and the functions of totals in their form there. */
export async function makeTriggers(db: QueryExecutorProvider): Promise<void> {
  for (const object of counting) await sql.raw(inCluster(object).definition).execute(db)
  const { rows } = await sql<{ name: string }>`
    select tgname as name from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = current_schema()::regnamespace and not tgisinternal`.execute(db)
  const existing = new Set(rows.map(({ name }) => name))
  for (const { name, definition } of triggers) if (!existing.has(name)) await sql.raw(definition).execute(db)
}
