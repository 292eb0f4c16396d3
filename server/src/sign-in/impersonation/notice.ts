import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { impersonationMail } from '../../delivery/mail/impersonation.js'

/**
 * Mails a user that a member of staff has signed in as them; a deleted user gets no mail.
 *
 * @throws Error when the mail server does not take the mail.
 */
export async function sendImpersonationNotice(
  deps: Deps,
  payload: JobPayloads['send_impersonation_notice'],
): Promise<void> {
  const found = await deps.db
    .selectFrom('impersonations')
    .innerJoin('users', (join) =>
      join.on(sameTenant('users', 'impersonations')).onRef('users.id', '=', 'impersonations.user_id'),
    )
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'impersonations')))
    .where(ofOwner(payload, 'impersonations'))
    .where('impersonations.id', '=', payload.impersonationId)
    .where('users.deleted_at', 'is', null)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'impersonations.started_at',
      'impersonations.duration_in_seconds',
      'users.email',
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.timezone',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  if (found === undefined || found.started_at === null) return

  const { email, domain, name, locale, timezone, color, product_name: fromName } = found
  const message = impersonationMail({
    startedAt: found.started_at,
    timeZone: timezone ?? 'UTC',
    minutes: Math.ceil(found.duration_in_seconds / 60),
    organizationName: name,
    locale,
    productName: fromName ?? deps.config.productName,
    environment: payload.environment,
    color,
  })
  const messageId = payload.impersonationId
  await deliverMail(
    deps,
    { ...payload, domain },
    { ...message, name: 'impersonation', to: email, fromName, messageId },
  )
}
