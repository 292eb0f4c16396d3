import {
  defaultTotpExpiry,
  type TotpConnection,
  type TotpConnectionChanges,
  type TotpMethod,
} from '@portico/contract/totp'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { isOfVersion, whyUnchanged } from '../../platform/db/versions.js'
import type { Deps } from '../../delivery/deps.js'
import { checkSecondFactorLeft } from '../../directory/organization-policy/organization-policy.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { smsRouteOf } from '../../delivery/sms/deliver.js'
import type { Tenant } from '../../platform/tenant.js'
import { totpConnectionColumns, toTotpConnection } from './record.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'

/**
 * The second-factor settings of the organization in the tenant's environment.
 *
 * @throws ApiError `organization_not_found`
 */
export async function getTotpConnection(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
): Promise<Changed<TotpConnection>> {
  const row = await connectionsOf(db, tenant).select(totpConnectionColumns).executeTakeFirst()
  if (row === undefined) throw new ApiError('organization_not_found')
  return { record: toTotpConnection(row, tenant), version: row.version }
}

/**
 * Changes the given settings; another method comes with its own expiry. Inactive, the connection asks for no code and
 * accepts no code.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `precondition_failed`, and `invalid_parameters` for sms where nothing can
 *   be sent, and for switching off what the policy demands.
 */
export function updateTotpConnection(
  deps: Deps,
  tenant: Tenant,
  { active, method, expiry_in_seconds: expiry }: TotpConnectionChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<TotpConnection>> {
  checkCanBeSent(deps, tenant, method)
  return change(deps, tenant.cause, async (trx) => {
    const row = await trx
      .updateTable('totp_connections')
      .set({
        ...(active !== undefined && { active }),
        ...(method !== undefined && { method, expiry_in_seconds: expiryWith(method) }),
        ...(expiry !== undefined && { expiry_in_seconds: expiry }),
        updated_at: deps.now(),
        version: sql`version + 1`,
      })
      .where(ofTenant(tenant))
      .where(isOfVersion(versions))
      .returning(totpConnectionColumns)
      .executeTakeFirst()
    if (row === undefined)
      throw await whyUnchanged(connectionsOf(trx, tenant).select('version'), 'organization_not_found')
    if (active === false) await checkSecondFactorLeft(deps, trx, tenant)
    return emit(deps, trx, tenant, {
      code: 'totp.connection.update.success',
      record: toTotpConnection(row, tenant),
      version: row.version,
      organizationId: row.organization_id,
    })
  })
}

/** The present expiry while the method stays, else the default of the new one. */
function expiryWith(method: TotpMethod) {
  return sql<number>`case when method = ${method} then expiry_in_seconds else ${defaultTotpExpiry[method]} end`
}

function checkCanBeSent({ config }: Pick<Deps, 'config'>, tenant: Tenant, method: string | undefined): void {
  if (method === 'sms' && smsRouteOf(config, tenant.environment) === 'none')
    throw invalid('method', 'not_available', 'must be totp_mobile_app: the service sends no text messages')
}

/** Every organization has one connection per environment, from its creation on. */
function connectionsOf(db: Kysely<DB>, tenant: Tenant) {
  return db.selectFrom('totp_connections').where(ofTenant(tenant))
}
