import { sql, type Kysely } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'
import { organizationIdOf, whyNotFound } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { invalid } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import type { PasskeyPage } from './ceremony.js'

type Place = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** The pages of an application, on which passkeys are bound to a domain of its own. */
export interface OwnPage extends PasskeyPage {
  readonly applicationId: string
  readonly redirectUris: readonly string[]
}

/**
 * The pages of an application that the organization can use.
 *
 * @param applicationId Undefined: of the oldest application that has passkeys.
 * @returns Undefined where it has no passkeys, or is gone.
 */
export async function findOwnPage(
  db: Kysely<DB>,
  tenant: Place,
  applicationId: string | undefined,
): Promise<OwnPage | undefined> {
  const row = await applicationsOf(db, tenant)
    .$if(applicationId !== undefined, (query) => query.where('id', '=', applicationId ?? ''))
    .where('passkey_rp_id', 'is not', null)
    .select(['id', 'allowed_web_origins', 'allowed_redirect_urls', sql<string>`passkey_rp_id`.as('rp_id')])
    .orderBy('inserted_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return (
    row && {
      applicationId: row.id,
      rpId: row.rp_id,
      origins: row.allowed_web_origins,
      redirectUris: row.allowed_redirect_urls,
    }
  )
}

/** @throws ApiError `organization_not_found`, `application_not_found`, and `invalid_parameters` where it has no passkeys. */
export async function getOwnPage(
  db: Kysely<DB>,
  tenant: Place,
  applicationId: string | undefined,
): Promise<OwnPage> {
  const page = await findOwnPage(db, tenant, applicationId)
  if (page !== undefined) return page
  const named = applicationsOf(db, tenant).where('id', '=', applicationId ?? '')
  const isThere = applicationId !== undefined && (await named.select('id').executeTakeFirst()) !== undefined
  const why = await whyNotFound(db, tenant, 'application_not_found')
  if (why.code === 'organization_not_found' || (applicationId !== undefined && !isThere)) throw why
  throw invalid('application_id', 'passkey_rp_id_missing', 'must be an application with a passkey_rp_id')
}

/** Every read of applications starts here: those that the organization can use, and no row for an unknown organization. */
function applicationsOf(db: Kysely<DB>, tenant: Place) {
  const organizationId = organizationIdOf(tenant)
  return db
    .selectFrom('applications')
    .where(ofEnvironment(tenant))
    .where(sql<boolean>`(${organizationId} is not null and ${isUsableBy(organizationId)})`)
}
