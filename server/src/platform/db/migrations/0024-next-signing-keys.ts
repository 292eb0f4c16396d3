import { sql, type Kysely } from 'kysely'

/**
 * Each owner has one next key of an algorithm, published ahead of its use, and the active ones are found by age for their
 * rotation. Keys of before get their next ones by a job, because only a process with the master keys can seal them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unique index signing_keys_next_key on signing_keys (account_id, environment, organization_id, algorithm)
    where state = 'next'`.execute(db)
  await sql`create index signing_keys_activated_idx on signing_keys (activated_at) where state = 'active'`.execute(
    db,
  )
  // eslint-disable-next-line portico/sql-clock -- a migration has no other clock
  await sql`
    insert into jobs (name, payload, key, run_at, inserted_at)
    select 'publish_next_keys', '{"afterKid": ""}', 'all', now(), now() where exists (select from signing_keys)`.execute(
    db,
  )
}
