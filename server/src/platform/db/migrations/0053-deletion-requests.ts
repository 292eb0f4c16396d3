import { sql, type Kysely } from 'kysely'

/** Users ask for the deletion of their account, where the policy of the organization says so. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table organization_policies
      drop constraint organization_policies_self_deletion_check,
      add constraint organization_policies_self_deletion_check
        check (self_deletion in ('none', 'request', 'allowed'))`.execute(db)
  await sql`
    create table deletion_requests (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      user_id uuid not null,
      expires_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint deletion_requests_pkey primary key (account_id, organization_id, environment, user_id),
      constraint deletion_requests_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade
    )`.execute(db)
  await sql`create index deletion_requests_expiry on deletion_requests (expires_at)`.execute(db)
}
