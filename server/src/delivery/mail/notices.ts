import type { Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../deps.js'
import { enqueue } from '../jobs/enqueue.js'
import type { JobPayloads, MailedVisit } from '../jobs/job-names.js'
import { deliverMail } from './deliver.js'
import { keptPasskeysOfUser } from './kept-passkeys.js'
import { noticeMail } from './messages.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { statement } from '../../platform/db/statement.js'
import { isOrganizationOf, ofOwner } from '../../platform/db/tenant-predicate.js'
import type { Cause } from '../../platform/tenant.js'

type NoticePayload = JobPayloads['send_notice']

/** A notice, and the cause of the change that it tells of; without it, the mail does not say where that was made. */
interface NewNotice extends Omit<NoticePayload, 'messageId' | 'to' | 'visit'> {
  readonly cause?: Pick<Cause, 'visit'>
}

/**
 * Enqueues a mail to a user about a change of their account, in the transaction of that change. It goes to the address that they have
 * then: who has made the change may have another one set before the mail leaves.
 */
export async function enqueueNotice(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  { cause, ...notice }: NewNotice,
): Promise<void> {
  const [user] = await selectAddress(trx, notice)
  const payload = { ...notice, ...visitOf(deps, cause), to: user?.email, messageId: newId() }
  await enqueue(deps, trx, { name: 'send_notice', payload, accountId: notice.accountId })
}

const selectAddress = statement(
  (db, user: Pick<NoticePayload, 'accountId' | 'environment' | 'organizationId' | 'userId'>) =>
    db.selectFrom('users').where(ofOwner(user)).where('id', '=', user.userId).select('email'),
)

/** What a payload says of where a change was made: nothing, unless a person has made it on their account page or in a sign-in. */
export function visitOf(
  { now }: Pick<Deps, 'now'>,
  cause: Pick<Cause, 'visit'> | undefined,
): { readonly visit?: MailedVisit } {
  if (cause?.visit === undefined) return {}
  const { browser, network } = cause.visit
  return { visit: { at: now().toISOString(), browser, network } }
}

/** The account page, as a mail about a change links to it. */
export function accountPageUrl(
  baseUrl: string,
  { domain, environment }: { readonly domain: string; readonly environment: string },
): string {
  return `${baseUrl}/t/${domain}/account?environment=${environment}`
}

/**
 * Mails a notice to the address that the user had; a deleted user gets none but that of the deletion, until the address is erased.
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
      'organizations.timezone',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
      keptPasskeysOfUser(deps.config.passkeyRpId).as('kept_passkeys'),
    ])
    .executeTakeFirst()
  if (addressee === undefined) return

  const { email, domain, name, locale, timezone, color, product_name: fromName } = addressee
  const { notice, environment, visit, messageId, to = email } = payload
  const message = noticeMail({
    notice,
    ...(notice === 'password_set' && { keptPasskeys: addressee.kept_passkeys }),
    visit: visit && { ...visit, timeZone: timezone ?? 'UTC' },
    // A user who was deleted finds nothing there.
    ownPage:
      notice === 'account_deleted' ? undefined : accountPageUrl(deps.config.baseUrl, { domain, environment }),
    organizationName: name,
    locale,
    productName: fromName ?? deps.config.productName,
    environment,
    color,
  })
  await deliverMail(deps, { ...payload, domain }, { ...message, name: notice, to, fromName, messageId })
}
