import { sendAdminInvitation } from '../sso/admins/send-invitation.js'
import { enqueueDeletionNotices, sendDeletionNotice } from '../sso/admins/deletion-notice.js'
import { sendDomainNotice, enqueueDomainNotices } from '../sso/admins/domain-notice.js'
import { enqueueJoinRequestNotices, sendJoinRequestNotice } from '../sso/admins/join-request-notice.js'
import { foldRecordCounts } from '../platform/db/fold-record-counts.js'
import { numberAllEvents } from '../delivery/events/number-events.js'
import { makeLogEventMonths } from '../delivery/log-events/months.js'
import { sendDiscoveryLink } from '../protocols/discoveries/send-discovery-link.js'
import { sendEmailLink } from '../sign-in/account-flows/send-email-link.js'
import { sendMagicLink } from '../sign-in/magic-link/send-link.js'
import { sendImpersonationNotice } from '../sign-in/impersonation/notice.js'
import { endOverImpersonation } from '../sign-in/impersonation/over.js'
import { sendNotice } from '../delivery/mail/notices.js'
import { sendAddressCode } from '../sso/social/prove-address.js'
import { sendEmailChangeCode, sendEmailChangeNotice } from '../sign-in/own-account/send-email-change.js'
import { sendAdminCode } from '../sso/onboarding/send-code.js'
import { sendMetadataNotice } from '../sso/onboarding/metadata-notice.js'
import { rotatePeppers } from '../sign-in/password/rotate-peppers.js'
import { countLogEvents } from '../operations/health/count-log-events.js'
import { eraseDeleted } from '../operations/purge/purge.js'
import { prepareKeysOfAccounts } from '../tokens/signing-keys/account-keys.js'
import { prepareKeysOfAccount, publishNextKeys } from '../tokens/signing-keys/prepare.js'
import { rotateDueSigningKeys } from '../tokens/signing-keys/rotate.js'
import { watchSocialSecrets } from '../sso/social/watch-secrets.js'
import { watchCertificates } from '../sso/connections/watch-certificates.js'
import { checkDueDomains } from '../directory/domains/check.js'
import { expireInvitations } from '../directory/invitations/expire-invitations.js'
import { expireJoinRequests } from '../directory/join-requests/expire-join-requests.js'
import { sendJoinDecision } from '../directory/join-requests/send-decision.js'
import { sendInvitation } from '../directory/invitations/send-invitation.js'
import { endSessionsOfOrganization } from '../directory/end-sessions.js'
import { sendLogoutToken } from '../protocols/oidc/logout-token.js'
import { remapDirectory } from '../protocols/scim/remap.js'
import { sendTotpCode } from '../sign-in/totp/send-code.js'
import { deleteExpired } from '../operations/purge/delete-expired.js'
import type { JobHandler } from '../delivery/jobs/job-handler.js'
import type { JobName, JobPayloads } from '../delivery/jobs/job-names.js'

