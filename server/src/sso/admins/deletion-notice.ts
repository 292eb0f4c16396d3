import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deletionRequestMail } from '../../delivery/mail/deletion-request.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'
import { enqueueForAdmins } from './enqueue-for-admins.js'
import { mailAdmin } from './mail-admin.js'

/** Enqueues a mail to each administrator of an organization about a user who asks to be deleted. */
export async function enqueueDeletionNotices(
  deps: Pick<Deps, 'db' | 'now'>,
  payload: JobPayloads['tell_admins_of_deletion_request'],
): Promise<void> {
  const { accountId, environment, organizationId, userId } = payload
  const place = { accountId, environment, organizationId }
  await deps.db.transaction().execute((trx) =>
    enqueueForAdmins(deps, trx, place, (addressed) => ({
      name: 'send_deletion_request_notice',
      payload: { ...place, userId, ...addressed },
      key: `${userId} ${addressed.adminId}`,
      accountId,
    })),
  )
}

/**
 * Mails an administrator about a user who asks to be deleted. Nothing is mailed where the user or the administrator is gone.
 *
 * @throws Error when the mail server does not take the mail.
 */
export async function sendDeletionNotice(
  deps: Deps,
  { userId, ...mail }: JobPayloads['send_deletion_request_notice'],
): Promise<void> {
  await mailAdmin(deps, { ...mail, name: 'deletion_request' }, async (sender) => {
    const request = await deps.db
      .selectFrom('deletion_requests as request')
      .innerJoin('users', (join) =>
        join.on(sameTenant('users', 'request')).onRef('users.id', '=', 'request.user_id'),
      )
      .where(ofOwner(mail, 'request'))
      .where('request.user_id', '=', userId)
      .where('users.deleted_at', 'is', null)
      .select('users.email as address')
      .executeTakeFirst()
    return request && deletionRequestMail({ ...sender, ...request })
  })
}
