import { sql, type Transaction } from 'kysely'
import { isOpenForSignIn } from '../../directory/usable.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import { isSsoRequired } from '../../directory/domains/authority.js'
import type { Tenant } from '../../platform/tenant.js'
import {
  isOrganizationOf,
  ofTenant,
  sameEnvironment,
  sameTenant,
} from '../../platform/db/tenant-predicate.js'

/** A code that sets a password, as sent. */
export interface PresentedCode {
  /** Normalized. */
  readonly email: string
  readonly codeHash: Buffer
  readonly userId: string
  /** The address of our own page, when the code was sent there; null when an application sends it. */
  readonly ownPage: string | null
}

/** Consumes a code whose destination is still allowed; one statement decides between concurrent requests. */
export async function consumePasswordCode(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { email, codeHash, userId, ownPage }: PresentedCode,
) {
  const at = now()
  const consumedCode = await trx
    .updateTable('password_requests as request')
    .set({ used_at: at })
    .from(['organizations', 'applications', 'password_connections as connection'])
    .where(ofTenant(tenant, 'request'))
    .where('request.code_hash', '=', codeHash)
    .where('request.user_id', '=', userId)
    .where('request.email_normalized', '=', email)
    .where('request.used_at', 'is', null)
    .where('request.expires_at', '>', at)
    .where(isOrganizationOf('organizations', 'request'))
    .where(sameEnvironment('applications', 'request'))
    .whereRef('applications.id', '=', 'request.application_id')
    .where(isOpenForSignIn(sql.ref('request.organization_id')))
    .where(leadsTo(ownPage))
    .where(sameTenant('connection', 'request'))
    .where('connection.active', '=', true)
    .returning([
      'request.organization_id',
      'request.application_id',
      'request.redirect_uri',
      'request.opened_at',
      isLinkReturned(trx).as('is_link_returned'),
      'request.flow_id',
      'request.state',
      'request.nonce',
      'request.code_challenge',
      'request.scope',
      'organizations.allowed_email_domains',
      isSsoRequired({
        ...{ accountId: tenant.accountId, environment: tenant.environment },
        organizationId: sql.ref('organizations.id'),
        emailNormalized: sql<string>`${email}::text`,
      }).as('is_sso_required'),
    ])
    .executeTakeFirst()
  if (consumedCode === undefined || consumedCode.is_sso_required) return undefined
  return isEmailDomainAllowed(consumedCode.allowed_email_domains, email) ? consumedCode : undefined
}

export type ConsumedPasswordCode = NonNullable<Awaited<ReturnType<typeof consumePasswordCode>>>

/** Whether the API has returned a link to the request: whoever has called it can have opened it. */
function isLinkReturned(trx: Transaction<DB>) {
  const returned = trx
    .selectFrom('magic_link_challenges as challenge')
    .where(sameTenant('challenge', 'request'))
    .where('challenge.password_request_id', '=', sql.ref<string>('request.id'))
    .where('challenge.is_link_returned', '=', true)
    .select('challenge.id')
  return sql<boolean>`exists (${returned})`
}

/** A code is valid only at its own destination: our page, or a redirect URI of the application. */
function leadsTo(ownPage: string | null) {
  if (ownPage !== null) return sql<boolean>`request.redirect_uri = ${ownPage}`
  return sql<boolean>`request.redirect_uri = any(applications.allowed_redirect_urls)`
}
