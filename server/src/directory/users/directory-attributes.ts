import type { ExtensionSchema } from '@portico/contract/attribute-mapping'
import type { DirectoryAttributes } from '@portico/contract/directory-attributes'
import { enterpriseUserSchema, userSchema } from '@portico/contract/scim'
import { sql, type Kysely } from 'kysely'
import type { DB, Json } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { ofTenant, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { TenantKey } from './whole-user.js'

/** A resource as the directory has it: values by schema and by attribute. */
type Stored = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/**
 * What a directory says of a user beyond the record.
 *
 * @param extensions The schemas that the directory declares: values of others stay where they are.
 * @param managerId The user whom `manager` names, where the directory keeps one of this id.
 */
export function toDirectoryAttributes(
  stored: Stored,
  extensions: readonly ExtensionSchema[],
  managerId: string | null,
): DirectoryAttributes {
  const core = stored[userSchema.id] ?? {}
  const enterprise = stored[enterpriseUserSchema.id] ?? {}
  const name = membersOf(core['name'])
  return {
    display_name: textOf(core['displayName']),
    title: textOf(core['title']),
    user_type: textOf(core['userType']),
    employee_number: textOf(enterprise['employeeNumber']),
    cost_center: textOf(enterprise['costCenter']),
    organization: textOf(enterprise['organization']),
    division: textOf(enterprise['division']),
    department: textOf(enterprise['department']),
    manager: toManager(enterprise['manager'], managerId),
    roles: toValues(core['roles']),
    entitlements: toValues(core['entitlements']),
    preferred_language: textOf(core['preferredLanguage']),
    honorific_prefix: textOf(name['honorificPrefix']),
    honorific_suffix: textOf(name['honorificSuffix']),
    custom: Object.fromEntries(
      extensions.map((schema) => [schema.id, toCustom(schema, stored[schema.id] ?? {})]),
    ),
  }
}

type Simple = string | number | boolean

function toCustom(
  { attributes }: ExtensionSchema,
  values: Stored[string],
): Record<string, Simple | Simple[]> {
  const entries = attributes.flatMap(({ name, multiValued }): [string, Simple | Simple[]][] => {
    const value = values[name]
    const list: readonly unknown[] = Array.isArray(value) ? value : []
    // Elements of a list of simple values are kept as objects.
    const elements = list.map((element) => membersOf(element)['value']).filter(isSimple)
    if (multiValued) return elements.length === 0 ? [] : [[name, elements]]
    return isSimple(value) ? [[name, value]] : []
  })
  return Object.fromEntries(entries)
}

function isSimple(value: unknown): value is Simple {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function toManager(value: unknown, userId: string | null): DirectoryAttributes['manager'] {
  if (value === undefined) return null
  const manager = membersOf(value)
  return { id: textOf(manager['value']), display_name: textOf(manager['displayName']), user_id: userId }
}

function toValues(value: unknown): DirectoryAttributes['roles'] {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return list.map(membersOf).map((element) => ({
    value: textOf(element['value']),
    display: textOf(element['display']),
    type: textOf(element['type']),
    primary: element['primary'] === true,
  }))
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** What the directory says of users, by their ids; without those whom no directory keeps. */
export async function findDirectoryAttributes(
  db: Kysely<DB>,
  wanted: TenantKey & { readonly ids: readonly string[] },
): Promise<ReadonlyMap<string, DirectoryAttributes>> {
  const rows = await selectAttributes(db, wanted)
  return new Map(
    rows.map((row) => [
      row.user_id,
      toDirectoryAttributes(storedIn(row.attributes), extensionsIn(row.extension_schemas), row.manager_id),
    ]),
  )
}

/** Written only by scim/directory-users.ts, from resources. */
function storedIn(attributes: Json): Stored {
  return attributes as unknown as Stored
}

/** Written only by directory-sync/, from the contract's input. */
function extensionsIn(schemas: Json): readonly ExtensionSchema[] {
  return schemas as unknown as readonly ExtensionSchema[]
}

const managerValue = sql<string>`known.attributes -> ${sql.lit(enterpriseUserSchema.id)} -> 'manager' ->> 'value'`

/** SCIM names a manager by the id of the user; other directories send an id of their own, which is no UUID of a user here. */
const managerId = sql<string | null>`(
  select manager.user_id from directory_users manager
  where ${sameTenant('manager', 'known')}
    and manager.directory_id = known.directory_id
    and manager.user_id = case
      when ${managerValue} ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (${managerValue})::uuid
    end
)`

const selectAttributes = statement((db, wanted: TenantKey & { readonly ids: readonly string[] }) =>
  db
    .selectFrom('directory_users as known')
    .where(ofTenant(wanted, 'known'))
    .where(sql<boolean>`known.user_id = any(${wanted.ids}::uuid[])`)
    .innerJoin('directories', (join) =>
      join.on(sameTenant('directories', 'known')).onRef('directories.id', '=', 'known.directory_id'),
    )
    .select([
      'known.user_id',
      'known.attributes',
      'directories.extension_schemas',
      managerId.as('manager_id'),
    ]),
)
