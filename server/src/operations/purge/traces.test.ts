import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { listTables, type Table } from '../../platform/db/tables.js'
import { startQueue } from '../../delivery/jobs/run.given.js'
import { dependentTablesOf, type DependentTable } from './belongings.js'
import { exportedColumns } from './export-user.js'
import { nonPersonalTables, personalTablesIn } from './traces.js'

let tables: readonly Table[]
let belongings: readonly DependentTable[]

beforeAll(async () => {
  const { db } = await startQueue()
  tables = await listTables(db)
  const owners = ['users', ...personalTablesIn(tables).map(({ table }) => table.name)]
  belongings = await dependentTablesOf(db, tables, owners)
}, 60_000)

test('every table tells of persons by its columns, or by what it belongs to, or is said to tell of nobody', () => {
  const traced = personalTablesIn(tables).map(({ table }) => table.name)
  const belonging = belongings.map(({ table }) => table.name)
  const known = ['users', ...traced, ...belonging, ...nonPersonalTables]
  expect(known.toSorted(), 'nonPersonalTables in traces.ts').toEqual(
    tables.map(({ name }) => name).toSorted(),
  )
})

test('a table that carries an address tells when, so that it can be told whose it was', () => {
  const carrying = personalTablesIn(tables).filter(({ table }) => table.columns.includes('email_normalized'))
  for (const { table, writtenAt } of carrying) expect([table.name, writtenAt]).not.toContain(undefined)
})

