import type { PageQuery } from '@portico/contract/fields'
import type { MetaKey } from '@portico/contract/metadata'
import { maxMetaKeys } from '@portico/contract/metadata'
import type { NewMetaKey } from '@portico/contract/token-customization'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { insertWhere } from '../../platform/db/insert-if.js'
import { organizationIdOf, whyNotFound } from '../../platform/db/organization-id.js'
import { newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { isUniqueViolation } from '../../platform/db/violations.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { mayChangeProduction } from '../organizations/production.js'
import type { Tenant } from '../../platform/tenant.js'
import { metaKeyColumns, toMetaKey, type MetaKeyRow } from './record.js'
import { ofOrganization, sameOrganization, sameTenant } from '../../platform/db/tenant-predicate.js'

/**
 * Declares a metadata key of the organization, in both environments.
 *
 * @throws ApiError `organization_not_found`, `meta_key_taken`, `meta_keys_exhausted`, and `production_is_up` when a
 *   sandbox key would make production refuse users without a value.
 */
export function createMetaKey(deps: Deps, tenant: Tenant, input: NewMetaKey): Promise<Changed<MetaKey>> {
  return change(deps, tenant.cause, async (trx) => {
    await lockOrganization(trx, tenant)
    const row = await insertWhere(
      trx,
      'meta_keys',
      {
        account_id: tenant.accountId,
        organization_id: organizationIdOf(tenant),
        id: newId(),
        name: input.name,
        type: input.type,
        required: input.required,
        inserted_at: deps.now(),
      },
      sql<boolean>`${mayDeclareMore(tenant)} and ${input.required ? mayChangeProduction(tenant) : sql`true`}`,
    )
      .returning(metaKeyColumns)
      .executeTakeFirst()
      .catch(asMetaKeyTaken)
    if (row === undefined) throw await whyNotDeclared(trx, tenant)
    return emit(deps, trx, tenant, { code: 'metakey.metakey.create.success', ...toChanged(row, tenant) })
  })
}

/**
 * The metadata keys that the organization declares.
 *
 * @throws ApiError `organization_not_found`
 */
export async function listMetaKeys(
  { readDb }: Pick<Deps, 'readDb'>,
  tenant: Tenant,
  query: PageQuery,
): Promise<Page<MetaKey>> {
  return readPage(
    {
      db: readDb,
      query,
      environment: tenant.environment,
      order: newestFirst,
      keys: metaKeysOf(readDb, tenant),
      table: 'meta_keys',
      rows: metaKeysOf(readDb, tenant).select(metaKeyColumns),
      total: () => countMetaKeys(readDb, tenant),
    },
    (row) => toMetaKey(row, tenant),
  )
}

/**
 * Deletes a metadata key together with its values; users who lose one have changed.
 *
 * @throws ApiError `organization_not_found`, `meta_key_not_found`, `meta_key_in_use` where a mapping names it, and
 *   `production_is_up` for a sandbox key.
 */
export function deleteMetaKey(deps: Deps, tenant: Tenant, name: string): Promise<Changed<MetaKey>> {
  return change(deps, tenant.cause, async (trx) => {
    // Waits for values that are being written, so that the deletion sees all of them.
    const isDeclared = await lockKey(trx, tenant, name)
    const row = await trx
      .with('gone', (db) =>
        db
          .deleteFrom('meta_keys')
          .where(ofOrganization({ accountId: tenant.accountId, organizationId: organizationIdOf(tenant) }))
          .where('name', '=', name)
          .where(mayChangeProduction(tenant))
          .where(sql<boolean>`(${mapperOf(tenant, name)}) is null`)
          .returning([...metaKeyColumns, 'meta_keys.account_id']),
      )
      .with('bereft', (db) =>
        db
          .updateTable('users')
          .from(['gone', 'user_metadata as data'])
          .set({ version: sql`users.version + 1`, updated_at: deps.now() })
          .where(sameOrganization('data', 'gone'))
          .whereRef('data.meta_key_id', '=', 'gone.id')
          .where(sameTenant('users', 'data'))
          .whereRef('users.id', '=', 'data.user_id')
          .where('users.deleted_at', 'is', null),
      )
      .selectFrom('gone')
      .select(['id', 'organization_id', 'name', 'type', 'required', 'inserted_at'])
      .executeTakeFirst()
    if (row === undefined) throw await whyNotDeleted(trx, tenant, name, isDeclared)
    return emit(deps, trx, tenant, { code: 'metakey.metakey.delete.success', ...toChanged(row, tenant) })
  })
}

/**
 * The number of declared keys, which is at most maxMetaKeys and thus cheap to count.
 *
 * @throws ApiError `organization_not_found`
 */
async function countMetaKeys(db: Kysely<DB>, tenant: Tenant): Promise<number> {
  const { rows } = await sql<{ organization_id: string | null; total: string }>`
    select ${organizationIdOf(tenant)} as organization_id, (${totalOf(tenant)}) as total`.execute(db)
  const [row] = rows
  if (row === undefined || row.organization_id === null) throw new ApiError('organization_not_found')
  return Number(row.total)
}

function metaKeysOf(db: Kysely<DB>, tenant: Tenant) {
  return db
    .selectFrom('meta_keys')
    .where(
      ofOrganization({ accountId: tenant.accountId, organizationId: organizationIdOf(tenant) }, 'meta_keys'),
    )
}

function totalOf(tenant: Tenant) {
  return sql<string>`
    select count(*) from meta_keys
    where account_id = ${tenant.accountId} and organization_id = ${organizationIdOf(tenant)}`
}

function mayDeclareMore(tenant: Tenant) {
  return sql<boolean>`(${totalOf(tenant)}) < ${maxMetaKeys}`
}

/** Concurrent declarations of one organization wait for each other, so that the count still holds at the insert. */
async function lockOrganization(trx: Transaction<DB>, tenant: Tenant): Promise<void> {
  const row = await trx
    .selectFrom('organizations')
    .where('account_id', '=', tenant.accountId)
    .where('id', '=', organizationIdOf(tenant))
    .where('deleted_at', 'is', null)
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('organization_not_found')
}

/** Locks a key until the transaction ends; false when it is not declared. */
async function lockKey(trx: Transaction<DB>, tenant: Tenant, name: string): Promise<boolean> {
  const row = await metaKeysOf(trx, tenant)
    .where('meta_keys.name', '=', name)
    .select('meta_keys.id')
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** The directory or connection, in either environment, whose mapping names a key; null without one. */
function mapperOf(tenant: Tenant, name: string) {
  const owner = { accountId: tenant.accountId, organizationId: organizationIdOf(tenant) }
  const isNamed = sql`attribute_mapping @> ${JSON.stringify([{ to: `metadata.${name}` }])}::jsonb`
  return sql<string | null>`select coalesce(
    (select 'the directory of ' || environment from directories where ${ofOrganization(owner)} and ${isNamed} limit 1),
    (select 'the SSO connection ' || idp_id from sso_connections where ${ofOrganization(owner)} and ${isNamed} limit 1)
  )`
}

async function whyNotDeleted(
  trx: Transaction<DB>,
  tenant: Tenant,
  name: string,
  isDeclared: boolean,
): Promise<ApiError> {
  if (!isDeclared) return whyNotFound(trx, tenant, 'meta_key_not_found')
  const { rows } = await sql<{ mapper: string | null }>`select (${mapperOf(tenant, name)}) as mapper`.execute(
    trx,
  )
  const mapper = rows[0]?.mapper ?? null
  if (mapper === null) return whyNotFound(trx, tenant, 'production_is_up')
  return new ApiError('meta_key_in_use', {
    message: `attribute_mapping of ${mapper} writes values of this key.`,
  })
}

async function whyNotDeclared(trx: Transaction<DB>, tenant: Tenant): Promise<ApiError> {
  const count = await countMetaKeys(trx, tenant)
  return new ApiError(count >= maxMetaKeys ? 'meta_keys_exhausted' : 'production_is_up')
}

function asMetaKeyTaken(error: unknown): never {
  if (isUniqueViolation(error, 'meta_keys_name_key')) throw new ApiError('meta_key_taken', { cause: error })
  throw error
}

function toChanged(row: MetaKeyRow, tenant: Tenant) {
  return { record: toMetaKey(row, tenant), organizationId: row.organization_id }
}
