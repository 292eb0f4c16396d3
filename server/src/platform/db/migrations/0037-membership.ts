import { sql, type Kysely } from 'kysely'

/** What organizations demand of their members. One without a row demands nothing: its policy is that of the defaults. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table organization_policies (
      account_id uuid not null,
      environment text not null
        constraint organization_policies_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      seats_limit integer not null
        constraint organization_policies_seats_limit_check check (seats_limit between 0 and 1000000),
      version integer not null,
      updated_at timestamptz(3) not null,
      constraint organization_policies_pkey primary key (account_id, organization_id, environment),
      constraint organization_policies_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
}
