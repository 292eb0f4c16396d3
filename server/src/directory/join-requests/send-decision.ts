import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOwner } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { joinDecisionMail } from '../../delivery/mail/messages.js'

/**
 * Mails the owner of a join request how it was decided.
 *
 * @throws Error when the mail server does not accept the mail.
 */
export async function sendJoinDecision(
  deps: Deps,
  { joinRequestId, messageId, ...owner }: JobPayloads['send_join_decision'],
): Promise<void> {
  const decided = await deps.db
    .selectFrom('join_requests')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'join_requests')))
    .where(ofOwner(owner, 'join_requests'))
    .where('join_requests.id', '=', joinRequestId)
    .where('join_requests.state', 'in', ['approved', 'denied'])
    .where('organizations.deleted_at', 'is', null)
    .select([
      'join_requests.email',
      'join_requests.locale as asked_locale',
      'join_requests.state',
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  // Its organization is gone.
  if (decided === undefined) return

  const { email, state, domain, name, color, product_name: fromName } = decided
  const message = joinDecisionMail({
    isApproved: state === 'approved',
    organizationName: name,
    locale: decided.asked_locale ?? decided.locale,
    productName: fromName ?? deps.config.productName,
    environment: owner.environment,
    color,
  })
  await deliverMail(
    deps,
    { ...owner, domain },
    { ...message, name: 'join_decision', to: email, fromName, messageId },
  )
}
