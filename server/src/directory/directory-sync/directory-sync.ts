import type { DirectorySync, DirectorySyncChanges, NewDirectorySync } from '@portico/contract/directory-sync'
import { sql, type Kysely, type Transaction, type UpdateObject } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, makeDirectorySecret } from '../../platform/crypto/secret.js'
import { whyNotFound } from '../../platform/db/organization-id.js'
import type { DB, Json } from '../../platform/db/schema.js'
import { isOfVersion, whyUnchanged } from '../../platform/db/versions.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { create, createIn, creation } from '../../delivery/events/create.js'
import { emit } from '../../delivery/events/emit.js'
import type { Tenant } from '../../platform/tenant.js'
import { scimBaseUrl } from './base-url.js'
import { checkRules, type DirectoryRules } from './mapping-rules.js'
import { directoryColumns, extensionsIn, rulesIn, toDirectorySync, type DirectoryRow } from './record.js'
import { enqueueRemapping } from './remapping.js'
import { ofTenant, sameTenant, tenantColumns } from '../../platform/db/tenant-predicate.js'

/** The tenant as parameters of a statement. */
type TenantKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** The time that a company needs to give its provider the new secret. */
const previousSecretMs = 24 * 60 * 60 * 1000
const hintLength = 4

/** The parameters of a statement that inserts a directory. */
type DirectoryInsertion = TenantKey &
  Pick<DirectoryRow, 'id' | 'provider_type' | 'active' | 'takes_over_users'> &
  ReturnType<typeof storedSecret> &
  ReturnType<typeof rulesColumns> & { readonly at: Date }

/** The columns of a new directory that its record shows. */
function knownColumns(directory: DirectoryInsertion) {
  return {
    id: directory.id,
    provider_type: directory.provider_type,
    active: directory.active,
    takes_over_users: directory.takes_over_users,
    extension_schemas: directory.extension_schemas,
    attribute_mapping: directory.attribute_mapping,
    mapping_revision: 0,
    mapping_done: null,
    mapping_total: null,
    secret_hint: directory.secret_hint,
    previous_secret_expires_at: null,
    version: 1,
    inserted_at: directory.at,
    updated_at: directory.at,
  }
}

const insertDirectory = creation((db, directory: DirectoryInsertion) =>
  db
    .insertInto('directories')
    .values({
      ...tenantColumns(directory),
      ...knownColumns(directory),
      secret_hash: directory.secret_hash,
    })
    .onConflict((conflict) => conflict.constraint('directories_organization_key').doNothing())
    .returning('organization_id'),
)

/**
 * Creates the directory of an organization in the tenant's environment. Only this answer contains its secret.
 *
 * @throws ApiError `organization_not_found`, `directory_sync_taken`, and `invalid_parameters` for rules that checkRules() refuses.
 */
export function createDirectorySync(
  deps: Deps,
  tenant: Tenant,
  { provider_type, active = true, takes_over_users = false, ...input }: NewDirectorySync,
): Promise<Changed<DirectorySync>> {
  const rules = rulesOf(input, noRules)
  const { accountId, environment, domain, organizationIds } = tenant
  const secret = makeDirectorySecret(environment)
  const parameters = {
    ...{ accountId, environment, domain, organizationIds },
    ...{ id: newId(), provider_type, active, takes_over_users },
    ...storedSecret(secret),
    ...rulesColumns(rules),
    at: deps.now(),
  }
  const columns = { ...knownColumns(parameters), ...asRead(parameters) }
  const emission = {
    code: 'dir_sync.directory.create.success',
    ...toShown(deps, tenant, columns, secret),
  } as const
  const directory = { insert: insertDirectory, parameters, emission }
  const taken = () => new ApiError('directory_sync_taken')
  if (isWithoutRules(rules)) return create(deps, tenant, directory, taken)
  return change(deps, tenant.cause, async (trx) => {
    const created = await createIn(deps, trx, tenant, directory)
    if (created === undefined) throw taken()
    await checkRules(trx, tenant, rules)
    return created
  })
}

