import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { domainNoticeMail } from '../../delivery/mail/domain-notice.js'
import { recordOfDomain } from '../../directory/domains/rows.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { enqueueForAdmins } from './enqueue-for-admins.js'
import { mailAdmin } from './mail-admin.js'

/** Enqueues a mail to each administrator of an organization about the missing record of a domain. */
export async function enqueueDomainNotices(
  deps: Pick<Deps, 'db' | 'now'>,
  { accountId, environment, organizationId, domainId }: JobPayloads['tell_admins_of_domain'],
): Promise<void> {
  const place = { accountId, environment, organizationId }
  await deps.db.transaction().execute((trx) =>
    enqueueForAdmins(deps, trx, place, (addressed) => ({
      name: 'send_domain_notice',
      payload: { ...place, domainId, ...addressed },
      key: `${domainId} ${addressed.adminId}`,
      accountId,
    })),
  )
}

/**
 * Mails an administrator about the missing record of a domain. Nothing is mailed where it was found again, or the domain or the
 * administrator is gone.
 *
 * @throws Error when the mail server does not take the mail.
 */
export async function sendDomainNotice(
  deps: Deps,
  { domainId, ...mail }: JobPayloads['send_domain_notice'],
): Promise<void> {
  await mailAdmin(deps, { ...mail, name: 'domain_notice' }, async (sender) => {
    const row = await deps.db
      .selectFrom('domains')
      .where(ofOwner(mail))
      .where('id', '=', domainId)
      .where('state', 'in', ['lapsing', 'lapsed'])
      .select(['domain', 'token', 'expires_at'])
      .executeTakeFirst()
    if (row === undefined) return undefined
    const { domain, token, expires_at: expiresAt } = row
    return domainNoticeMail({
      ...sender,
      domain,
      record: recordOfDomain(deps, { domain, token }),
      lapsesOn: expiresAt?.toISOString().slice(0, 10) ?? null,
    })
  })
}
