import { sql, type Kysely } from 'kysely'

/**
 * The families of tokens that were ended before their access tokens expired. A family is what was issued for one code; it has
 * a row only once it has ended.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No foreign key to the code, which is deleted a day after it has expired.
  await sql`
    create table ended_families (
      account_id uuid not null,
      environment text not null
        constraint ended_families_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      code_id uuid not null,
      ended_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      constraint ended_families_pkey primary key (account_id, organization_id, environment, code_id),
      constraint ended_families_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
  await sql`create index ended_families_expiry on ended_families (expires_at)`.execute(db)
  await sql`
    alter table ended_families
      alter account_id set (n_distinct = 1),
      alter environment set (n_distinct = 1),
      alter organization_id set (n_distinct = 1)`.execute(db)
}
