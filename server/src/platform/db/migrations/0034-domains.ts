import { sql, type Kysely } from 'kysely'
import { publicMailDomains } from '../../public-mail-domains.js'

/**
 * The e-mail domains of organizations, which connections, directories and relays are authoritative for. What an organization or a
 * connection has named becomes a declared domain; a connection that was trusted with every address, and is used, stays so.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createDomains(db)
  await createExemptions(db)
  await sql`
    alter table sso_connections
      add column other_domains text,
      add constraint sso_connections_other_domains_check
        check (other_domains in ('refuse', 'create', 'any_address'))`.execute(db)
  await declareNamed(db)
  await keepTrusted(db)
}

async function createDomains(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table domains (
      account_id uuid not null,
      environment text not null
        constraint domains_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      id uuid not null,
      domain text not null,
      -- Public: it stands in the DNS.
      token text not null,
      state text not null constraint domains_state_check check (
        state in ('pending', 'verified', 'lapsing', 'lapsed', 'expired', 'declared')
      ),
      declared boolean not null,
      include_subdomains boolean not null,
      sso_required boolean not null,
      verified_at timestamptz(3),
      checked_at timestamptz(3),
      last_result text constraint domains_last_result_check check (
        last_result in ('matched', 'not_matched', 'no_record', 'no_answer')
      ),
      -- Of a pending domain: how many checks the worker has made.
      checks integer not null default 0,
      -- Of a proved one: definite answers without the record, each a day after the one before.
      negatives integer not null default 0,
      negative_at timestamptz(3),
      expires_at timestamptz(3),
      next_check_at timestamptz(3),
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint domains_pkey primary key (account_id, organization_id, environment, id),
      constraint domains_domain_key unique (account_id, organization_id, environment, domain),
      constraint domains_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
  await sql`
    create index domains_sso_required on domains (account_id, organization_id, environment) where sso_required`.execute(
    db,
  )
  await sql`create index domains_shared on domains (account_id, environment, domain)`.execute(db)
  await sql`create index domains_due on domains (next_check_at) where next_check_at is not null`.execute(db)
}

async function createExemptions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table domain_exemptions (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      domain_id uuid not null,
      email text not null,
      email_normalized text not null,
      inserted_at timestamptz(3) not null,
      constraint domain_exemptions_pkey
        primary key (account_id, organization_id, environment, domain_id, email_normalized),
      constraint domain_exemptions_domain_fkey foreign key (account_id, organization_id, environment, domain_id)
        references domains (account_id, organization_id, environment, id) on delete cascade
    )`.execute(db)
  await sql`
    create index domain_exemptions_email on domain_exemptions
      (account_id, organization_id, environment, email_normalized)`.execute(db)
}

/** Public mail domains apart, which nobody can prove. */
async function declareNamed(db: Kysely<unknown>): Promise<void> {
  // 32 letters of 5 bits, of a digest of random ids.
  const token = sql`(
    select string_agg(substr('abcdefghijklmnopqrstuvwxyz234567', get_byte(random.bytes, place) % 32 + 1, 1), '')
    from (
      select sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text || named.domain, 'UTF8')) as bytes
    ) as random, generate_series(0, 31) as place
  )`
  await sql`
    insert into domains (account_id, environment, organization_id, id, domain, token, state, declared,
      include_subdomains, sso_required, inserted_at, updated_at)
    select named.account_id, named.environment, named.organization_id, gen_random_uuid(), named.domain, ${token},
      'declared', true, false, false, named.inserted_at, named.inserted_at
    from (
      select organizations.account_id, connection.environment, organizations.id as organization_id,
        unnest(connection.email_domains) as domain, organizations.inserted_at
      from sso_connections as connection
      join organizations on organizations.account_id = connection.account_id
        and organizations.id = connection.organization_id and organizations.deleted_at is null
      union
      select organizations.account_id, sides.environment, organizations.id,
        unnest(organizations.allowed_email_domains), organizations.inserted_at
      from organizations cross join (values ('sandbox'), ('production')) as sides (environment)
      where organizations.deleted_at is null
    ) as named
    where named.domain <> all(${[...publicMailDomains]}::text[])`.execute(db)
}

/** The only connection of an organization without any domain was trusted with every address: its users go on. */
async function keepTrusted(db: Kysely<unknown>): Promise<void> {
  await sql`
    update sso_connections as connection
    set other_domains = 'any_address', version = connection.version + 1
    from organizations
    where organizations.account_id = connection.account_id
      and organizations.id = connection.organization_id
      and cardinality(connection.email_domains) = 0
      and coalesce(cardinality(organizations.allowed_email_domains), 0) = 0
      and not exists (
        select from sso_connections as other
        where other.account_id = connection.account_id
          and other.environment = connection.environment
          and other.organization_id = connection.organization_id
          and other.id <> connection.id
      )
      and exists (
        select from user_identities as identity
        where identity.account_id = connection.account_id
          and identity.environment = connection.environment
          and identity.organization_id = connection.organization_id
          and identity.idp_id = connection.idp_id
      )`.execute(db)
}
