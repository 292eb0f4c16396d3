import { sql, type Kysely } from 'kysely'

/** Discoveries of the API: from a link to a mailbox to the organization that its owner enters. Log events are listed by account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table discoveries (
      account_id uuid not null,
      environment text not null
        constraint discoveries_environment_check check (environment in ('sandbox', 'production')),
      id uuid not null,
      application_id uuid not null,
      step text not null constraint discoveries_step_check check (
        step in ('link', 'code', 'token', 'continue', 'over')
      ),
      -- Of the step: what follows a secret takes its place.
      secret_hash bytea,
      email text not null,
      email_normalized text not null,
      -- Of the step, too: where the browser goes from a page.
      redirect_uri text not null,
      -- The request for the code at the organization that was entered.
      request jsonb,
      proved_at timestamptz(3),
      expires_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint discoveries_pkey primary key (account_id, environment, id),
      constraint discoveries_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id) on delete cascade
    )`.execute(db)
  await sql`
    create unique index discoveries_secret_key on discoveries (secret_hash) where secret_hash is not null`.execute(
    db,
  )
  await sql`
    create index discoveries_application on discoveries (account_id, environment, application_id)`.execute(db)
  await sql`create index discoveries_email on discoveries (account_id, environment, email_normalized)`.execute(
    db,
  )
  await sql`create index discoveries_expiry on discoveries (expires_at)`.execute(db)
  await sql`
    create index log_events_account on log_events (account_id, environment, inserted_at desc, id desc)`.execute(
    db,
  )
  await sql`
    create index log_events_email on log_events
      (account_id, environment, email_normalized, inserted_at desc, id desc)
    where email_normalized is not null`.execute(db)
}
