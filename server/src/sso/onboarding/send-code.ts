import { sql } from 'kysely'
import type { Environment } from '@portico/contract/fields'
import { newId } from '../../platform/crypto/random.js'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { adminCodeMail } from '../../delivery/mail/admin-code.js'
import { openSessions } from '../admins/admin-session.js'
import { openAdminCode } from './code.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'

/**
 * Mails the code of an administrator who has opened their link in a new browser.
 *
 * @throws Error when the mail server does not take the mail.
 */
export async function sendAdminCode(deps: Deps, payload: JobPayloads['send_admin_code']): Promise<void> {
  const at = deps.now()
  const { accountId, organizationId, sessionId } = payload
  const waiting = await openSessions(deps.db)
    .where(ofOrganization({ accountId, organizationId }, 'session'))
    .where('session.id', '=', sessionId)
    .where('session.verified_at', 'is', null)
    .where('session.code_expires_at', '>', at)
    .select([
      'session.code_sealed',
      'session.code_expires_at',
      'admin.email',
      sql<Environment>`link.environment`.as('environment'),
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  // The code was entered, replaced or expired before the job ran.
  if (waiting?.code_sealed == null) return

  const { email, environment, domain, name, locale, color, product_name: fromName } = waiting
  const message = adminCodeMail({
    code: openAdminCode(deps.keys.master, payload, waiting.code_sealed),
    minutes: Math.max(1, Math.round((waiting.code_expires_at.getTime() - at.getTime()) / 60_000)),
    organizationName: name,
    locale,
    productName: fromName ?? deps.config.productName,
    environment,
    color,
  })
  const scope = { accountId, environment, organizationId, domain }
  // A message id of its own: a code that was requested anew must not look like a repetition of the first.
  await deliverMail(deps, scope, { ...message, name: 'admin_code', to: email, fromName, messageId: newId() })
}
