import { sql, type Kysely } from 'kysely'

/** Impersonations: staff who sign in as a user for a limited time, and organizations that refuse it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table organizations
      add column impersonation text not null default 'allowed',
      add constraint organizations_impersonation_check check (impersonation in ('allowed', 'refused'))`.execute(
    db,
  )
  await sql`
    create table impersonations (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      application_id uuid not null,
      actor_id text not null,
      actor_email text,
      reason text not null,
      duration_in_seconds integer not null,
      notify_user boolean not null,
      url_hash bytea not null constraint impersonations_url_key unique,
      -- The address was used: its handle, and the browser that has it.
      handle_hash bytea constraint impersonations_handle_key unique,
      browser_hash bytea,
      -- Until when the next step is possible; from the start on, the end.
      expires_at timestamptz(3) not null,
      started_at timestamptz(3),
      ended_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint impersonations_pkey primary key (account_id, organization_id, environment, id),
      constraint impersonations_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade,
      constraint impersonations_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id)
    )`.execute(db)
  await sql`
    create index impersonations_list on impersonations
      (account_id, environment, organization_id, user_id, inserted_at desc, id desc)`.execute(db)
  await sql`
    create index impersonations_application on impersonations (account_id, environment, application_id)`.execute(
    db,
  )
  await sql`create index impersonations_expiry on impersonations (expires_at)`.execute(db)

  await sql`
    alter table sessions
      add column impersonation_id uuid,
      add constraint sessions_impersonation_fkey
        foreign key (account_id, organization_id, environment, impersonation_id)
        references impersonations (account_id, organization_id, environment, id) not valid`.execute(db)
  await sql`alter table sessions validate constraint sessions_impersonation_fkey`.execute(db)
  await sql`
    create index sessions_impersonation on sessions
      (account_id, organization_id, environment, impersonation_id) where impersonation_id is not null`.execute(
    db,
  )
}
