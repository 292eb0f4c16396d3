import { sql, type Kysely } from 'kysely'

/**
 * A request to a social provider is one of a sign-in, or of a session whose user links their account there. Apple has more members than
 * others: its private key takes the place of a secret.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table social_providers
      add column team_id text,
      add column key_id text,
      add column secret_expires_at timestamptz(3),
      -- When the end of the secret was reported.
      add column secret_warned_at timestamptz(3)`.execute(db)
  // Read for the check are the requests of a day, of which each is one visit to a provider.
  await sql`
    alter table social_requests
      alter column flow_id drop not null,
      -- Without a foreign key, which each insert of a session would have to know: the row lasts for ten minutes, and is compared with
      -- the live session of the browser that comes back.
      add column session_id uuid,
      add constraint social_requests_purpose_check check (num_nonnulls(flow_id, session_id) = 1)`.execute(db)
  // The column is new, so that the index cannot be built before.
  await sql`
    create index social_requests_session on social_requests
      (account_id, organization_id, environment, session_id) where session_id is not null`.execute(db)
}
