import type pg from 'pg'

/** What takes each migration back, for databases as of a release before. The columns of a table that an earlier one made go with it. */
const takenBack: Readonly<Record<string, string>> = {
  '0034-domains':
    'drop table domain_exemptions, domains; alter table sso_connections drop column other_domains',
  '0035-roles': `drop table role_assignments, role_permissions, roles, permissions;
    alter table applications drop column permission_prefixes`,
  '0036-attribute-mapping': `alter table sso_connections drop column attribute_mapping;
    alter table directories drop column extension_schemas, drop column attribute_mapping, drop column mapping_revision,
      drop column mapping_done, drop column mapping_total, drop column mapping_position`,
  '0037-membership': `drop table invitations, organization_policies;
    alter table sign_in_flows drop column invitation_id, drop column is_invitation_mailed`,
  '0038-role-mapping': `drop table role_mapping_rules;
    alter table directories drop column role_mapping_mode;
    alter table sso_connections drop column role_mapping_mode;
    alter table directory_users drop column role_keys;
    alter table users drop column roles_identity_id`,
  '0039-joining': `drop table join_requests;
    alter table discoveries drop column is_link_returned;
    alter table users drop column roles_connection_id`,
  '0040-session-lifetimes': 'alter table sessions drop column begun_at',
  '0041-second-factor-policy': '',
  '0042-filtered-lists': 'drop index applications_account, applications_updated',
  '0044-staff': 'drop table console_starts, staff_organizations',
  '0045-audit': 'drop table audit_entries',
  '0047-figures':
    'drop table log_event_counts; drop index webhook_deliveries_undelivered, scim_requests_refused',
  '0048-found-by-id': 'drop index users_id, sso_login_traces_request',
  '0049-passkeys': `drop table passkeys, passkey_connections;
    alter table sign_in_flows drop column passkey_attempt;
    alter table sessions drop column passkey_attempt`,
  '0050-social': `drop table social_arrivals, social_requests, social_connections, social_providers;
    alter table sign_in_flows drop column social_provider_id`,
  '0051-own-account': '',
  '0052-email-changes': 'drop table email_changes',
  '0053-deletion-requests': 'drop table deletion_requests',
  '0054-social-linking': '',
  '0056-passkey-requirement': '',
  '0055-own-page-passkeys':
    'drop table passkey_ceremonies; alter table applications drop column passkey_rp_id',
  '0058-replica-identity': '',
  '0059-assignable-roles': '',
  '0060-passkey-recovery': 'drop table passkey_recoveries',
  '0061-account-passkeys': 'alter table account_flows drop column passkey_attempt',
  '0062-proofs-of-a-flow': 'alter table user_identities drop column has_created_user',
  '0064-names-of-cells': 'alter table slugs drop column cell',
  '0067-sessions-of-a-user': '',
  '0068-first-factor-passkeys': 'drop index passkey_connections_first_factor',
  '0066-passkey-prompt': `alter table sign_in_flows drop column is_passkey_capable;
    alter table users drop column passkey_offer_declined_at`,
  '0065-passkey-recovery-codes':
    'drop table passkey_recovery_codes; alter table sign_in_flows drop column is_recovery_code_used',
}

/**
 * Takes back what a migration and those after it made, newest first, so that they run on the rows that are there.
 *
 * @throws Error for a migration that is not in the table above.
 */
export async function takeBackFrom(client: Pick<pg.Client, 'query'>, from: '0034-domains'): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'delete from kysely_migration where name >= $1 returning name',
    [from],
  )
  for (const { name } of rows.toSorted((one, other) => (one.name < other.name ? 1 : -1))) {
    const statements = takenBack[name]
    if (statements === undefined) throw new Error(`say in taken-back.ts what takes ${name} back`)
    if (statements !== '') await client.query(statements)
  }
}
