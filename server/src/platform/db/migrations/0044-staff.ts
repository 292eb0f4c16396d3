import { sql, type Kysely } from 'kysely'

/**
 * The organization of the reserved account whose users are the staff of an account, and the link by which an account on the
 * embedded database gets its first owner.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table staff_organizations (
      account_id uuid not null,
      staff_account_id uuid not null,
      staff_organization_id uuid not null,
      -- Of the sign-in of the console; no foreign key, which would need its environment.
      staff_application_id uuid not null,
      inserted_at timestamptz(3) not null,
      constraint staff_organizations_pkey primary key (account_id),
      constraint staff_organizations_account_fkey foreign key (account_id) references accounts (id),
      constraint staff_organizations_organization_key unique (staff_account_id, staff_organization_id),
      constraint staff_organizations_organization_fkey foreign key (staff_account_id, staff_organization_id)
        references organizations (account_id, id),
      -- The staff of an account have no staff of their own.
      constraint staff_organizations_account_check check (account_id <> staff_account_id)
    )`.execute(db)
  await sql`
    create table console_starts (
      account_id uuid not null,
      token_hash bytea not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      constraint console_starts_pkey primary key (account_id),
      constraint console_starts_token_key unique (token_hash),
      constraint console_starts_account_fkey foreign key (account_id) references accounts (id)
    )`.execute(db)
}
