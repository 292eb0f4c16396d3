import { sql, type Kysely } from 'kysely'

/** What is counted against a limit, in the form that rate-limiter-flexible keeps it. Keys are digests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Unlogged: a count is worth no wait for the disk. A crash of Postgres, a restored backup and a replica that takes over
  // begin to count anew. expire is milliseconds since 1970.
  await sql`
    create unlogged table rate_limits (
      key varchar(255) constraint rate_limits_pkey primary key,
      points integer not null default 0,
      expire bigint
    )`.execute(db)
  await sql`create index rate_limits_expiry on rate_limits (expire)`.execute(db)
}
