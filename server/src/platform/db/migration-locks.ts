/**
 * This file was generated from the migrations by `npm run generate`.
 * Please do not edit it manually.
 */
import type { ObservedLock } from './table-locks.js'

/** The locks that each migration takes on tables which exist before it. */
export const migrationLocks: Readonly<Record<string, readonly ObservedLock[]>> = {
  "0001-tenants": [
  ],
  "0002-what-happened": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0003-record-counts": [
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0004-users": [
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0005-applications": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0006-sign-in": [
    {"table":"applications","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0007-event-stream": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"events","lock":"SHARE","work":"scans"},
  ],
  "0008-webhooks": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"events","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0009-relays": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"sessions","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0010-passwords": [
    {"table":"applications","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"magic_link_challenges","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0011-totp": [
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"scans"},
    {"table":"pending_sign_ins","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0012-rate-limits": [
  ],
  "0013-hosted-sign-in": [
    {"table":"applications","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"authorization_codes","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"magic_link_challenges","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"password_requests","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"pending_sign_ins","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"relay_requests","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"sessions","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0014-sso-connections": [
    {"table":"applications","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"sessions","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"sign_in_flows","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"user_identities","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0015-sso-requests-and-admins": [
    {"table":"saml_requests","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"sso_admins","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0016-directory-sync": [
    {"table":"events","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0017-oidc-connections": [
    {"table":"sign_in_flows","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"sso_admin_sessions","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"sso_connections","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"sso_onboardings","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"user_identities","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0018-directory-searches": [
    {"table":"directory_users","lock":"SHARE","work":"scans"},
    {"table":"users","lock":"SHARE","work":"scans"},
  ],
  "0019-config-applies": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0020-large-organizations": [
    {"table":"directory_groups","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"directory_users","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"scim_requests","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_login_traces","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"users","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0021-statistics": [
    {"table":"api_keys","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"applications","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"authorization_codes","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"config_applies","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"config_apply_steps","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"config_numbers","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"directories","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"directory_group_members","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"directory_groups","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"directory_users","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"event_horizons","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"events","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"idempotency_keys","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"jobs","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"log_events","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"magic_link_challenges","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"magic_link_connections","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"meta_keys","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"oidc_requests","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"organizations","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"outbox_messages","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"password_connections","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"password_peppers","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"password_requests","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"passwords","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"pending_sign_ins","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"record_counts","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"refresh_token_families","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"relay_requests","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"relays","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"saml_arrivals","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"saml_requests","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"saml_seen_assertions","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"scim_requests","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sessions","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sign_in_flows","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"signing_keys","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_admin_links","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_admin_sessions","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_admins","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_challenges","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_connections","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_default_redirections","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_keys","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_login_traces","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_metadata_versions","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_oidc_clients","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"sso_onboardings","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"totp_challenges","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"totp_connections","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"totp_enrollments","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"user_identities","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"user_metadata","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"users","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"webhook_attempts","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"webhook_deliveries","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
    {"table":"webhooks","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
  ],
  "0022-event-positions": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"event_sequencer","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"events","lock":"SHARE ROW EXCLUSIVE","work":"scans"},
  ],
  "0023-returned-jobs": [
    {"table":"jobs","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0024-next-signing-keys": [
    {"table":"jobs","lock":"ROW EXCLUSIVE","work":"none"},
    {"table":"signing_keys","lock":"SHARE","work":"scans"},
  ],
  "0025-client-authentication": [
    {"table":"applications","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0026-ended-families": [
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0027-back-channel-logout": [
    {"table":"applications","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"jobs","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"sessions","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0028-authorization-requests": [
    {"table":"authorization_codes","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"refresh_token_families","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"sign_in_flows","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0029-account-issuer": [
    {"table":"authorization_codes","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"jobs","lock":"ROW EXCLUSIVE","work":"none"},
    {"table":"refresh_token_families","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"sign_in_flows","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0030-front-door": [
    {"table":"accounts","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"applications","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"sign_in_flows","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0031-impersonations": [
    {"table":"applications","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"organizations","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"sessions","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0032-discoveries": [
    {"table":"applications","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"log_events","lock":"SHARE","work":"scans"},
  ],
  "0033-account-sign-in": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"applications","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"sessions","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"sign_in_flows","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"sso_connections","lock":"SHARE","work":"scans"},
    {"table":"users","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0034-domains": [
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"sso_connections","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0035-roles": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"applications","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0036-attribute-mapping": [
    {"table":"directories","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"sso_connections","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0037-membership": [
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"role_assignments","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"sign_in_flows","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0038-role-mapping": [
    {"table":"directories","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"directory_users","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"role_assignments","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"roles","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"sso_connections","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"users","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0039-joining": [
    {"table":"discoveries","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"organization_policies","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"role_assignments","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"sign_in_flows","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"users","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0040-session-lifetimes": [
    {"table":"organization_policies","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"sessions","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0041-second-factor-policy": [
    {"table":"organization_policies","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0042-filtered-lists": [
    {"table":"users","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0044-staff": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0045-audit": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0047-figures": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0048-found-by-id": [
    {"table":"api_keys","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0049-passkeys": [
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"sessions","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"sign_in_flows","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0050-social": [
    {"table":"accounts","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"organizations","lock":"SHARE ROW EXCLUSIVE","work":"none"},
    {"table":"sign_in_flows","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0051-own-account": [
    {"table":"organization_policies","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0052-email-changes": [
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0053-deletion-requests": [
    {"table":"organization_policies","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0054-social-linking": [
    {"table":"social_providers","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"social_requests","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0055-own-page-passkeys": [
    {"table":"applications","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0056-passkey-requirement": [
    {"table":"passkey_connections","lock":"ACCESS EXCLUSIVE","work":"scans"},
  ],
  "0058-replica-identity": [
    {"table":"record_counts","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0059-assignable-roles": [
    {"table":"roles","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0060-passkey-recovery": [
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0061-account-passkeys": [
    {"table":"account_flows","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0062-proofs-of-a-flow": [
    {"table":"social_arrivals","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"user_identities","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0064-names-of-cells": [
    {"table":"slugs","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0065-passkey-recovery-codes": [
    {"table":"sign_in_flows","lock":"ACCESS EXCLUSIVE","work":"none"},
    {"table":"users","lock":"SHARE ROW EXCLUSIVE","work":"none"},
  ],
  "0066-passkey-prompt": [
    {"table":"passkey_connections","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"sign_in_flows","lock":"ACCESS EXCLUSIVE","work":"scans"},
    {"table":"users","lock":"ACCESS EXCLUSIVE","work":"none"},
  ],
  "0067-sessions-of-a-user": [
    {"table":"sessions","lock":"SHARE UPDATE EXCLUSIVE","work":"none"},
  ],
  "0068-first-factor-passkeys": [
    {"table":"passkey_connections","lock":"SHARE","work":"scans"},
  ],
}
