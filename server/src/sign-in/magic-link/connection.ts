import type { MagicLinkConnection, MagicLinkConnectionChanges } from '@portico/contract/magic-link'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { isOfVersion, whyUnchanged } from '../../platform/db/versions.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import type { Tenant } from '../../platform/tenant.js'
import { magicLinkConnectionColumns, toMagicLinkConnection } from './record.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'

/**
 * The magic-link settings of the organization in the tenant's environment.
 *
 * @throws ApiError `organization_not_found`
 */
export async function getMagicLinkConnection(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
): Promise<Changed<MagicLinkConnection>> {
  const row = await connectionsOf(db, tenant).select(magicLinkConnectionColumns).executeTakeFirst()
  if (row === undefined) throw new ApiError('organization_not_found')
  return { record: toMagicLinkConnection(row, tenant), version: row.version }
}

/**
 * Changes the given settings. Inactive, no link is made, and no open link works.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `precondition_failed`
 */
export function updateMagicLinkConnection(
  deps: Deps,
  tenant: Tenant,
  input: MagicLinkConnectionChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<MagicLinkConnection>> {
  return change(deps, tenant.cause, async (trx) => {
    const row = await trx
      .updateTable('magic_link_connections')
      .set({ ...input, updated_at: deps.now(), version: sql`version + 1` })
      .where(ofTenant(tenant))
      .where(isOfVersion(versions))
      .returning(magicLinkConnectionColumns)
      .executeTakeFirst()
    if (row === undefined)
      throw await whyUnchanged(connectionsOf(trx, tenant).select('id'), 'organization_not_found')
    return emit(deps, trx, tenant, {
      code: 'magic_link.connection.update.success',
      record: toMagicLinkConnection(row, tenant),
      version: row.version,
      organizationId: row.organization_id,
    })
  })
}

/** Every organization has one connection per environment, from its creation on. */
function connectionsOf(db: Kysely<DB>, tenant: Tenant) {
  return db.selectFrom('magic_link_connections').where(ofTenant(tenant))
}
