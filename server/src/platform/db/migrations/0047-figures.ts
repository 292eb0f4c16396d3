import { sql, type Kysely } from 'kysely'
import type { ConcurrentIndex } from '../schema-migration.js'

export const indexes: readonly ConcurrentIndex[] = [
  {
    // The other deliveries of an account and environment are too many to be looked through.
    name: 'webhook_deliveries_undelivered',
    isUnique: false,
    table: 'webhook_deliveries',
    of: `(account_id, environment, inserted_at) where state in ('failed', 'lost')`,
  },
  {
    // Of a first synchronization, the others are millions.
    name: 'scim_requests_refused',
    isUnique: false,
    table: 'scim_requests',
    of: '(account_id, environment, organization_id, directory_id, inserted_at) where status >= 400',
  },
]

/** The figures on the home page of the console. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Of all organizations together: the home page adds them up, and of many it would be slow.
  await sql`
    create table log_event_counts (
      account_id uuid not null constraint log_event_counts_account_fkey references accounts,
      environment text not null
        constraint log_event_counts_environment_check check (environment in ('sandbox', 'production')),
      hour timestamptz(3) not null,
      event_code text not null,
      n integer not null constraint log_event_counts_n_check check (n > 0),
      constraint log_event_counts_pkey primary key (account_id, environment, hour, event_code)
    )`.execute(db)
  await sql`create index log_event_counts_hour on log_event_counts (hour)`.execute(db)
}
