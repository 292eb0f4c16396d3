import { sql, type QueryExecutorProvider } from 'kysely'

/** The kinds of schema objects that migrations create, in the order in which they can be created. */
export const catalogKinds = [
  'table',
  'column',
  'function',
  'index',
  'constraint',
  'foreign key',
  'trigger',
] as const

/** A part of the schema. */
export interface CatalogObject {
  readonly kind: (typeof catalogKinds)[number]
  /** The table that it belongs to; empty for functions. */
  readonly table: string
  readonly name: string
  /** SQL without the schema's name: of columns and constraints the part after their name, of others the whole. */
  readonly definition: string
}

/** An object of a database, and whether Postgres uses it. */
export interface FoundObject extends CatalogObject {
  /** `unchecked`: a constraint that was added `not valid`. `unfinished`: an index whose build failed. */
  readonly state: 'used' | 'unchecked' | 'unfinished' | 'disabled'
}

/** Reads the schema of the database, without partitions and the migrator's tables. */
export async function readCatalog(db: QueryExecutorProvider): Promise<FoundObject[]> {
  const { rows } = await sql<FoundObject & { schema: string }>`
    with tables as (
      select oid, relname::text as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname not like 'kysely\\_%'
    ), objects as (
      select 'table' as kind, name as "table", name, '' as definition, 'used' as state from tables
      union all
      select 'column', tables.name, attname,
        format_type(atttypid, atttypmod)
          || case when attcollation <> typcollation then ' collate ' || quote_ident(collname) else '' end
          || case
            when attidentity <> '' then ' generated always as identity'
            when attgenerated <> '' then ' generated always as (' || pg_get_expr(adbin, adrelid) || ') stored'
            else coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
          end
          || case when attnotnull then ' not null' else '' end,
        'used'
      from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
      join pg_type on pg_type.oid = atttypid
      left join pg_collation on pg_collation.oid = attcollation
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
      union all
      select 'function', '', proname, pg_get_functiondef(pg_proc.oid) || ';', 'used'
      from pg_proc where pronamespace = current_schema()::regnamespace and prokind = 'f'
      union all
      select 'index', tables.name, relname, pg_get_indexdef(indexrelid) || ';',
        case when indisvalid and indisready then 'used' else 'unfinished' end
      from tables join pg_index on indrelid = tables.oid join pg_class on pg_class.oid = indexrelid
      where not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
      union all
      select case contype when 'f' then 'foreign key' else 'constraint' end, tables.name, conname,
        regexp_replace(pg_get_constraintdef(pg_constraint.oid), ' NOT VALID$', ''),
        case
          when exists (
            select from pg_trigger where tgconstraint = pg_constraint.oid and tgenabled not in ('O', 'A')
          ) then 'disabled'
          when not convalidated then 'unchecked'
          else 'used'
        end
      from tables join pg_constraint on conrelid = tables.oid and contype in ('p', 'u', 'x', 'c', 'f')
      union all
      select 'trigger', tables.name, tgname, pg_get_triggerdef(pg_trigger.oid) || ';',
        case when tgenabled in ('O', 'A') then 'used' else 'disabled' end
      from tables join pg_trigger on tgrelid = tables.oid and not tgisinternal
    )
    select objects.*, quote_ident(current_schema()) as schema from objects
    order by array_position(${catalogKinds}::text[], kind), "table", name`.execute(db)
  return rows.map(({ schema, definition, ...object }) => ({
    ...object,
    definition: definition.replaceAll(`${schema}.`, '').replace(/^(CREATE .*INDEX .* ON) ONLY /, '$1 '),
  }))
}

/**
 * Whether two definitions are equal: versions of Postgres print casts and spaces differently, but functions as written.
 */
export function isSameDefinition(one: CatalogObject, other: CatalogObject): boolean {
  if (one.kind === 'function') return one.definition === other.definition
  return withoutForm(one.definition) === withoutForm(other.definition)
}

function withoutForm(definition: string): string {
  return definition.replaceAll(/::(?:text|uuid|jsonb)(?:\[\])?|\s/g, '')
}