/** @throws ApiError `organization_not_found`, `directory_sync_not_found` */
export async function getDirectorySync(
  deps: Pick<Deps, 'config' | 'db'>,
  tenant: Tenant,
): Promise<Changed<DirectorySync>> {
  const row = await directoriesOf(deps.db, tenant).select(directoryColumns).executeTakeFirst()
  if (row === undefined) throw await whyNotFound(deps.db, tenant, 'directory_sync_not_found')
  return toChanged(deps, tenant, row)
}

/**
 * Changes the given settings of a directory. Inactive, it answers its provider with 403, and its users stay as they
 * are. Other schemas or rules are applied to its users by a job.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `directory_sync_not_found`, `precondition_failed`, and `invalid_parameters` for rules
 *   that checkRules() refuses.
 */
export function updateDirectorySync(
  deps: Deps,
  tenant: Tenant,
  { environment: _, extension_schemas, attribute_mapping, ...input }: DirectorySyncChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<DirectorySync>> {
  return change(deps, tenant.cause, async (trx) => {
    const isRuled = extension_schemas !== undefined || attribute_mapping !== undefined
    const sent = { extension_schemas, attribute_mapping }
    const columns = isRuled ? await toRuledColumns(trx, tenant, versions, sent) : {}
    const row = await changeRow(trx, tenant, versions, { ...input, ...columns, updated_at: deps.now() })
    if ('mapping_revision' in columns) await enqueueRemapping(deps, trx, remappingOf(tenant, row))
    return emit(deps, trx, tenant, {
      code: 'dir_sync.directory.update.success',
      ...toChanged(deps, tenant, row),
    })
  })
}

/**
 * Gives a directory a new secret, which only this answer contains. The replaced one stays valid for 24 hours; an
 * earlier one that was still valid beside it ends.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `directory_sync_not_found`, `precondition_failed`
 */
export function resetDirectorySync(
  deps: Deps,
  tenant: Tenant,
  versions: readonly number[] | undefined,
): Promise<Changed<DirectorySync>> {
  return change(deps, tenant.cause, async (trx) => {
    const at = deps.now()
    const secret = makeDirectorySecret(tenant.environment)
    const row = await changeRow(trx, tenant, versions, {
      ...storedSecret(secret),
      previous_secret_hash: sql`secret_hash`,
      previous_secret_expires_at: new Date(at.getTime() + previousSecretMs),
      updated_at: at,
    })
    return emit(deps, trx, tenant, {
      code: 'dir_sync.directory.reset.success',
      ...toChanged(deps, tenant, row, secret),
    })
  })
}

/**
 * Deletes a directory with its groups and its data about users, who stay and are no longer managed.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `directory_sync_not_found`, `precondition_failed`
 */
export function deleteDirectorySync(
  deps: Deps,
  tenant: Tenant,
  versions: readonly number[] | undefined,
): Promise<Changed<DirectorySync>> {
  return change(deps, tenant.cause, async (trx) => {
    const row = await trx
      .deleteFrom('directories')
      .where(ofTenant(tenant))
      .where(isOfVersion(versions))
      .returning(directoryColumns)
      .executeTakeFirst()
    if (row === undefined) throw await whyDirectoryUnchanged(trx, tenant)
    return emit(deps, trx, tenant, {
      code: 'dir_sync.directory.delete.success',
      ...toChanged(deps, tenant, row),
    })
  })
}

type SentRules = Pick<DirectorySyncChanges, 'extension_schemas' | 'attribute_mapping'>

const noRules: DirectoryRules = { extension_schemas: [], attribute_mapping: [] }

/** The rules as they are stored, where one of them is not sent those of before. */
function rulesOf(
  { extension_schemas, attribute_mapping }: SentRules,
  before: DirectoryRules,
): DirectoryRules {
  return {
    extension_schemas:
      extension_schemas?.map(({ id, attributes }) => ({
        id,
        attributes: attributes.map(({ name, type, multiValued = false }) => ({ name, type, multiValued })),
      })) ?? before.extension_schemas,
    attribute_mapping: attribute_mapping ?? before.attribute_mapping,
  }
}

function isWithoutRules({ extension_schemas, attribute_mapping }: DirectoryRules): boolean {
  return extension_schemas.length === 0 && attribute_mapping.length === 0
}

function rulesColumns({ extension_schemas, attribute_mapping }: DirectoryRules) {
  return {
    extension_schemas: JSON.stringify(extension_schemas),
    attribute_mapping: JSON.stringify(attribute_mapping),
  }
}

/** Columns of JSON as they will be read, of the texts that are written. */
function asRead({ extension_schemas, attribute_mapping }: ReturnType<typeof rulesColumns>) {
  return {
    extension_schemas: JSON.parse(extension_schemas) as Json,
    attribute_mapping: JSON.parse(attribute_mapping) as Json,
  }
}

/** The columns of other rules, which begin to be applied anew; none where they are as before. */
async function toRuledColumns(
  trx: Transaction<DB>,
  tenant: Tenant,
  versions: readonly number[] | undefined,
  sent: SentRules,
) {
  const row = await directoriesOf(trx, tenant)
    .where(isOfVersion(versions))
    .select(['extension_schemas', 'attribute_mapping'])
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (row === undefined) throw await whyDirectoryUnchanged(trx, tenant)
  const before = { extension_schemas: extensionsIn(row), attribute_mapping: rulesIn(row) }
  const rules = rulesOf(sent, before)
  if (isDeepStrictEqual(rules, before)) return {}
  await checkRules(trx, tenant, rules)
  return {
    ...rulesColumns(rules),
    mapping_revision: sql<number>`mapping_revision + 1`,
    mapping_done: 0,
    mapping_total: sql<number>`(
      select count(*) from directory_users as kept
      where ${sameTenant('kept', 'directories')} and kept.directory_id = directories.id
    )`,
    mapping_position: null,
  }
}

function remappingOf({ accountId, environment }: Tenant, row: DirectoryRow) {
  const { organization_id: organizationId, id: directoryId, mapping_revision: revision } = row
  return { accountId, environment, organizationId, directoryId, revision }
}

/** Every read of directories by the API starts here, so that no query can forget its tenant. */
export function directoriesOf(db: Kysely<DB>, tenant: Tenant) {
  return db.selectFrom('directories').where(ofTenant(tenant))
}

async function changeRow(
  trx: Transaction<DB>,
  tenant: Tenant,
  versions: readonly number[] | undefined,
  columns: UpdateObject<DB, 'directories'>,
): Promise<DirectoryRow> {
  const row = await trx
    .updateTable('directories')
    .set({ ...columns, version: sql`version + 1` })
    .where(ofTenant(tenant))
    .where(isOfVersion(versions))
    .returning(directoryColumns)
    .executeTakeFirst()
  if (row === undefined) throw await whyDirectoryUnchanged(trx, tenant)
  return row
}

function whyDirectoryUnchanged(trx: Transaction<DB>, tenant: Tenant): Promise<ApiError> {
  const directory = directoriesOf(trx, tenant).select('id')
  return whyUnchanged(directory, () => whyNotFound(trx, tenant, 'directory_sync_not_found'))
}

function storedSecret(secret: string) {
  return { secret_hash: hashSecret(secret), secret_hint: secret.slice(-hintLength) }
}

function toChanged(deps: Pick<Deps, 'config'>, tenant: Tenant, row: DirectoryRow, secret?: string) {
  return { ...toShown(deps, tenant, row, secret), organizationId: row.organization_id }
}

function toShown(
  { config }: Pick<Deps, 'config'>,
  tenant: Tenant,
  row: Omit<DirectoryRow, 'organization_id'>,
  secret: string | null = null,
) {
  const baseUrl = scimBaseUrl(config.baseUrl, row.id)
  return { record: toDirectorySync(row, tenant, { baseUrl, secret }), version: row.version }
}
