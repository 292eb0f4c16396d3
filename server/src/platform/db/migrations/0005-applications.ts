import { sql, type Kysely } from 'kysely'
import { countRecords, nil } from './0003-record-counts.js'

/** Applications, of the whole account or restricted to one organization. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table applications (
      account_id uuid not null constraint applications_account_fkey references accounts,
      environment text not null
        constraint applications_environment_check check (environment in ('sandbox', 'production')),
      id uuid not null,
      organization_id uuid,
      name text not null,
      description text,
      application_type text not null,
      allowed_redirect_urls text[] not null,
      allowed_origins_cors text[] not null,
      allowed_logout_urls text[] not null,
      allowed_web_origins text[] not null,
      default_redirect_uri_after_login text,
      default_redirect_uri_after_logout text,
      default_web_origin text,
      default_origin_cors text,
      default_logout_url text,
      access_token_lifetime_in_seconds integer not null,
      token_signing_alg text not null,
      code_exchange text not null,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3),
      constraint applications_pkey primary key (account_id, environment, id),
      constraint applications_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
  await sql`
    create index applications_list on applications
      (account_id, environment, organization_id, inserted_at desc, id desc)
    where deleted_at is null`.execute(db)
  await sql`
    create index applications_organization on applications (account_id, organization_id)
    where organization_id is not null`.execute(db)
  await sql`
    create index applications_deleted on applications (deleted_at, id) where deleted_at is not null`.execute(
    db,
  )
  await countRecords(db, 'applications', {
    environment: 'environment',
    organizationId: `coalesce(organization_id, ${nil})`,
  })
}
