import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { adminInvitationMail } from '../../delivery/mail/messages.js'
import { findServiceName } from './service-name.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOrganization } from '../../platform/db/tenant-predicate.js'

const dayMs = 24 * 60 * 60 * 1000

/**
 * Mails the link of an open invitation. Its token is generated here, so that only the kept mail of a sandbox stores it;
 * another attempt generates another token, and invalidates the one before.
 *
 * @throws Error when the mail server does not take the mail.
 */
export async function sendAdminInvitation(
  deps: Deps,
  { accountId, organizationId, linkId }: JobPayloads['send_admin_invitation'],
): Promise<void> {
  const token = randomSecret()
  const at = deps.now()
  const link = await deps.db
    .updateTable('sso_admin_links as link')
    .set({ token_hash: hashSecret(token) })
    .from('organizations')
    .innerJoin('sso_admins as admin', (join) => join.on(isOrganizationOf('organizations', 'admin')))
    .where(ofOrganization({ accountId, organizationId }, 'link'))
    .where('link.id', '=', linkId)
    .where('link.ended_at', 'is', null)
    .where('link.expires_at', '>', at)
    .where(isOrganizationOf('organizations', 'link'))
    .where('organizations.deleted_at', 'is', null)
    .whereRef('admin.id', '=', 'link.admin_id')
    .returning([
      'link.id',
      'link.environment',
      'link.expires_at',
      'link.connection_id',
      idpIdOfLink().as('idp_id'),
      'admin.email',
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  // The invitation ended or expired before the job ran.
  if (link === undefined) return

  const { id, idp_id: idpId, connection_id: connectionId, email, domain, name, locale, color } = link
  const { product_name: fromName } = link
  // The check constraint of the column allows nothing else.
  const environment = link.environment as Environment
  const key = { accountId, environment, organizationId, connectionId }
  const message = adminInvitationMail({
    serviceName: await findServiceName(deps.db, key),
    organizationName: name,
    locale,
    productName: fromName ?? deps.config.productName,
    link: onboardingUrl(deps.config.baseUrl, idpId, token),
    days: Math.max(1, Math.round((link.expires_at.getTime() - at.getTime()) / dayMs)),
    environment,
    color,
  })
  await deliverMail(
    deps,
    { accountId, environment, organizationId, domain },
    { ...message, name: 'admin_invitation', to: email, fromName, messageId: id },
  )
}

/** The name of the connection that the link is for; null where it is for all of the organization. */
function idpIdOfLink() {
  return sql<string | null>`(
    select connection.idp_id from sso_connections connection
    where connection.account_id = link.account_id
      and connection.environment = link.environment
      and connection.organization_id = link.organization_id
      and connection.id = link.connection_id
  )`
}

/** The address of the page that opens an invitation: of one connection, or of all that the organization has. */
function onboardingUrl(baseUrl: string, idpId: string | null, token: string): string {
  return `${baseUrl}/onboarding${idpId === null ? '' : `/${idpId}`}?token=${token}`
}