/** The handler and the retry schedule of each job. */
export const jobHandlers: { readonly [Name in JobName]: JobHandler<JobPayloads[Name]> } = {
  send_magic_link: {
    run: sendMagicLink,
    // The last attempt runs while the link, valid for 15 minutes, is still useful.
    retryAfterSeconds: [5, 60, 240, 420],
  },
  send_email_link: {
    run: sendEmailLink,
    // As of other links.
    retryAfterSeconds: [5, 60, 240, 420],
  },
  send_discovery_link: {
    run: sendDiscoveryLink,
    // As of other links.
    retryAfterSeconds: [5, 60, 240, 420],
  },
  send_notice: {
    run: sendNotice,
    retryAfterSeconds: [60, 300, 1800],
  },
  send_totp_code: {
    run: sendTotpCode,
    // The user is waiting: a later attempt would arrive after they have requested another code.
    retryAfterSeconds: [5, 30, 90],
  },
  send_invitation: {
    run: sendInvitation,
    retryAfterSeconds: [60, 300, 1800, 7200],
  },
  send_join_decision: {
    run: sendJoinDecision,
    retryAfterSeconds: [60, 300, 1800, 7200],
  },
  tell_admins_of_join_requests: {
    run: enqueueJoinRequestNotices,
    retryAfterSeconds: [5, 60, 300, 1800],
  },
  send_join_request_notice: {
    run: sendJoinRequestNotice,
    retryAfterSeconds: [60, 300, 1800, 7200],
  },
  send_admin_invitation: {
    run: sendAdminInvitation,
    retryAfterSeconds: [60, 300, 1800, 7200],
  },
  send_admin_code: {
    run: sendAdminCode,
    // The user is waiting: a later attempt would arrive after they have requested another code.
    retryAfterSeconds: [5, 30, 90],
  },
  send_address_code: {
    run: sendAddressCode,
    // As for an administrator: the user is waiting.
    retryAfterSeconds: [5, 30, 90],
  },
  tell_admins_of_deletion_request: {
    run: enqueueDeletionNotices,
    retryAfterSeconds: [5, 60, 300, 1800],
  },
  send_deletion_request_notice: {
    run: sendDeletionNotice,
    retryAfterSeconds: [60, 300, 1800, 7200],
  },
  send_email_change_code: {
    run: sendEmailChangeCode,
    // As for an administrator: the user is waiting.
    retryAfterSeconds: [5, 30, 90],
  },
  send_email_change_notice: {
    run: sendEmailChangeNotice,
    retryAfterSeconds: [60, 300, 1800, 7200],
  },
  send_metadata_notice: {
    run: sendMetadataNotice,
    retryAfterSeconds: [60, 300, 1800],
  },
  tell_admins_of_domain: {
    run: enqueueDomainNotices,
    retryAfterSeconds: [5, 60, 300, 1800],
  },
  send_domain_notice: {
    run: sendDomainNotice,
    retryAfterSeconds: [60, 300, 1800],
  },
  remap_directory: {
    run: remapDirectory,
    retryAfterSeconds: [5, 60, 300, 1800, 7200],
  },
  send_logout_token: {
    run: sendLogoutToken,
    retryAfterSeconds: [5, 60, 300, 1800, 7200],
  },
  end_impersonation: {
    run: endOverImpersonation,
    retryAfterSeconds: [5, 60, 300, 1800],
  },
  send_impersonation_notice: {
    run: sendImpersonationNotice,
    retryAfterSeconds: [60, 300, 1800],
  },
  end_organization_sessions: {
    run: endSessionsOfOrganization,
    retryAfterSeconds: [5, 60, 300, 1800],
  },
  watch_certificates: {
    run: watchCertificates,
    retryAfterSeconds: [60, 300],
    everySeconds: 24 * 60 * 60,
  },
  watch_social_secrets: {
    run: watchSocialSecrets,
    retryAfterSeconds: [60, 300],
    everySeconds: 24 * 60 * 60,
  },
  check_domains: {
    run: checkDueDomains,
    retryAfterSeconds: [],
    everySeconds: 60,
  },
  fold_record_counts: {
    run: ({ db }) => foldRecordCounts(db),
    retryAfterSeconds: [],
    everySeconds: 60,
  },
  delete_expired: {
    run: deleteExpired,
    retryAfterSeconds: [60, 300],
    everySeconds: 60 * 60,
  },
  expire_invitations: {
    run: expireInvitations,
    retryAfterSeconds: [60, 300],
    everySeconds: 60 * 60,
  },
  expire_join_requests: {
    run: expireJoinRequests,
    retryAfterSeconds: [60, 300],
    everySeconds: 60 * 60,
  },
  erase_deleted: {
    run: eraseDeleted,
    retryAfterSeconds: [60, 300],
    everySeconds: 60 * 60,
  },
  partition_log_events: {
    // If the table stays locked, the next run is in an hour, which is soon enough for a month.
    run: makeLogEventMonths,
    retryAfterSeconds: [60, 300],
    everySeconds: 60 * 60,
  },
  count_log_events: {
    run: countLogEvents,
    retryAfterSeconds: [60],
    everySeconds: 10 * 60,
  },
  number_events: {
    // Readers number pending events before they read; this job keeps their number small.
    run: ({ db }) => numberAllEvents(db),
    retryAfterSeconds: [],
    everySeconds: 60,
  },
  prepare_signing_keys: {
    run: prepareKeysOfAccount,
    retryAfterSeconds: [5, 60, 300, 1800],
  },
  publish_next_keys: {
    run: publishNextKeys,
    retryAfterSeconds: [60, 300, 1800, 7200],
  },
  prepare_account_keys: {
    run: prepareKeysOfAccounts,
    retryAfterSeconds: [60, 300, 1800, 7200],
  },
  activate_signing_keys: {
    run: rotateDueSigningKeys,
    retryAfterSeconds: [60, 300],
    everySeconds: 60 * 60,
  },
  rotate_peppers: {
    run: (deps) => rotatePeppers(deps),
    retryAfterSeconds: [60, 300],
    everySeconds: 60,
  },
}
