import { sql, type Kysely } from 'kysely'

/** The changes of portico config, for rollbacks, and the meaning of the names in its files. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table config_applies (
      account_id uuid not null constraint config_applies_account_fkey references accounts,
      environment text not null constraint config_applies_environment_check check (
        environment in ('sandbox', 'production')
      ),
      id uuid not null,
      action text not null constraint config_applies_action_check check (action in ('apply', 'rollback')),
      digest text not null,
      actor_id text not null,
      request_id text not null,
      applied_at timestamptz(3) not null,
      constraint config_applies_pkey primary key (account_id, environment, id)
    )`.execute(db)

  // Rows of their own, so that those of an organization are erased with it.
  await sql`
    create table config_apply_steps (
      account_id uuid not null,
      environment text not null,
      apply_id uuid not null,
      position integer not null,
      organization_id uuid,
      step jsonb not null,
      constraint config_apply_steps_pkey primary key (account_id, environment, apply_id, position),
      constraint config_apply_steps_apply_fkey foreign key (account_id, environment, apply_id)
        references config_applies (account_id, environment, id) on delete cascade,
      constraint config_apply_steps_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
  await sql`
    create index config_apply_steps_organization on config_apply_steps (account_id, organization_id)`.execute(
    db,
  )

  await sql`
    create table config_numbers (
      account_id uuid not null,
      organization_id uuid not null,
      environment text not null constraint config_numbers_environment_check check (
        environment in ('sandbox', 'production')
      ),
      section text not null,
      name text not null,
      number integer not null,
      thing_id text not null,
      constraint config_numbers_pkey primary key (
        account_id, organization_id, environment, section, name, number
      ),
      constraint config_numbers_thing unique (
        account_id, organization_id, environment, section, name, thing_id
      ),
      constraint config_numbers_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
}
