import { sql, type Kysely } from 'kysely'

/** Counts of rate limits, in the form of rate-limiter-flexible. Keys are digests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Unlogged: a count is not worth a wait for the disk. Counts start anew after a crash of Postgres, a restored backup
  // and a failover to a replica. expire is milliseconds since 1970.
  await sql`
    create unlogged table rate_limits (
      key varchar(255) constraint rate_limits_pkey primary key,
      points integer not null default 0,
      expire bigint
    )`.execute(db)
  await sql`create index rate_limits_expiry on rate_limits (expire)`.execute(db)
}
