import type { DirectorySync, DirectorySyncChanges, NewDirectorySync } from '@portico/contract/directory-sync'
import { sql, type Kysely, type Transaction, type UpdateObject } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, makeDirectorySecret } from '../../platform/crypto/secret.js'
import { insertFound } from '../../platform/db/insert-if.js'
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
import { checkRules, isAttributeOfRoles, type DirectoryRules } from './mapping-rules.js'
import { directoryColumns, extensionsIn, rulesIn, toDirectorySync, type DirectoryRow } from './record.js'
import { enqueueRemapping } from './remapping.js'
import {
  attributesOf,
  checkMayMapRoles,
  noRoleMapping,
  replaceRoleRules,
  roleRulesOf,
  toNewRoleRules,
  toRoleMapping,
  type RoleMapper,
  type SentRoleMapping,
} from '../roles/role-mapping.js'
import { ofTenant, sameTenant, tenantColumns } from '../../platform/db/tenant-predicate.js'

/** The tenant as parameters of a statement. */
type TenantKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** The time that a company needs to give its provider the new secret. */
const previousSecretMs = 24 * 60 * 60 * 1000
const hintLength = 4

/** The parameters of a statement that inserts a directory. */
type DirectoryInsertion = TenantKey &
  Pick<DirectoryRow, 'id' | 'provider_type' | 'active' | 'takes_over_users' | 'role_mapping_mode'> &
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
    role_mapping_mode: directory.role_mapping_mode,
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
  insertFound(db, 'directories', {
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
 * @throws ApiError `organization_not_found`, `directory_sync_taken`, `insufficient_scope` for roles that the key may not give, and
 *   `invalid_parameters` for rules that checkRules() or replaceRoleRules() refuses.
 */
export function createDirectorySync(
  deps: Deps,
  tenant: Tenant & RoleMapper,
  { provider_type, active = true, takes_over_users = false, role_mapping, ...input }: NewDirectorySync,
): Promise<Changed<DirectorySync>> {
  if (role_mapping !== undefined) checkMayMapRoles(tenant)
  const rules = rulesOf(input, noRules)
  const { accountId, environment, domain, organizationIds } = tenant
  const secret = makeDirectorySecret(environment)
  const parameters = {
    ...{ accountId, environment, domain, organizationIds },
    ...{ id: newId(), provider_type, active, takes_over_users },
    role_mapping_mode: role_mapping?.mode ?? null,
    ...storedSecret(secret),
    ...rulesColumns(rules),
    at: deps.now(),
  }
  const role_rules = toNewRoleRules(role_mapping ?? noRoleMapping)
  const columns = { ...knownColumns(parameters), ...asRead(parameters), role_rules }
  const emission = {
    code: 'dir_sync.directory.create.success',
    ...toShown(deps, tenant, columns, secret),
  } as const
  const directory = { insert: insertDirectory, parameters, emission }
  const taken = () => new ApiError('directory_sync_taken')
  if (isWithoutRules(rules) && role_mapping === undefined) return create(deps, tenant, directory, taken)
  return change(deps, tenant.cause, async (trx) => {
    const created = await createIn(deps, trx, tenant, directory)
    if (created === undefined) throw taken()
    await checkRules(trx, tenant, rules)
    if (role_mapping !== undefined) await replaceRules(trx, tenant, parameters.id, { rules, role_mapping })
    return created
  })
}

/** @throws ApiError `organization_not_found`, `directory_sync_not_found` */
export async function getDirectorySync(
  deps: Pick<Deps, 'config' | 'db'>,
  tenant: Tenant,
): Promise<Changed<DirectorySync>> {
  const row = await directoriesOf(deps.db, tenant).select(wholeDirectory()).executeTakeFirst()
  if (row === undefined) throw await whyNotFound(deps.db, tenant, 'directory_sync_not_found')
  return toChanged(deps, tenant, row)
}

/**
 * Changes the given settings of a directory. Inactive, it answers its provider with 403, and its users stay as they
 * are. Other schemas or rules are applied to its users by a job; roles of groups are as they are at once.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `directory_sync_not_found`, `precondition_failed`, `insufficient_scope` for roles that the
 *   key may not give, and `invalid_parameters` for rules that checkRules() or replaceRoleRules() refuses.
 */
export function updateDirectorySync(
  deps: Deps,
  tenant: Tenant & RoleMapper,
  { environment: _, extension_schemas, attribute_mapping, role_mapping, ...input }: DirectorySyncChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<DirectorySync>> {
  if (role_mapping !== undefined) checkMayMapRoles(tenant)
  return change(deps, tenant.cause, async (trx) => {
    const sent = { extension_schemas, attribute_mapping, role_mapping }
    const isRuled = Object.values(sent).some((rules) => rules !== undefined)
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
      .returning(wholeDirectory())
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

interface SentMappings extends SentRules {
  readonly role_mapping: SentRoleMapping | undefined
}

/** The columns of other rules, after those that give roles were replaced; what users must be read for begins to be applied anew. */
async function toRuledColumns(
  trx: Transaction<DB>,
  tenant: Tenant,
  versions: readonly number[] | undefined,
  { role_mapping, ...sent }: SentMappings,
) {
  const row = await directoriesOf(trx, tenant)
    .where(isOfVersion(versions))
    .select(wholeDirectory())
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (row === undefined) throw await whyDirectoryUnchanged(trx, tenant)
  const before = { extension_schemas: extensionsIn(row), attribute_mapping: rulesIn(row) }
  const rules = rulesOf(sent, before)
  const rolesBefore = toRoleMapping(row.role_mapping_mode, row.role_rules)
  const roles: SentRoleMapping = role_mapping ?? rolesBefore
  const isOther = !isDeepStrictEqual(rules, before)
  if (isOther) await checkRules(trx, tenant, rules)
  if (isOther || role_mapping !== undefined)
    await replaceRules(trx, tenant, row.id, { rules, role_mapping: roles })
  const isApplied = !isOther && isDeepStrictEqual(attributesOf(roles.rules), attributesOf(rolesBefore.rules))
  return {
    ...(role_mapping !== undefined && { role_mapping_mode: role_mapping.mode }),
    ...(!isApplied && { ...rulesColumns(rules), ...unapplied() }),
  }
}

/** The columns by which the job begins anew. */
function unapplied() {
  return {
    mapping_revision: sql<number>`mapping_revision + 1`,
    mapping_done: 0,
    mapping_total: sql<number>`(
      select count(*) from directory_users as kept
      where ${sameTenant('kept', 'directories')} and kept.directory_id = directories.id
    )`,
    mapping_position: null,
  }
}

interface RulesOfDirectory {
  readonly rules: DirectoryRules
  readonly role_mapping: SentRoleMapping
}

function replaceRules(
  trx: Transaction<DB>,
  tenant: Tenant,
  id: string,
  { rules, role_mapping }: RulesOfDirectory,
): Promise<void> {
  const source = { kind: 'directory_id', id } as const
  return replaceRoleRules(trx, tenant, source, { ...role_mapping, isKnown: isAttributeOfRoles(rules) })
}

function remappingOf({ accountId, environment }: Tenant, row: DirectoryRow) {
  const { organization_id: organizationId, id: directoryId, mapping_revision: revision } = row
  return { accountId, environment, organizationId, directoryId, revision }
}

/** The columns of a directory's record. */
function wholeDirectory() {
  return [...directoryColumns, roleRulesOf('directories').as('role_rules')] as const
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
    .returning(wholeDirectory())
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
  const roleMapping = toRoleMapping(row.role_mapping_mode, row.role_rules)
  return { record: toDirectorySync(row, tenant, { baseUrl, secret, roleMapping }), version: row.version }
}
