import type { Deps } from '../../delivery/deps.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { domainNoticeMail } from '../../delivery/mail/domain-notice.js'
import { recordOfDomain } from '../../directory/domains/rows.js'
import { newId } from '../../platform/crypto/random.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOrganization, ofOwner } from '../../platform/db/tenant-predicate.js'
import { momentColumn } from '../invitations/admin-moments.js'

/** More than an organization has. */
const maxAdmins = 100

/**
 * Enqueues a mail to each administrator of an organization about the missing record of a domain. About production only those
 * get one whom production has invited: a sandbox key could have invited anybody.
 */
export async function enqueueDomainNotices(
  deps: Pick<Deps, 'db' | 'now'>,
  { accountId, environment, organizationId, domainId }: JobPayloads['tell_admins_of_domain'],
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const admins = await trx
      .selectFrom('sso_admins')
      .where(ofOrganization({ accountId, organizationId }))
      .where(momentColumn(environment, 'declined_to_be_in_charge_at'), 'is', null)
      .$if(environment === 'production', (query) => query.where('is_of_production', '=', true))
      .select('id')
      .orderBy('inserted_at')
      .limit(maxAdmins)
      .execute()
    for (const { id: adminId } of admins) {
      // One job for each, so that an address that fails does not repeat the mails to others.
      const payload = { accountId, environment, organizationId, domainId, adminId, messageId: newId() }
      await enqueue(deps, trx, {
        name: 'send_domain_notice',
        payload,
        key: `${domainId} ${adminId}`,
        accountId,
      })
    }
  })
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
  await deliverMail(deps, scope, { ...message, to: email, fromName, messageId })
}
