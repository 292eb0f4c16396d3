import type { PasswordConnection } from '@portico/contract/password'
import type { NewPasswordConnection, PasswordConnectionChanges } from '@portico/contract/password-input'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { insertFound } from '../../platform/db/insert-if.js'
import { whyNotFound } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { isOfVersion, whyUnchanged } from '../../platform/db/versions.js'
import { isCheckViolation, isUniqueViolation } from '../../platform/db/violations.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import type { Tenant } from '../../platform/tenant.js'
import { makePepperKey } from './pepper.js'
import { passwordConnectionColumns, toPasswordConnection, type PasswordConnectionRow } from './record.js'
import { ofTenant, ownerColumns, tenantColumns } from '../../platform/db/tenant-predicate.js'

/**
 * Enables passwords for an organization in the tenant's environment, and makes its first pepper.
 *
 * @throws ApiError `organization_not_found`, `password_connection_taken`, and `invalid_parameters` when the shortest
 *   password is not shorter than the longest.
 */
export function createPasswordConnection(
  deps: Deps,
  tenant: Tenant,
  input: NewPasswordConnection,
): Promise<Changed<PasswordConnection>> {
  return change(deps, tenant.cause, async (trx) => {
    const at = deps.now()
    const row = await insertFound(trx, 'password_connections', {
      ...tenantColumns(tenant),
      id: newId(),
      ...input,
      inserted_at: at,
      updated_at: at,
    })
      .returning(passwordConnectionColumns)
      .executeTakeFirstOrThrow()
      .catch(asRefusal)
    await insertFirstPepper(deps, trx, tenant, row.organization_id)
    return emit(deps, trx, tenant, { code: 'password.connection.create.success', ...toChanged(row, tenant) })
  })
}

/**
 * The password settings of the organization in the tenant's environment.
 *
 * @throws ApiError `organization_not_found`, `password_connection_not_found`
 */
export async function getPasswordConnection(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
): Promise<Changed<PasswordConnection>> {
  const row = await connectionsOf(db, tenant).select(passwordConnectionColumns).executeTakeFirst()
  if (row === undefined) throw await whyNotFound(db, tenant, 'password_connection_not_found')
  return toChanged(row, tenant)
}

/**
 * Changes the given settings. Inactive, no password signs anybody in, and no password can be set.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `password_connection_not_found`, `precondition_failed`, and
 *   `invalid_parameters` when the shortest password would not be shorter than the longest.
 */
export function updatePasswordConnection(
  deps: Deps,
  tenant: Tenant,
  input: PasswordConnectionChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<PasswordConnection>> {
  return change(deps, tenant.cause, async (trx) => {
    const row = await trx
      .updateTable('password_connections')
      .set({ ...input, updated_at: deps.now(), version: sql`version + 1` })
      .where(ofTenant(tenant))
      .where(isOfVersion(versions))
      .returning(passwordConnectionColumns)
      .executeTakeFirst()
      .catch(asRefusal)
    if (row === undefined)
      throw await whyUnchanged(connectionsOf(trx, tenant).select('id'), () =>
        whyNotFound(trx, tenant, 'password_connection_not_found'),
      )
    return emit(deps, trx, tenant, { code: 'password.connection.update.success', ...toChanged(row, tenant) })
  })
}

function toChanged(row: PasswordConnectionRow, tenant: Tenant) {
  const { organization_id: organizationId, version } = row
  return { record: toPasswordConnection(row, tenant), version, organizationId }
}

async function insertFirstPepper(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  { accountId, environment }: Tenant,
  organizationId: string,
): Promise<void> {
  const version = 1
  await trx
    .insertInto('password_peppers')
    .values({
      ...ownerColumns({ accountId, environment, organizationId }),
      version,
      key_sealed: makePepperKey(keys.master, { accountId, environment, organizationId }, version),
      inserted_at: now(),
    })
    .execute()
}

/** Translates violations of the table's constraints into errors of the contract. */
function asRefusal(error: unknown): never {
  if (isUniqueViolation(error, 'password_connections_pkey'))
    throw new ApiError('password_connection_taken', { cause: error })
  if (isCheckViolation(error, 'password_connections_lengths_check'))
    throw invalid('plain_text_min_length', 'not_lower', 'must be lower than plain_text_max_length')
  throw error
}

function connectionsOf(db: Kysely<DB>, tenant: Tenant) {
  return db.selectFrom('password_connections').where(ofTenant(tenant))
}
