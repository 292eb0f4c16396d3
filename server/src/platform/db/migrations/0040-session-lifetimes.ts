import { sql, type Kysely } from 'kysely'

/** The policy of an organization says how long its sessions last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table organization_policies
      add column session_lifetime_in_seconds integer not null default 28800
        constraint organization_policies_session_lifetime_check check (
          session_lifetime_in_seconds between 900 and 2592000
        ),
      add column session_idle_in_seconds integer not null default 3600
        constraint organization_policies_session_idle_check check (
          session_idle_in_seconds >= 300 and session_idle_in_seconds <= session_lifetime_in_seconds
        )`.execute(db)
  // Null in rows of the release before, whose sessions last 8 hours.
  await sql`alter table sessions add column begun_at timestamptz(3)`.execute(db)
}
