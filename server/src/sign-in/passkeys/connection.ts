import {
  passkeyGraceDays,
  type PasskeyConnection,
  type PasskeyConnectionChanges,
} from '@portico/contract/passkeys'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { checkSecondFactorLeft } from '../../directory/organization-policy/organization-policy.js'
import { insertFrom } from '../../platform/db/insert-if.js'
import { organizationExists, organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import {
  isOrganizationOf,
  ofEnvironment,
  ofTenant,
  tenantColumns,
} from '../../platform/db/tenant-predicate.js'
import { isOfVersion } from '../../platform/db/versions.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import { toPasskeyConnection } from './record.js'

/** The connection of an organization that was there before passkeys, and has not changed it. */
const unwritten = {
  active: false,
  first_factor: true,
  synced: true,
  requirement: 'optional',
  grace_days: passkeyGraceDays.default,
  prompt: 'account_page',
  version: 1,
}

/**
 * The settings of passkeys of the organization in the tenant's environment.
 *
 * @throws ApiError `organization_not_found`
 */
export async function getPasskeyConnection(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
): Promise<Changed<PasskeyConnection>> {
  const row = await selectConnection(db, tenant)
  if (row === undefined) throw new ApiError('organization_not_found')
  const { organization_id: organizationId, inserted_at } = row
  const connection = {
    active: row.active ?? unwritten.active,
    first_factor: row.first_factor ?? unwritten.first_factor,
    synced: row.synced ?? unwritten.synced,
    requirement: row.requirement ?? unwritten.requirement,
    grace_days: row.grace_days ?? unwritten.grace_days,
    prompt: row.prompt ?? unwritten.prompt,
    inserted_at,
    updated_at: row.updated_at ?? inserted_at,
  }
  return {
    record: toPasskeyConnection(connection, tenant),
    version: row.version ?? unwritten.version,
    organizationId,
  }
}

/** Whether a passkey signs in by itself at an organization of the account. */
export async function isFirstFactorAnywhere(
  { db, config }: Pick<Deps, 'config' | 'db'>,
  { accountId, environment }: Pick<Tenant, 'accountId' | 'environment'>,
): Promise<boolean> {
  if (config.passkeyRpId === undefined) return false
  const row = await db
    .selectFrom('passkey_connections')
    .where(ofEnvironment({ accountId, environment }))
    // Without parameters, because a plan for all parameters cannot use the partial index for them.
    .where(sql<boolean>`active and first_factor`)
    .select('version')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

function selectConnection(db: Kysely<DB>, tenant: Tenant) {
  return db
    .selectFrom('organizations')
    .leftJoin('passkey_connections as connection', (join) =>
      join
        .on(isOrganizationOf('organizations', 'connection'))
        .on('connection.environment', '=', tenant.environment),
    )
    .where('organizations.account_id', '=', tenant.accountId)
    .where('organizations.id', '=', organizationIdOf(tenant))
    .select([
      'organizations.id as organization_id',
      'organizations.inserted_at',
      'connection.active',
      'connection.first_factor',
      'connection.synced',
      'connection.requirement',
      'connection.grace_days',
      'connection.prompt',
      'connection.version',
      'connection.updated_at',
    ])
    .executeTakeFirst()
}

/**
 * Changes the given settings. Switched off, passkeys stay, and sign nobody in.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `precondition_failed`, and `invalid_parameters` for switching off the only second factor
 *   of a policy that demands one, and for a demand of passkeys that nobody can have.
 */
export function updatePasskeyConnection(
  deps: Deps,
  tenant: Tenant,
  { active, requirement, ...others }: PasskeyConnectionChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<PasskeyConnection>> {
  if (requirement === 'required' && deps.config.passkeyRpId === undefined)
    throw invalid('requirement', 'not_available', 'must be optional: the service has no domain for passkeys')
  return change(deps, tenant.cause, async (trx) => {
    if (active === false) await lockCodes(trx, tenant)
    await insertUnwritten(deps, trx, tenant)
    const changed = await trx
      .updateTable('passkey_connections')
      .set({
        ...others,
        ...(active !== undefined && { active }),
        ...(requirement !== undefined && { requirement }),
        required_at: requiredSince({ active, requirement }, deps.now()),
        updated_at: deps.now(),
        version: sql`version + 1`,
      })
      .where(ofTenant(tenant))
      .where(isOfVersion(versions))
      .returning('version')
      .executeTakeFirst()
    if (changed === undefined)
      throw new ApiError(
        (await organizationExists(trx, tenant)) ? 'precondition_failed' : 'organization_not_found',
      )
    if (active === false) await checkSecondFactorLeft(deps, trx, tenant)
    const connection = await getPasskeyConnection({ db: trx }, tenant)
    return emit(deps, trx, tenant, { code: 'passkey.connection.update.success', ...connection })
  })
}

/** The time from which passkeys are demanded, which a second request for the same does not move. */
function requiredSince(
  { active, requirement }: Pick<PasskeyConnectionChanges, 'active' | 'requirement'>,
  at: Date,
) {
  const isActive = active === undefined ? sql.ref('active') : sql`${active}::boolean`
  const rule = requirement === undefined ? sql.ref('requirement') : sql`${requirement}::text`
  return sql<Date | null>`case when ${isActive} and ${rule} = 'required'
    then coalesce(required_at, ${at}::timestamptz) end`
}

/** Before the passkeys, as everything that asks for both, so that none of them waits for another that waits for it. */
async function lockCodes(trx: Transaction<DB>, tenant: Tenant): Promise<void> {
  await trx.selectFrom('totp_connections').where(ofTenant(tenant)).select('active').forShare().execute()
}

/** Writes the connection that the organization has without a row, so that one update decides about its version. */
async function insertUnwritten(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
): Promise<void> {
  const at = now()
  const row = { ...tenantColumns(tenant), ...unwritten, inserted_at: at, updated_at: at }
  await insertFrom(trx, 'passkey_connections', row, sql`where ${organizationIdOf(tenant)} is not null`)
    .onConflict((conflict) => conflict.constraint('passkey_connections_pkey').doNothing())
    .execute()
}
