import type { MailName } from '@portico/contract/log-events'
import type { Deps } from '../../delivery/deps.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import type { Message, Sender } from '../../delivery/mail/frame.js'
import type { DomainPlace } from '../../directory/domains/rows.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOrganization } from '../../platform/db/tenant-predicate.js'

/** One mail to one administrator of an organization. */
interface AdminMail extends Omit<DomainPlace, 'domain'> {
  readonly name: MailName
  readonly adminId: string
  /** Identical for every attempt. */
  readonly messageId: string
}

/**
 * Mails an administrator of an organization. Nothing is mailed where the administrator or the organization is gone.
 *
 * @param toText Resolves to undefined where there is nothing left to tell. It is called when the recipient is known to be there.
 * @throws Error when the mail server does not take the mail.
 */
export async function mailAdmin(
  deps: Deps,
  { name, adminId, messageId, ...owner }: AdminMail,
  toText: (sender: Sender) => Promise<Message | undefined>,
): Promise<void> {
  const found = await deps.db
    .selectFrom('sso_admins')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'sso_admins')))
    .where(ofOrganization(owner, 'sso_admins'))
    .where('sso_admins.id', '=', adminId)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'sso_admins.email',
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  if (found === undefined) return
  const { email: to, domain, name: organizationName, locale, color, product_name: fromName } = found
  const { environment } = owner
  const productName = fromName ?? deps.config.productName
  const message = await toText({ organizationName, locale, productName, environment, color })
  if (message === undefined) return
  await deliverMail(deps, { ...owner, domain }, { ...message, name, to, fromName, messageId })
}
