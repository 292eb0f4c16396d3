import { sql, type Kysely } from 'kysely'

/**
 * Schemas that a directory declares, and the rules by which a directory or a connection writes metadata and profile of its
 * users, with how far the latest change of them has come.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table directories
      add column extension_schemas jsonb not null default '[]',
      add column attribute_mapping jsonb not null default '[]',
      add column mapping_revision integer not null default 0,
      add column mapping_done integer,
      add column mapping_total integer,
      add column mapping_position uuid`.execute(db)
  await sql`
    alter table sso_connections add column attribute_mapping jsonb not null default '[]'`.execute(db)
}
