import type { ExtensionSchema } from '@portico/contract/attribute-mapping'
import {
  enterpriseUserSchema,
  groupSchema,
  toScimSchema,
  userSchema,
  type ScimAttribute,
  type ScimSchema,
} from '@portico/contract/scim'

/** The schemas of a resource type. */
export interface ResourceSchemas {
  readonly name: 'User' | 'Group'
  readonly core: ScimSchema
  readonly extensions: readonly ScimSchema[]
}

export const userSchemas: ResourceSchemas = {
  name: 'User',
  core: userSchema,
  extensions: [enterpriseUserSchema],
}
/** The schemas of users of a directory, which may declare more. */
export function userSchemasOf(extensions: readonly ExtensionSchema[]): ResourceSchemas {
  if (extensions.length === 0) return userSchemas
  return { ...userSchemas, extensions: [...userSchemas.extensions, ...extensions.map(toScimSchema)] }
}

export const groupSchemas: ResourceSchemas = { name: 'Group', core: groupSchema, extensions: [] }

/** An attribute, or a member of one, with its schema. */
export interface SchemaPath {
  readonly schema: ScimSchema
  readonly attribute: ScimAttribute
  readonly sub: ScimAttribute | undefined
}

/** The attribute that a path ends in. */
export function leafOf({ attribute, sub }: SchemaPath): ScimAttribute {
  return sub ?? attribute
}

/** The canonical text of a path. */
export function pathTextOf({ schema, attribute, sub }: SchemaPath, { core }: ResourceSchemas): string {
  const name = sub === undefined ? attribute.name : `${attribute.name}.${sub.name}`
  return schema === core ? name : `${schema.id}:${name}`
}

/** An attribute by its name, case-insensitively (RFC 7643 section 2.1). */
export function attributeNamed(
  attributes: readonly ScimAttribute[] | undefined,
  name: string,
): ScimAttribute | undefined {
  const lower = name.toLowerCase()
  return attributes?.find((attribute) => attribute.name.toLowerCase() === lower)
}

/** The schema of an id, case-insensitively. */
export function schemaNamed({ core, extensions }: ResourceSchemas, id: string): ScimSchema | undefined {
  const lower = id.toLowerCase()
  return [core, ...extensions].find((schema) => schema.id.toLowerCase() === lower)
}

/**
 * Splits the schema's id from a path. A path without one belongs to the core schema, or to the extension that has an
 * attribute of this name: Entra ID writes `manager`.
 */
export function splitSchema(
  { core, extensions }: ResourceSchemas,
  path: string,
): { readonly schema: ScimSchema; readonly rest: string } {
  const lower = path.toLowerCase()
  const named = [core, ...extensions].find(({ id }) => lower.startsWith(`${id.toLowerCase()}:`))
  if (named !== undefined) return { schema: named, rest: path.slice(named.id.length + 1) }
  const name = /^[\w-]*/.exec(path)?.[0] ?? ''
  const schema = [core, ...extensions].find(
    ({ attributes }) => attributeNamed(attributes, name) !== undefined,
  )
  return { schema: schema ?? core, rest: path }
}

/**
 * Finds the attribute of a path such as `userName`, `name.givenName` or an extension's id, a colon and `department`
 * (RFC 7644 section 3.10).
 */
export function findPath(schemas: ResourceSchemas, path: string): SchemaPath | undefined {
  const { schema, rest } = splitSchema(schemas, path)
  const [name = '', subName, ...deeper] = rest.split('.')
  const attribute = attributeNamed(schema.attributes, name)
  if (attribute === undefined || deeper.length > 0) return undefined
  if (subName === undefined) return { schema, attribute, sub: undefined }
  const sub = attributeNamed(attribute.subAttributes, subName)
  return sub === undefined ? undefined : { schema, attribute, sub }
}

/** Whether a path names its attributes in the case of the schema. */
export function isWrittenAsIs({ attribute, sub }: Omit<SchemaPath, 'schema'>, path: string): boolean {
  return path.includes(attribute.name) && (sub === undefined || path.includes(sub.name))
}
