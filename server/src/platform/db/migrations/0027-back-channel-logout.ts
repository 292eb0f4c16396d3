import { sql, type Kysely } from 'kysely'

/**
 * Back-channel logout (OpenID Connect Back-Channel Logout 1.0): where an application is told of the end of sessions, which
 * applications have had tokens of a session, and lanes of jobs, so that a slow receiver delays only its own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table applications
      add column backchannel_logout_uri text,
      add column backchannel_logout_session_required boolean not null default true`.execute(db)
  await createSessionClients(db)
  // The index jobs_due stays for processes of the release before, which know no lanes.
  await sql`alter table jobs add column lane uuid`.execute(db)
  await sql`create index jobs_due_without_lane on jobs (run_at, id) where lane is null`.execute(db)
  await sql`create index jobs_due_in_lane on jobs (lane, run_at, id) where lane is not null`.execute(db)
}

async function createSessionClients(db: Kysely<unknown>): Promise<void> {
  // The issuer without the base URL, which an operator can change.
  await sql`
    create table session_clients (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      session_id uuid not null,
      application_id uuid not null,
      issuer text not null,
      first_used_at timestamptz(3) not null,
      last_used_at timestamptz(3) not null
    )`.execute(db)
  await copyKnownClients(db)
  await addConstraints(db)
  await sql`
    alter table session_clients
      alter account_id set (n_distinct = 1), alter environment set (n_distinct = 1),
      alter organization_id set (n_distinct = 1)`.execute(db)
}

/** Copies what is known of sessions that have begun before: from refresh tokens, and codes of the last day. */
async function copyKnownClients(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into session_clients (
      account_id, environment, organization_id, session_id, application_id, issuer, first_used_at, last_used_at
    )
    select used.account_id, used.environment, used.organization_id, used.session_id, used.application_id,
      '/t/' || organizations.domain, min(used.at), max(used.at)
    from (
      select account_id, environment, organization_id, session_id, application_id, inserted_at as at
      from refresh_token_families where ended_at is null
      union all
      select account_id, environment, organization_id, session_id, application_id, used_at
      from authorization_codes where used_at is not null
    ) used
    join organizations on organizations.account_id = used.account_id and organizations.id = used.organization_id
    join sessions on sessions.account_id = used.account_id and sessions.environment = used.environment
      and sessions.organization_id = used.organization_id and sessions.id = used.session_id
      and sessions.ended_at is null
    group by used.account_id, used.environment, used.organization_id, used.session_id, used.application_id,
      organizations.domain`.execute(db)
}

/** Adds the keys after the rows; rows whose session or application was deleted meanwhile are removed first. */
async function addConstraints(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table session_clients
      add constraint session_clients_pkey
        primary key (account_id, organization_id, environment, session_id, application_id),
      add constraint session_clients_session_fkey
        foreign key (account_id, environment, organization_id, session_id)
        references sessions (account_id, environment, organization_id, id) on delete cascade not valid,
      add constraint session_clients_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id) not valid`.execute(db)
  await sql`
    create index session_clients_application on session_clients (account_id, environment, application_id)`.execute(
    db,
  )
  await sql`
    delete from session_clients as client
    where not exists (
      select from sessions
      where sessions.account_id = client.account_id and sessions.environment = client.environment
        and sessions.organization_id = client.organization_id and sessions.id = client.session_id
    ) or not exists (
      select from applications
      where applications.account_id = client.account_id and applications.environment = client.environment
        and applications.id = client.application_id
    )`.execute(db)
  await sql`
    alter table session_clients
      validate constraint session_clients_session_fkey,
      validate constraint session_clients_application_fkey`.execute(db)
}
