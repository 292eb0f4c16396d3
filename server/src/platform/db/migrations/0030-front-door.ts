import { sql, type Kysely } from 'kysely'

/**
 * Where an application begins a sign-in that others have asked for, and which flows an identity provider has begun; what an
 * account calls its product, and how it looks.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table applications add column initiate_login_uri text`.execute(db)
  await sql`
    alter table sign_in_flows add column is_idp_initiated boolean not null default false`.execute(db)
  // In one column: the release before names columns of organizations beside accounts without their table.
  await sql`
    alter table accounts
      add column product_name text,
      add column brand jsonb not null default '{}',
      add column version integer not null default 1,
      add column updated_at timestamptz(3)`.execute(db)
}
