import type { Protocol } from '@portico/contract/sso-onboarding'
import type { Kysely, Transaction } from 'kysely'
import { enqueueForAdmins } from '../admins/enqueue-for-admins.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { metadataNoticeMail } from '../../delivery/mail/metadata-notice.js'
import { isConnection, isOfConnection, type ConnectionKey } from '../connections/connection-key.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOrganization } from '../../platform/db/tenant-predicate.js'

/**
 * Enqueues mails to the administrators of an organization about uploaded metadata or an entered client, in the transaction
 * that stores it.
 */
export async function enqueueMetadataNotices(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  { protocol, version }: { readonly protocol: Protocol; readonly version: number },
): Promise<void> {
  const { accountId, environment, organizationId, connectionId } = key
  const place = { accountId, environment, organizationId }
  await enqueueForAdmins(deps, trx, place, (addressed) => ({
    name: 'send_metadata_notice',
    payload: { ...place, connectionId, protocol, version, ...addressed },
    accountId,
  }))
}

/**
 * Mails an administrator about metadata or a client, and whether it is in use by now. Nothing is mailed once it, the
 * administrator or the connection is gone.
 *
 * @throws Error when the mail server does not take the mail.
 */
export async function sendMetadataNotice(
  deps: Deps,
  { protocol = 'saml', version, adminId, messageId, ...key }: JobPayloads['send_metadata_notice'],
): Promise<void> {
  const { accountId, organizationId, environment } = key
  const recipient = await deps.db
    .selectFrom('sso_connections')
    .innerJoin('sso_admins', (join) =>
      join.on(ofOrganization({ accountId, organizationId }, 'sso_admins')).on('sso_admins.id', '=', adminId),
    )
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'sso_connections')))
    .where(isConnection(key))
    .where('organizations.deleted_at', 'is', null)
    .select([
      'sso_connections.idp_id',
      'sso_admins.email',
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  const isCurrent = await findIsCurrent(deps.db, key, { protocol, version })
  if (recipient === undefined || isCurrent === undefined) return

  const { idp_id: idpId, email, domain, name, locale, color, product_name: fromName } = recipient
  const message = metadataNoticeMail({
    idpId,
    protocol,
    isCurrent,
    organizationName: name,
    locale,
    productName: fromName ?? deps.config.productName,
    environment,
    color,
  })
  const scope = { accountId, environment, organizationId, domain }
  await deliverMail(deps, scope, { ...message, name: 'metadata_notice', to: email, fromName, messageId })
}

/** Whether a version is in use; undefined where it no longer exists. */
async function findIsCurrent(
  db: Kysely<DB>,
  key: ConnectionKey,
  { protocol, version }: { readonly protocol: Protocol; readonly version: number },
): Promise<boolean | undefined> {
  const rows =
    protocol === 'oidc'
      ? await db
          .selectFrom('sso_oidc_clients')
          .where(isOfConnection('sso_oidc_clients', key))
          .where('version', '=', version)
          .select('is_current')
          .execute()
      : await db
          .selectFrom('sso_metadata_versions')
          .where(isOfConnection('sso_metadata_versions', key))
          .where('version', '=', version)
          .select('is_current')
          .execute()
  return rows[0]?.is_current
}
