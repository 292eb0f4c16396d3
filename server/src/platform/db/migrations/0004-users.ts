import { sql, type Kysely } from 'kysely'
import { countRecords } from './0003-record-counts.js'

/** Users, and the metadata that an organization declares for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Here and in other keys the organization comes before the environment: references to an organization and its erasure
  // cover both environments at once.
  await sql`
    create table users (
      account_id uuid not null,
      environment text not null constraint users_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      id uuid not null,
      active boolean not null,
      email text not null,
      email_normalized text not null,
      email_verified boolean not null default false,
      phone_number_verified boolean not null default false,
      phone_numbers jsonb not null,
      profile jsonb not null,
      address jsonb not null,
      avatar_hexa_color text not null,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3),
      constraint users_pkey primary key (account_id, organization_id, environment, id),
      constraint users_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    ) with (autovacuum_vacuum_scale_factor = 0.02)`.execute(db)
  await sql`
    create unique index users_email_key on users (account_id, environment, organization_id, email_normalized)
    where deleted_at is null`.execute(db)
  await sql`
    create index users_list on users (account_id, environment, organization_id, inserted_at desc, id desc)
    where deleted_at is null`.execute(db)
  // Earlier addresses of users, for the erasure and the export of a person.
  await sql`
    create index users_email_deleted on users (account_id, environment, organization_id, email_normalized)
    where deleted_at is not null`.execute(db)
  await sql`create index users_deleted on users (deleted_at, id) where deleted_at is not null`.execute(db)
  await countRecords(db, 'users', { environment: 'environment', organizationId: 'organization_id' })

  await sql`
    create table meta_keys (
      account_id uuid not null,
      organization_id uuid not null,
      id uuid not null,
      name text not null,
      type text not null,
      required boolean not null,
      inserted_at timestamptz(3) not null,
      constraint meta_keys_pkey primary key (account_id, organization_id, id),
      constraint meta_keys_name_key unique (account_id, organization_id, name),
      constraint meta_keys_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)

  await sql`
    create table user_metadata (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      user_id uuid not null,
      meta_key_id uuid not null,
      id uuid not null,
      value text not null,
      constraint user_metadata_pkey primary key (account_id, environment, organization_id, user_id, meta_key_id),
      constraint user_metadata_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade,
      constraint user_metadata_meta_key_fkey foreign key (account_id, organization_id, meta_key_id)
        references meta_keys (account_id, organization_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create index user_metadata_meta_key on user_metadata (account_id, organization_id, meta_key_id)`.execute(
    db,
  )
}
