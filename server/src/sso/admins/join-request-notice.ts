import { sql, type Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { joinRequestsMail } from '../../delivery/mail/messages.js'
import { isOvertaken } from '../../directory/join-requests/rows.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { productNameOf } from '../../platform/db/product-name.js'
import type { DB } from '../../platform/db/schema.js'
import { isOrganizationOf, ofOrganization, ofOwner } from '../../platform/db/tenant-predicate.js'
import { insertNoticeLink } from '../invitations/links.js'
import { enqueueForAdmins } from './enqueue-for-admins.js'

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
  { adminId, messageId, ...owner }: JobPayloads['send_join_request_notice'],
): Promise<void> {
  const at = deps.now()
  const people = await countWaiting(deps.db, owner, at)
  const admin = await findRecipient(deps.db, owner, adminId)
  if (people === 0 || admin === undefined) return
  const token = randomSecret()
  const link = await insertNoticeLink(deps, {
    ...owner,
    adminId,
    id: messageId,
    tokenHash: hashSecret(token),
  })
  if (link === undefined) return

  const { email, domain, name, locale, color, product_name: fromName } = admin
  const message = joinRequestsMail({
    people,
    link: `${deps.config.baseUrl}/onboarding/join-requests?token=${token}`,
    days: Math.max(1, Math.round((link.expires_at.getTime() - at.getTime()) / dayMs)),
    organizationName: name,
    locale,
    productName: fromName ?? deps.config.productName,
    environment: owner.environment,
    color,
  })
  await deliverMail(
    deps,
    { ...owner, domain },
    { ...message, name: 'join_requests', to: email, fromName, messageId },
  )
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

function findRecipient(
  db: Kysely<DB>,
  { accountId, organizationId }: JobPayloads['tell_admins_of_join_requests'],
  adminId: string,
) {
  return db
    .selectFrom('sso_admins')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'sso_admins')))
    .where(ofOrganization({ accountId, organizationId }, 'sso_admins'))
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
}
