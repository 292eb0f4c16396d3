import { sql, type Kysely } from 'kysely'

/**
 * Permissions and roles of accounts, the users who have the roles, and what of them an application's tokens carry. A role
 * names permissions, whose names never change, so that a token reads no other table for them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createPermissions(db)
  await createRoles(db)
  await createAssignments(db)
  await sql`alter table applications add column permission_prefixes text[]`.execute(db)
}

async function createPermissions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table permissions (
      account_id uuid not null,
      environment text not null
        constraint permissions_environment_check check (environment in ('sandbox', 'production')),
      id uuid not null,
      name text not null,
      description text,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint permissions_pkey primary key (account_id, environment, id),
      constraint permissions_name_key unique (account_id, environment, name),
      constraint permissions_account_fkey foreign key (account_id) references accounts (id)
    )`.execute(db)
}

async function createRoles(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table roles (
      account_id uuid not null,
      environment text not null
        constraint roles_environment_check check (environment in ('sandbox', 'production')),
      id uuid not null,
      -- Null: of the whole account.
      organization_id uuid,
      name text not null,
      display_name text not null,
      description text,
      is_default boolean not null,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint roles_pkey primary key (account_id, environment, id),
      constraint roles_account_fkey foreign key (account_id) references accounts (id),
      constraint roles_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id),
      constraint roles_default_check check (organization_id is null or not is_default)
    )`.execute(db)
  await sql`
    create unique index roles_name_key on roles (account_id, environment, name) where organization_id is null`.execute(
    db,
  )
  await sql`
    create unique index roles_organization_name_key on roles (account_id, organization_id, environment, name)
    where organization_id is not null`.execute(db)
  await sql`create unique index roles_default_key on roles (account_id, environment) where is_default`.execute(
    db,
  )
  await sql`
    create table role_permissions (
      account_id uuid not null,
      environment text not null,
      role_id uuid not null,
      permission text not null,
      constraint role_permissions_pkey primary key (account_id, environment, role_id, permission),
      constraint role_permissions_role_fkey foreign key (account_id, environment, role_id)
        references roles (account_id, environment, id) on delete cascade,
      constraint role_permissions_permission_fkey foreign key (account_id, environment, permission)
        references permissions (account_id, environment, name) on delete cascade
    )`.execute(db)
  await sql`
    create index role_permissions_permission on role_permissions (account_id, environment, permission)`.execute(
    db,
  )
}

async function createAssignments(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table role_assignments (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      user_id uuid not null,
      role_id uuid not null,
      source text not null constraint role_assignments_source_check check (source in ('api')),
      -- The record that the source gave the role by; nil of the API.
      source_id uuid not null,
      inserted_at timestamptz(3) not null,
      constraint role_assignments_pkey
        primary key (account_id, organization_id, environment, user_id, role_id, source, source_id),
      constraint role_assignments_user_fkey foreign key (account_id, organization_id, environment, user_id)
        references users (account_id, organization_id, environment, id) on delete cascade,
      constraint role_assignments_role_fkey foreign key (account_id, environment, role_id)
        references roles (account_id, environment, id) on delete cascade
    )`.execute(db)
  await sql`
    create index role_assignments_role on role_assignments (account_id, environment, role_id)`.execute(db)
}
