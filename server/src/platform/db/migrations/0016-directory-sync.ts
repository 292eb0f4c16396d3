import { sql, type Kysely } from 'kysely'

/** The directories that providers synchronize by SCIM: their users, groups and requests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table directories (
      account_id uuid not null,
      environment text not null
        constraint directories_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      id uuid not null constraint directories_id_key unique,
      provider_type text not null,
      active boolean not null,
      takes_over_users boolean not null,
      secret_hash bytea not null,
      secret_hint text not null,
      previous_secret_hash bytea,
      previous_secret_expires_at timestamptz(3),
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint directories_pkey primary key (account_id, organization_id, environment, id),
      constraint directories_organization_key unique (account_id, environment, organization_id),
      constraint directories_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id),
      constraint directories_previous_secret_check
        check ((previous_secret_hash is null) = (previous_secret_expires_at is null))
    )`.execute(db)

  const owner = sql`
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      directory_id uuid not null`
  const ofDirectory = (table: string) => sql`
      constraint ${sql.ref(`${table}_directory_fkey`)}
        foreign key (account_id, environment, organization_id, directory_id)
        references directories (account_id, environment, organization_id, id) on delete cascade`

  // Only one key or index of users, groups and members begins with the tenant. With two, a planner that expects one row
  // per tenant may take either and read all of the tenant: adding 10,000 users to a group, whose foreign keys are
  // checked one by one, took half a minute.

  // A user created or taken over by the directory, with the SCIM attributes beyond the user's record.
  await sql`
    create table directory_users (
      ${owner},
      user_id uuid not null,
      external_id text,
      user_name text not null,
      user_name_normalized text not null,
      attributes jsonb not null,
      inserted_at timestamptz(3) not null,
      constraint directory_users_pkey primary key (account_id, organization_id, environment, user_id),
      constraint directory_users_user_name_key
        unique (directory_id, account_id, environment, organization_id, user_name_normalized),
      constraint directory_users_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade,
      ${ofDirectory('directory_users')}
    )`.execute(db)
  await sql`
    create unique index directory_users_external_id_key on directory_users
      (directory_id, account_id, environment, organization_id, external_id) where external_id is not null`.execute(
    db,
  )
  await sql`
    create table directory_groups (
      ${owner},
      id uuid not null,
      external_id text,
      display_name text not null,
      display_name_normalized text not null,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint directory_groups_pkey primary key (account_id, organization_id, environment, id),
      ${ofDirectory('directory_groups')}
    )`.execute(db)
  await sql`
    create unique index directory_groups_external_id_key on directory_groups
      (directory_id, account_id, environment, organization_id, external_id) where external_id is not null`.execute(
    db,
  )
  await sql`
    create index directory_groups_list on directory_groups
      (directory_id, account_id, environment, organization_id, inserted_at, id)`.execute(db)
  await sql`
    create index directory_groups_display_name on directory_groups
      (directory_id, account_id, environment, organization_id, display_name_normalized)`.execute(db)

  // Only users of the directory: membership is in their tokens, and the provider has no authority over others.
  await sql`
    create table directory_group_members (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      group_id uuid not null,
      user_id uuid not null,
      inserted_at timestamptz(3) not null,
      constraint directory_group_members_pkey
        primary key (account_id, organization_id, environment, group_id, user_id),
      constraint directory_group_members_group_fkey
        foreign key (account_id, environment, organization_id, group_id)
        references directory_groups (account_id, environment, organization_id, id) on delete cascade,
      constraint directory_group_members_user_fkey
        foreign key (account_id, environment, organization_id, user_id)
        references directory_users (account_id, environment, organization_id, user_id) on delete cascade
    )`.execute(db)
  await sql`
    create index directory_group_members_user on directory_group_members
      (user_id, account_id, environment, organization_id)`.execute(db)

  // Those of a deleted directory stay until they expire: they may be millions, and are not visible.
  await sql`
    create table scim_requests (
      ${owner},
      id uuid not null,
      method text not null,
      path text not null,
      query text not null,
      request text,
      status integer not null,
      answer text,
      scim_type text,
      changes jsonb not null,
      quirks text[] not null,
      user_id uuid,
      email_normalized text,
      duration_ms integer not null,
      request_id text not null,
      inserted_at timestamptz(3) not null,
      constraint scim_requests_pkey primary key (account_id, organization_id, environment, directory_id, id),
      constraint scim_requests_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create index scim_requests_list on scim_requests
      (account_id, environment, organization_id, directory_id, inserted_at desc, id desc)`.execute(db)
  await sql`
    create index scim_requests_user on scim_requests
      (account_id, environment, organization_id, user_id) where user_id is not null`.execute(db)
  await sql`create index scim_requests_expiry on scim_requests (inserted_at)`.execute(db)

  await sql`alter table events add column errors text[]`.execute(db)
}
