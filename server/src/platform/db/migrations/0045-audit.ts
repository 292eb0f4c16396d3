import { sql, type Kysely } from 'kysely'

/** What the staff of an account do in the console. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_entries (
      account_id uuid not null constraint audit_entries_account_fkey references accounts,
      -- Null: of the account, in no environment.
      environment text
        constraint audit_entries_environment_check check (environment in ('sandbox', 'production')),
      id uuid not null,
      -- The domain of the organization: unlike its id it says something when the organization is erased, and the entry stays.
      domain text,
      -- A user of another account, the one that all staff belong to.
      staff_user_id uuid not null,
      action text not null,
      outcome text not null constraint audit_entries_outcome_check check (
        outcome in ('done', 'refused', 'looked_up', 'secret_shown')
      ),
      reason text constraint audit_entries_reason_check check (char_length(reason) between 3 and 300),
      record_type text,
      record_id text,
      -- The user it is about, and the address that was looked up: with them, address and reason are erased.
      subject_id uuid,
      email text,
      email_normalized text,
      request_id text not null,
      inserted_at timestamptz(3) not null,
      constraint audit_entries_pkey primary key (account_id, id),
      constraint audit_entries_record_check check (record_type is not null or record_id is null),
      constraint audit_entries_email_check check ((email is null) = (email_normalized is null))
    )`.execute(db)
  await sql`
    create index audit_entries_list on audit_entries (account_id, inserted_at desc, id desc)`.execute(db)
  await sql`
    create index audit_entries_staff on audit_entries
      (account_id, staff_user_id, inserted_at desc, id desc)`.execute(db)
  await sql`
    create index audit_entries_domain on audit_entries
      (account_id, domain, inserted_at desc, id desc) where domain is not null`.execute(db)
  await sql`create index audit_entries_inserted on audit_entries (inserted_at)`.execute(db)
  await sql`
    create index audit_entries_subject on audit_entries (account_id, subject_id) where subject_id is not null`.execute(
    db,
  )
  await sql`
    create index audit_entries_email on audit_entries
      (account_id, environment, email_normalized) where email_normalized is not null`.execute(db)
}
