import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { deletionRequestMail } from '../../delivery/mail/deletion-request.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOrganization, ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'
import { enqueueForAdmins } from './enqueue-for-admins.js'

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
  { adminId, messageId, userId, ...owner }: JobPayloads['send_deletion_request_notice'],
): Promise<void> {
  const { accountId, environment, organizationId } = owner
  const found = await deps.db
    .selectFrom('deletion_requests as request')
    .innerJoin('users', (join) =>
      join.on(sameTenant('users', 'request')).onRef('users.id', '=', 'request.user_id'),
    )
    .innerJoin('sso_admins', (join) =>
      join.on(ofOrganization({ accountId, organizationId }, 'sso_admins')).on('sso_admins.id', '=', adminId),
    )
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'request')))
    .where(ofOwner(owner, 'request'))
    .where('request.user_id', '=', userId)
    .where('users.deleted_at', 'is', null)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'users.email as address',
      'sso_admins.email',
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  if (found === undefined) return
  const { address, email, domain, name, locale, color, product_name: fromName } = found
  const message = deletionRequestMail({
    address,
    organizationName: name,
    locale,
    productName: fromName ?? deps.config.productName,
    environment,
    color,
  })
  const scope = { accountId, environment, organizationId, domain }
  await deliverMail(deps, scope, { ...message, name: 'deletion_request', to: email, fromName, messageId })
}
