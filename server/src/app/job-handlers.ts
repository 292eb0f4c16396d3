import { sendAdminInvitation } from '../sso/admins/send-invitation.js'
import { foldRecordCounts } from '../platform/db/fold-record-counts.js'
import { numberAllEvents } from '../delivery/events/number-events.js'
import { makeLogEventMonths } from '../delivery/log-events/months.js'
import { sendMagicLink } from '../sign-in/magic-link/send-link.js'
import { sendNotice } from '../delivery/mail/notices.js'
import { sendAdminCode } from '../sso/onboarding/send-code.js'
import { sendMetadataNotice } from '../sso/onboarding/metadata-notice.js'
import { rotatePeppers } from '../sign-in/password/rotate-peppers.js'
import { eraseDeleted } from '../operations/purge/purge.js'
import { activateDueSigningKeys } from '../tokens/signing-keys/rotate.js'
import { watchCertificates } from '../sso/connections/watch-certificates.js'
import { sendTotpCode } from '../sign-in/totp/send-code.js'
import { deleteExpired } from '../operations/purge/delete-expired.js'
import type { JobHandler } from '../delivery/jobs/job-handler.js'
import type { JobName, JobPayloads } from '../delivery/jobs/job-names.js'

/** Everything that runs later. */
export const jobHandlers: { readonly [Name in JobName]: JobHandler<JobPayloads[Name]> } = {
  send_magic_link: {
    run: sendMagicLink,
    // The last attempt comes while the link, good for 15 minutes, still is of use.
    retryAfterSeconds: [5, 60, 240, 420],
  },
  send_notice: {
    run: sendNotice,
    retryAfterSeconds: [60, 300, 1800],
  },
  send_totp_code: {
    run: sendTotpCode,
    // Somebody waits for it; a later one would come after they have asked for another.
    retryAfterSeconds: [5, 30, 90],
  },
  send_admin_invitation: {
    run: sendAdminInvitation,
    retryAfterSeconds: [60, 300, 1800, 7200],
  },
  send_admin_code: {
    run: sendAdminCode,
    // Somebody waits for it; a later one would come after they have asked for another.
    retryAfterSeconds: [5, 30, 90],
  },
  send_metadata_notice: {
    run: sendMetadataNotice,
    retryAfterSeconds: [60, 300, 1800],
  },
  watch_certificates: {
    run: watchCertificates,
    retryAfterSeconds: [60, 300],
    everySeconds: 24 * 60 * 60,
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
  erase_deleted: {
    run: eraseDeleted,
    retryAfterSeconds: [60, 300],
    everySeconds: 60 * 60,
  },
  partition_log_events: {
    // Refused the table, it comes again in an hour, for months.
    run: makeLogEventMonths,
    retryAfterSeconds: [60, 300],
    everySeconds: 60 * 60,
  },
  number_events: {
    // A reader numbers what it is about to read; this keeps that little.
    run: ({ db }) => numberAllEvents(db),
    retryAfterSeconds: [],
    everySeconds: 60,
  },
  activate_signing_keys: {
    run: activateDueSigningKeys,
    retryAfterSeconds: [60, 300],
    everySeconds: 60 * 60,
  },
  rotate_peppers: {
    run: (deps) => rotatePeppers(deps),
    retryAfterSeconds: [60, 300],
    everySeconds: 60,
  },
}
