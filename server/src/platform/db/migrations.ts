/**
 * This file was generated from the migrations by `npm run generate`.
 * Please do not edit it manually.
 */
import * as m0001 from './migrations/0001-tenants.js'
import * as m0002 from './migrations/0002-what-happened.js'
import * as m0003 from './migrations/0003-record-counts.js'
import * as m0004 from './migrations/0004-users.js'
import * as m0005 from './migrations/0005-applications.js'
import * as m0006 from './migrations/0006-sign-in.js'
import * as m0007 from './migrations/0007-event-stream.js'
import * as m0008 from './migrations/0008-webhooks.js'
import * as m0009 from './migrations/0009-relays.js'
import * as m0010 from './migrations/0010-passwords.js'
import * as m0011 from './migrations/0011-totp.js'
import * as m0012 from './migrations/0012-rate-limits.js'
import * as m0013 from './migrations/0013-hosted-sign-in.js'
import * as m0014 from './migrations/0014-sso-connections.js'
import * as m0015 from './migrations/0015-sso-requests-and-admins.js'
import * as m0016 from './migrations/0016-directory-sync.js'
import * as m0017 from './migrations/0017-oidc-connections.js'
import * as m0018 from './migrations/0018-directory-searches.js'
import * as m0019 from './migrations/0019-config-applies.js'
import * as m0020 from './migrations/0020-large-organizations.js'
import * as m0021 from './migrations/0021-statistics.js'
import * as m0022 from './migrations/0022-event-positions.js'
import * as m0023 from './migrations/0023-returned-jobs.js'
import * as m0024 from './migrations/0024-next-signing-keys.js'
import * as m0025 from './migrations/0025-client-authentication.js'
import * as m0026 from './migrations/0026-ended-families.js'
import * as m0027 from './migrations/0027-back-channel-logout.js'
import * as m0028 from './migrations/0028-authorization-requests.js'
import * as m0029 from './migrations/0029-account-issuer.js'
import * as m0030 from './migrations/0030-front-door.js'
import * as m0031 from './migrations/0031-impersonations.js'
import * as m0032 from './migrations/0032-discoveries.js'
import * as m0033 from './migrations/0033-account-sign-in.js'
import * as m0034 from './migrations/0034-domains.js'
import * as m0035 from './migrations/0035-roles.js'
import * as m0036 from './migrations/0036-attribute-mapping.js'
import * as m0037 from './migrations/0037-membership.js'
import * as m0038 from './migrations/0038-role-mapping.js'
import * as m0039 from './migrations/0039-joining.js'
import * as m0040 from './migrations/0040-session-lifetimes.js'
import * as m0041 from './migrations/0041-second-factor-policy.js'
import * as m0042 from './migrations/0042-filtered-lists.js'
import * as m0044 from './migrations/0044-staff.js'
import * as m0045 from './migrations/0045-audit.js'
import * as m0047 from './migrations/0047-figures.js'
import * as m0048 from './migrations/0048-found-by-id.js'
import * as m0049 from './migrations/0049-passkeys.js'
import * as m0050 from './migrations/0050-social.js'
import * as m0051 from './migrations/0051-own-account.js'
import * as m0052 from './migrations/0052-email-changes.js'
import * as m0053 from './migrations/0053-deletion-requests.js'
import * as m0054 from './migrations/0054-social-linking.js'
import * as m0055 from './migrations/0055-own-page-passkeys.js'
import * as m0056 from './migrations/0056-passkey-requirement.js'
import * as m0058 from './migrations/0058-replica-identity.js'
import * as m0059 from './migrations/0059-assignable-roles.js'
import * as m0060 from './migrations/0060-passkey-recovery.js'
import * as m0061 from './migrations/0061-account-passkeys.js'
import * as m0062 from './migrations/0062-proofs-of-a-flow.js'
import * as m0064 from './migrations/0064-names-of-cells.js'
import * as m0065 from './migrations/0065-passkey-recovery-codes.js'
import * as m0066 from './migrations/0066-passkey-prompt.js'
import * as m0067 from './migrations/0067-sessions-of-a-user.js'
import * as m0068 from './migrations/0068-first-factor-passkeys.js'
import type { SchemaMigration } from './schema-migration.js'

/** Every migration by name, in the order in which they are applied. */
export const migrations: Readonly<Record<string, SchemaMigration>> = {
  '0001-tenants': m0001,
  '0002-what-happened': m0002,
  '0003-record-counts': m0003,
  '0004-users': m0004,
  '0005-applications': m0005,
  '0006-sign-in': m0006,
  '0007-event-stream': m0007,
  '0008-webhooks': m0008,
  '0009-relays': m0009,
  '0010-passwords': m0010,
  '0011-totp': m0011,
  '0012-rate-limits': m0012,
  '0013-hosted-sign-in': m0013,
  '0014-sso-connections': m0014,
  '0015-sso-requests-and-admins': m0015,
  '0016-directory-sync': m0016,
  '0017-oidc-connections': m0017,
  '0018-directory-searches': m0018,
  '0019-config-applies': m0019,
  '0020-large-organizations': m0020,
  '0021-statistics': m0021,
  '0022-event-positions': m0022,
  '0023-returned-jobs': m0023,
  '0024-next-signing-keys': m0024,
  '0025-client-authentication': m0025,
  '0026-ended-families': m0026,
  '0027-back-channel-logout': m0027,
  '0028-authorization-requests': m0028,
  '0029-account-issuer': m0029,
  '0030-front-door': m0030,
  '0031-impersonations': m0031,
  '0032-discoveries': m0032,
  '0033-account-sign-in': m0033,
  '0034-domains': m0034,
  '0035-roles': m0035,
  '0036-attribute-mapping': m0036,
  '0037-membership': m0037,
  '0038-role-mapping': m0038,
  '0039-joining': m0039,
  '0040-session-lifetimes': m0040,
  '0041-second-factor-policy': m0041,
  '0042-filtered-lists': m0042,
  '0044-staff': m0044,
  '0045-audit': m0045,
  '0047-figures': m0047,
  '0048-found-by-id': m0048,
  '0049-passkeys': m0049,
  '0050-social': m0050,
  '0051-own-account': m0051,
  '0052-email-changes': m0052,
  '0053-deletion-requests': m0053,
  '0054-social-linking': m0054,
  '0055-own-page-passkeys': m0055,
  '0056-passkey-requirement': m0056,
  '0058-replica-identity': m0058,
  '0059-assignable-roles': m0059,
  '0060-passkey-recovery': m0060,
  '0061-account-passkeys': m0061,
  '0062-proofs-of-a-flow': m0062,
  '0064-names-of-cells': m0064,
  '0065-passkey-recovery-codes': m0065,
  '0066-passkey-prompt': m0066,
  '0067-sessions-of-a-user': m0067,
  '0068-first-factor-passkeys': m0068,
}
