import type pg from 'pg'
import { takeBackFrom } from '../given/taken-back.js'

// The original statements with which the release before migration 0022 numbers and reads events.

/** Assigns a position to every event, like a reading request of that release. */
export async function numberAsBefore(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ is_any: boolean }>(
      'select exists (select from events where position is null) as is_any',
    )
    if (rows[0]?.is_any !== true) return
    await client.query('begin')
    await numberBatchAsBefore(client, await lockAsBefore(client))
    await client.query('commit')
  }
}

/** The first statement of its transaction. @returns The last position. */
export async function lockAsBefore(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ last_position: string }>(`
    insert into event_sequencer (is_only, last_position) values (true, 0)
    on conflict (is_only) do update set last_position = event_sequencer.last_position
    returning last_position`)
  return rows[0]?.last_position ?? '0'
}

/** The second statement of the transaction. */
export async function numberBatchAsBefore(client: pg.Client, last: string): Promise<void> {
  await client.query(
    `with unnumbered as (
      select account_id, environment, id, row_number() over (order by issued_at, id) as place
      from (
        select account_id, environment, id, issued_at from events
        where position is null order by issued_at, id limit 1000
      ) oldest
    ), numbered as (
      update events set position = $1::bigint + unnumbered.place
      from unnumbered
      where events.account_id = unnumbered.account_id
        and events.environment = unnumbered.environment
        and events.id = unnumbered.id
      returning events.position
    )
    update event_sequencer set last_position = greatest(last_position, (select max(position) from numbered))`,
    [last],
  )
}

export interface PlaceBefore {
  readonly id: string
  readonly position: string
}

/** Events of the sandbox after a position. */
export async function readAsBefore(
  client: pg.Client,
  accountId: string,
  position: string,
): Promise<PlaceBefore[]> {
  await numberAsBefore(client)
  const { rows } = await client.query<PlaceBefore>(
    `select id, position from events
     where account_id = $1 and environment = 'sandbox' and position > $2::bigint order by position limit 7`,
    [accountId, position],
  )
  return rows
}

/** Reverts migration 0022 and later ones, which only add. */
export async function takeBackMigration(client: pg.Client): Promise<void> {
  await takeBackFrom(client, '0034-domains')
  await client.query(`
    drop trigger number_events_for_release_before on event_sequencer;
    drop trigger events_keep_position on events;
    drop trigger events_inserted on events;
    drop trigger events_deleted on events;
    drop function number_events, number_events_for_release_before, events_keep_position, events_inserted,
      events_deleted;
    drop table event_positions, event_sequencers, unnumbered_events;
    alter table jobs drop column returned_at;
    drop index signing_keys_next_key, signing_keys_activated_idx, applications_client;
    alter table sessions drop column impersonation_id;
    alter table organizations drop column impersonation;
    drop table impersonations;
    drop table application_secrets, client_assertions, ended_families, session_clients;
    alter table applications drop column client_authentication, drop column pkce, drop column jwks,
      drop column jwks_uri, drop column backchannel_logout_uri, drop column backchannel_logout_session_required,
      drop column initiate_login_uri;
    alter table jobs drop column lane;
    drop table email_challenges, account_flows, email_sessions, discoveries;
    drop index log_events_account, log_events_email;
    drop index users_email, sso_connections_email_domains;
    alter table sign_in_flows drop column account_flow_id;
    alter table sessions drop column email_session_id;
    alter table users drop column last_signed_in_at, drop column email_proved_at;
    alter table sign_in_flows drop column claims, drop column is_consent_asked, drop column response_mode,
      drop column is_idp_initiated, drop column issuer;
    alter table accounts drop column product_name, drop column brand, drop column version, drop column updated_at;
    alter table authorization_codes drop column claims, drop column issuer;
    alter table refresh_token_families drop column claims, drop column issuer;
    delete from kysely_migration where name >= '0022-event-positions'`)
}
