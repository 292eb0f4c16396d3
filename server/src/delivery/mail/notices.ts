import type { Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../deps.js'
import { enqueue } from '../jobs/enqueue.js'
import type { JobPayloads } from '../jobs/job-names.js'
import { deliverMail } from './deliver.js'
import { noticeMail } from './messages.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOwner } from '../../platform/db/tenant-predicate.js'

type NoticePayload = JobPayloads['send_notice']

/** Enqueues a mail to a user about a change of their account, in the transaction of that change. */
export function enqueueNotice(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  notice: Omit<NoticePayload, 'messageId'>,
): Promise<void> {
  const payload = { ...notice, messageId: newId() }
  return enqueue(deps, trx, { name: 'send_notice', payload, accountId: notice.accountId })
}

/**
 * Mails a notice to the user's current address; a deleted user gets none but that of the deletion, until the address is erased.
 *
 * @throws Error when the mail server refuses the mail.
 */
export async function sendNotice(deps: Deps, payload: NoticePayload): Promise<void> {
  const addressee = await deps.db
    .selectFrom('users')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .where(ofOwner(payload, 'users'))
    .where('users.id', '=', payload.userId)
    .$if(payload.notice !== 'account_deleted', (users) => users.where('users.deleted_at', 'is', null))
    .where('organizations.deleted_at', 'is', null)
    .select([
      'users.email',
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  if (addressee === undefined) return

  const { email, domain, name, locale, color, product_name: fromName } = addressee
  const { notice, environment, messageId } = payload
  const message = noticeMail({
    notice,
    organizationName: name,
    locale,
    productName: fromName ?? deps.config.productName,
    environment,
    color,
  })
  await deliverMail(
    deps,
    { ...payload, domain },
    { ...message, name: notice, to: email, fromName, messageId },
  )
}
