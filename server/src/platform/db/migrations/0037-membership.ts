import { sql, type Kysely } from 'kysely'

/**
 * What organizations demand of their members, and the addresses that they invite. An organization without a policy demands nothing:
 * its policy is that of the defaults.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createPolicies(db)
  await createInvitations(db)
  await sql`
    alter table sign_in_flows
      -- The invitation whose page has begun the flow.
      add column invitation_id uuid,
      -- Its URL had been mailed, so that the browser has proved the mailbox.
      add column is_invitation_mailed boolean not null default false`.execute(db)
  await sql`
    alter table role_assignments
      drop constraint role_assignments_source_check,
      add constraint role_assignments_source_check check (source in ('api', 'invitation'))`.execute(db)
}

async function createPolicies(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table organization_policies (
      account_id uuid not null,
      environment text not null
        constraint organization_policies_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      seats_limit integer not null
        constraint organization_policies_seats_limit_check check (seats_limit between 0 and 1000000),
      version integer not null,
      updated_at timestamptz(3) not null,
      constraint organization_policies_pkey primary key (account_id, organization_id, environment),
      constraint organization_policies_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
}

async function createInvitations(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table invitations (
      account_id uuid not null,
      environment text not null
        constraint invitations_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      id uuid not null,
      email text not null,
      email_normalized text not null,
      state text not null constraint invitations_state_check check (
        state in ('pending', 'accepted', 'revoked', 'expired')
      ),
      -- Of the newest URL; null until the mail is sent.
      token_hash bytea,
      -- The API has returned the URL: whoever has it has not proved the mailbox.
      is_url_returned boolean not null,
      -- Read when the invitation is accepted: those that are gone by then are not given.
      role_ids uuid[] not null,
      -- Not erased with the application: another one takes its place.
      chosen_application_id uuid,
      redirect_uri text,
      locale text,
      profile jsonb not null,
      metadata jsonb not null,
      message text,
      inviter_type text not null,
      inviter_id text not null,
      expires_at timestamptz(3) not null,
      last_sent_at timestamptz(3),
      sends integer not null,
      accepted_at timestamptz(3),
      user_id uuid,
      -- When it was accepted, revoked or expired.
      ended_at timestamptz(3),
      version integer not null,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint invitations_pkey primary key (account_id, organization_id, environment, id),
      constraint invitations_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id),
      constraint invitations_ended_check check ((state = 'pending') = (ended_at is null)),
      constraint invitations_accepted_check check (state <> 'accepted' or (accepted_at is not null and user_id is not null))
    )`.execute(db)
  // Few of them: a planner looks at each whenever a user is created.
  await sql`
    create unique index invitations_pending_key on invitations
      (account_id, organization_id, environment, email_normalized) where state = 'pending'`.execute(db)
  await sql`create unique index invitations_token_key on invitations (token_hash)`.execute(db)
  await sql`
    create index invitations_address on invitations (account_id, environment, email_normalized)`.execute(db)
  await sql`create index invitations_ends on invitations (ended_at, expires_at)`.execute(db)
}
