import { sql, type Transaction } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { isEmailDomainAllowed } from '../../directory/sessions/complete-sign-in.js'
import type { Tenant } from '../../platform/tenant.js'

/** A code that sets a password, as it is sent. */
export interface PresentedCode {
  /** Normalized. */
  readonly email: string
  readonly codeHash: Buffer
  readonly userId: string
  /** The address of our own page, where the code was sent there; null where an application sends it. */
  readonly ownPage: string | null
}

/** The code's one use, while what it leads to is allowed: of all who send it, one statement lets one pass. */
export async function spendCode(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { email, codeHash, userId, ownPage }: PresentedCode,
) {
  const at = now()
  const spent = await trx
    .updateTable('password_requests as request')
    .set({ used_at: at })
    .from(['organizations', 'applications', 'password_connections as connection'])
    .where('request.account_id', '=', tenant.accountId)
    .where('request.environment', '=', tenant.environment)
    .where('request.organization_id', '=', organizationIdOf(tenant))
    .where('request.code_hash', '=', codeHash)
    .where('request.user_id', '=', userId)
    .where('request.email_normalized', '=', email)
    .where('request.used_at', 'is', null)
    .where('request.expires_at', '>', at)
    .whereRef('organizations.account_id', '=', 'request.account_id')
    .whereRef('organizations.id', '=', 'request.organization_id')
    .whereRef('applications.account_id', '=', 'request.account_id')
    .whereRef('applications.environment', '=', 'request.environment')
    .whereRef('applications.id', '=', 'request.application_id')
    .where(isUsableBy(sql.ref('request.organization_id')))
    .where(leadsTo(ownPage))
    .whereRef('connection.account_id', '=', 'request.account_id')
    .whereRef('connection.environment', '=', 'request.environment')
    .whereRef('connection.organization_id', '=', 'request.organization_id')
    .where('connection.active', '=', true)
    .returning([
      'request.organization_id',
      'request.application_id',
      'request.redirect_uri',
      'request.opened_at',
      'request.flow_id',
      'request.state',
      'request.nonce',
      'request.code_challenge',
      'request.scope',
      'organizations.allowed_email_domains',
    ])
    .executeTakeFirst()
  return spent !== undefined && isEmailDomainAllowed(spent.allowed_email_domains, email) ? spent : undefined
}

export type SpentCode = NonNullable<Awaited<ReturnType<typeof spendCode>>>

/** A code for our page is no application's to send, nor the other way around. */
function leadsTo(ownPage: string | null) {
  if (ownPage !== null) return sql<boolean>`request.redirect_uri = ${ownPage}`
  return sql<boolean>`request.redirect_uri = any(applications.allowed_redirect_urls)`
}
