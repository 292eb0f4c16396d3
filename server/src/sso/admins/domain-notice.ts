import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { domainNoticeMail } from '../../delivery/mail/domain-notice.js'
import { recordOfDomain } from '../../directory/domains/rows.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOrganization, ofOwner } from '../../platform/db/tenant-predicate.js'
import { enqueueForAdmins } from './enqueue-for-admins.js'

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
  { adminId, messageId, domainId, ...owner }: JobPayloads['send_domain_notice'],
): Promise<void> {
  const { accountId, environment, organizationId } = owner
  const found = await deps.db
    .selectFrom('domains')
    .innerJoin('sso_admins', (join) =>
      join.on(ofOrganization({ accountId, organizationId }, 'sso_admins')).on('sso_admins.id', '=', adminId),
    )
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'domains')))
    .where(ofOwner(owner, 'domains'))
    .where('domains.id', '=', domainId)
    .where('domains.state', 'in', ['lapsing', 'lapsed'])
    .where('organizations.deleted_at', 'is', null)
    .select([
      'domains.domain as missing',
      'domains.token',
      'domains.expires_at',
      'sso_admins.email',
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  if (found === undefined) return
  const { missing, token, expires_at: expiresAt, email, domain, product_name: fromName } = found
  const message = domainNoticeMail({
    domain: missing,
    record: recordOfDomain(deps, { domain: missing, token }),
    lapsesOn: expiresAt?.toISOString().slice(0, 10) ?? null,
    organizationName: found.name,
    locale: found.locale,
    productName: fromName ?? deps.config.productName,
    environment,
    color: found.color,
  })
  const scope = { accountId, environment, organizationId, domain }
  await deliverMail(deps, scope, { ...message, name: 'domain_notice', to: email, fromName, messageId })
}
