import { sql, type Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { joinRequestsMail } from '../../delivery/mail/messages.js'
import { isOvertaken } from '../../directory/join-requests/rows.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { insertNoticeLink } from '../invitations/links.js'
import { enqueueForAdmins } from './enqueue-for-admins.js'
import { mailAdmin } from './mail-admin.js'

const dayMs = 24 * 60 * 60 * 1000

/** Enqueues a mail to each administrator of an organization about people who ask to join. */
export async function enqueueJoinRequestNotices(
  deps: Pick<Deps, 'db' | 'now'>,
  place: JobPayloads['tell_admins_of_join_requests'],
): Promise<void> {
  const { accountId, environment, organizationId } = place
  await deps.db.transaction().execute((trx) =>
    enqueueForAdmins(deps, trx, place, (addressed) => ({
      name: 'send_join_request_notice',
      payload: { accountId, environment, organizationId, ...addressed },
      key: `${environment} ${addressed.adminId}`,
      accountId,
    })),
  )
}

/**
 * Mails an administrator how many people ask to join, with a link to the page that decides. Nobody is mailed whose invitation to
 * the organization is over, or was for one connection alone; and nothing, where everything is decided by now.
 *
 * @throws Error when the mail server does not take the mail.
 */
export async function sendJoinRequestNotice(
  deps: Deps,
  mail: JobPayloads['send_join_request_notice'],
): Promise<void> {
  const at = deps.now()
  const people = await countWaiting(deps.db, mail, at)
  if (people === 0) return
  await mailAdmin(deps, { ...mail, name: 'join_requests' }, async (sender) => {
    const token = randomSecret()
    const { messageId: id, ...place } = mail
    const link = await insertNoticeLink(deps, { ...place, id, tokenHash: hashSecret(token) })
    return (
      link &&
      joinRequestsMail({
        ...sender,
        people,
        link: `${deps.config.baseUrl}/onboarding/join-requests?token=${token}`,
        days: Math.max(1, Math.round((link.expires_at.getTime() - at.getTime()) / dayMs)),
      })
    )
  })
}

/** How many people wait for a decision. */
async function countWaiting(
  db: Kysely<DB>,
  owner: JobPayloads['tell_admins_of_join_requests'],
  at: Date,
): Promise<number> {
  const { waiting } = await db
    .selectFrom('join_requests')
    .where(ofOwner(owner, 'join_requests'))
    .where('join_requests.state', '=', 'pending')
    .where('join_requests.expires_at', '>', at)
    .where(sql<boolean>`not ${isOvertaken()}`)
    .select(sql<number>`count(*)::integer`.as('waiting'))
    .executeTakeFirstOrThrow()
  return waiting
}