// Every new column must be considered here once: personal data is exported, secrets are not.
test('these columns are exported, beside the user', () => {
  const exported = [...personalTablesIn(tables), ...belongings].map(({ table }) => [
    table.name,
    exportedColumns(table).join(' '),
  ])
  expect(Object.fromEntries(exported)).toEqual({
    account_flows:
      'environment id application_id request step round email email_session_id link_code_expires_at link_code_failures ' +
      'expires_at used_at inserted_at passkey_attempt',
    audit_entries:
      'environment id domain staff_user_id action outcome reason record_type record_id subject_id email request_id ' +
      'inserted_at',
    authorization_codes:
      'environment organization_id id session_id user_id application_id redirect_uri code_challenge nonce state scope expires_at used_at amr authenticated_at claims issuer',
    directory_group_members: 'environment organization_id group_id user_id inserted_at',
    directory_users:
      'environment organization_id directory_id user_id external_id user_name user_name_normalized attributes inserted_at role_keys',
    discoveries:
      'environment id application_id step email redirect_uri request proved_at expires_at inserted_at is_link_returned',
    deletion_requests: 'environment organization_id user_id expires_at inserted_at',
    domain_exemptions: 'environment organization_id domain_id email inserted_at',
    email_changes:
      'environment organization_id id user_id session_id old_email email old_proof code_expires_at code_failures ' +
      'confirmed_at reverted_at expires_at inserted_at',
    email_challenges: 'environment id flow_id application_id email expires_at used_at voided_at inserted_at',
    email_sessions: 'environment id email proved_at last_used_at expires_at ended_at inserted_at',
    events:
      'environment id organization_id domain code data params actor_type actor_id request_id subject_id issued_at errors',
    idempotency_keys: 'environment api_key_id organization_id subject_id expires_at',
    impersonations:
      'environment organization_id id user_id application_id actor_id actor_email reason duration_in_seconds ' +
      'notify_user expires_at started_at ended_at inserted_at',
    invitations:
      'environment organization_id id email state is_url_returned role_ids chosen_application_id redirect_uri locale profile metadata message inviter_type inviter_id expires_at last_sent_at sends accepted_at user_id ended_at version inserted_at updated_at',
    join_requests:
      'environment organization_id id email locale state decider_type decider_id user_id expires_at ended_at version inserted_at updated_at',
    log_events:
      'id environment organization_id domain event_code client_id email resource_owner_id saml_identity_provider_id ' +
      'reason request_id inserted_at',
    magic_link_challenges:
      'environment organization_id id application_id email redirect_uri find_or_create_user is_link_returned state ' +
      'nonce code_challenge scope expires_at used_at voided_at inserted_at flow_id',
    oidc_requests:
      'environment organization_id connection_id flow_id admin_session_id client_version nonce expires_at inserted_at',
    outbox_messages: 'environment id organization_id domain channel recipient subject text html inserted_at',
    password_requests:
      'environment organization_id id user_id application_id redirect_uri opened_at state nonce code_challenge scope ' +
      'expires_at used_at inserted_at flow_id',
    passkey_ceremonies:
      'environment organization_id id purpose user_id application_id pending_sign_in_id redirect_uri state nonce ' +
      'code_challenge scope expires_at inserted_at',
    passkey_recoveries: 'environment organization_id user_id reason expires_at inserted_at',
    passkey_recovery_codes: 'environment organization_id user_id failures locked_until inserted_at',
    passkeys:
      'environment organization_id id user_id name rp_id credential_id aaguid transports synced backed_up sign_count ' +
      'last_used_at disabled_at version inserted_at updated_at',
    passwords: 'environment organization_id user_id id set_at inserted_at',
    pending_sign_ins:
      'environment organization_id id user_id application_id redirect_uri amr authenticated_at is_renewal_due ' +
      'state nonce code_challenge scope expires_at used_at inserted_at flow_id',
    refresh_token_families:
      'environment organization_id id session_id user_id application_id code_id scope amr authenticated_at rotated_at ' +
      'expires_at ended_at inserted_at claims issuer',
    relay_requests:
      'environment organization_id id relay_id user_id session_id expires_at used_at inserted_at scope',
    role_assignments: 'environment organization_id user_id role_id source source_id inserted_at',
    saml_arrivals:
      'environment organization_id connection_id trace_id metadata_version expires_at inserted_at',
    saml_requests:
      'environment organization_id connection_id id flow_id admin_session_id metadata_version expires_at inserted_at previous_id previous_expires_at',
    scim_requests:
      'environment organization_id directory_id id method path query request status answer scim_type changes quirks ' +
      'user_id duration_ms request_id inserted_at',
    session_clients:
      'environment organization_id session_id application_id issuer first_used_at last_used_at',
    sessions:
      'environment organization_id id user_id application_id amr authenticated_at expires_at ended_at act ' +
      'user_agent last_used_at browser_used_at offline_until identity_id impersonation_id email_session_id begun_at ' +
      'passkey_attempt',
    sign_in_flows:
      'environment organization_id id application_id redirect_uri state nonce code_challenge scope is_mfa_required ' +
      'locale preferred_way step email user_id amr authenticated_at session_id pending_sign_in_id enrollment_id is_renewal_due ' +
      'link_code_expires_at link_code_failures expires_at used_at inserted_at connection_id identity_id is_sign_in_forced ' +
      'claims is_consent_asked response_mode issuer is_idp_initiated account_flow_id invitation_id is_invitation_mailed ' +
      'passkey_attempt social_provider_id is_passkey_capable',
    social_arrivals:
      'environment organization_id flow_id provider_id email code_expires_at code_failures user_id expires_at inserted_at is_mailbox_proved',
    social_requests:
      'environment organization_id provider_id flow_id nonce expires_at inserted_at session_id',
    sso_challenges:
      'environment organization_id connection_id id application_id redirect_uri state nonce code_challenge scope email ' +
      'expires_at used_at inserted_at',
    sso_login_traces:
      'environment organization_id connection_id id kind outcome checks failed_check name_id email attributes user_id ' +
      'request_id inserted_at',
    totp_challenges:
      'environment organization_id id user_id method pending_sign_in_id expires_at challenged_at voided_at inserted_at',
    totp_enrollments:
      'environment organization_id user_id method enrolled_at validated_at enrollment_nb last_step failures locked_until ' +
      'pending_id pending_method pending_phone_number pending_failures pending_at pending_expires_at inserted_at',
    user_identities:
      'environment organization_id user_id id kind issuer subject authenticated_at inserted_at provider data idp_id has_created_user',
    webhook_attempts:
      'environment delivery_id webhook_id number outcome status answer duration_ms started_at',
    webhook_deliveries:
      'environment id webhook_id event_code state run_at attempt attempts_before inserted_at',
    user_metadata: 'environment organization_id user_id meta_key_id id value',
  })
})

test('the guide to privacy has each of these tables', async () => {
  const guide = await readFile(new URL('../../../../docs/guides/privacy.md', import.meta.url), 'utf8')
  const told = [...guide.matchAll(/^\|[^|]*\| `(\w+)` +\|/gm)].map(([, name]) => name)
  const traced = personalTablesIn(tables).map(({ table }) => table.name)
  expect(told).toEqual(expect.arrayContaining(['users', ...traced]))
})
