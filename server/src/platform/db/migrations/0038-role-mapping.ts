import { sql, type Kysely } from 'kysely'

/**
 * Rules by which directories and SSO connections give roles. Null in `role_mapping_mode`: there have never been any, which is what
 * most statements find out by an index without rows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addModes(db)
  await createRules(db)
  await sql`
    alter table role_assignments
      drop constraint role_assignments_source_check,
      add constraint role_assignments_source_check check (source in ('api', 'invitation', 'sso'))`.execute(db)
  await sql`
    alter table users
      -- The identity of the last sign-in by SSO, where its connection maps roles.
      add column roles_identity_id uuid`.execute(db)
}

async function addModes(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table directories
      add column role_mapping_mode text constraint directories_role_mapping_mode_check
        check (role_mapping_mode in ('add', 'authoritative'))`.execute(db)
  await sql`
    alter table sso_connections
      add column role_mapping_mode text constraint sso_connections_role_mapping_mode_check
        check (role_mapping_mode in ('add', 'authoritative'))`.execute(db)
  await sql`
    create index directories_role_mapping on directories (account_id, environment, organization_id)
    where role_mapping_mode is not null`.execute(db)
  // What rules with an attribute are compared with, in the form of their keys.
  await sql`alter table directory_users add column role_keys text[] not null default '{}'`.execute(db)
}

async function createRules(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table role_mapping_rules (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      -- The directory or connection.
      source_id uuid not null,
      directory_id uuid,
      connection_id uuid,
      position integer not null,
      -- Of the role in its rule.
      place integer not null,
      role_id uuid not null,
      -- Null: the value is the name of a group.
      attribute text,
      value text not null,
      -- Attribute and value in the form in which they are compared.
      rule_key text not null,
      constraint role_mapping_rules_pkey
        primary key (account_id, organization_id, environment, source_id, position, place),
      constraint role_mapping_rules_source_check check (
        num_nonnulls(directory_id, connection_id) = 1 and source_id = coalesce(directory_id, connection_id)
      ),
      constraint role_mapping_rules_directory_fkey
        foreign key (account_id, environment, organization_id, directory_id)
        references directories (account_id, environment, organization_id, id) on delete cascade,
      constraint role_mapping_rules_connection_fkey
        foreign key (account_id, environment, organization_id, connection_id)
        references sso_connections (account_id, environment, organization_id, id) on delete cascade,
      constraint role_mapping_rules_role_fkey foreign key (account_id, environment, role_id)
        references roles (account_id, environment, id) on delete cascade
    )`.execute(db)
  await sql`
    create index role_mapping_rules_key on role_mapping_rules
      (source_id, rule_key, account_id, environment, organization_id)`.execute(db)
  for (const owner of ['directory', 'connection'])
    await sql`
      create index ${sql.ref(`role_mapping_rules_${owner}`)} on role_mapping_rules
        (${sql.ref(`${owner}_id`)}, account_id, environment, organization_id)
      where ${sql.ref(`${owner}_id`)} is not null`.execute(db)
  await sql`
    create index role_mapping_rules_role on role_mapping_rules (account_id, environment, role_id)`.execute(db)
}
