import { sql, type Kysely } from 'kysely'

/** The policy of an organization can demand a second factor of its users. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table organization_policies
      add column second_factor text not null default 'optional'
        constraint organization_policies_second_factor_check check (second_factor in ('optional', 'required')),
      add column second_factor_grace_days integer not null default 14
        constraint organization_policies_second_factor_grace_check check (second_factor_grace_days between 0 and 90),
      -- The grace counts from here, or from a later creation of the user.
      add column second_factor_required_at timestamptz(3),
      add constraint organization_policies_second_factor_required_check check (
        (second_factor = 'required') = (second_factor_required_at is not null)
      )`.execute(db)
}
