import { scimLimits, type ScimAttribute, type ScimSchema } from '@portico/contract/scim'
import {
  findPath,
  schemaNamed,
  type ResourceSchemas,
  type SchemaPath,
} from '../../directory/directory-sync/schema-path.js'
import {
  invalidValue,
  isComplex,
  isList,
  type ScimAttributes,
  type ScimComplex,
  type ScimResource,
  type ScimSimple,
  type ScimValue,
} from './values.js'

/** The attributes of an answer (RFC 7644 section 3.9). */
export interface Projection {
  /** Only these, besides those that every answer has. */
  readonly only: readonly Named[] | undefined
  readonly without: readonly Named[]
}

/** A whole schema, an attribute or a member of one. */
type Named =
  | SchemaPath
  | { readonly schema: ScimSchema; readonly attribute: undefined; readonly sub: undefined }

/**
 * Parses `attributes` and `excludedAttributes`; unknown names are ignored.
 *
 * @throws ScimError 400 `invalidValue` where both are given
 */
export function readProjection(
  schemas: ResourceSchemas,
  query: Readonly<Record<string, unknown>>,
): Projection {
  const only = namesOf('attributes', query['attributes'])
  const without = namesOf('excludedAttributes', query['excludedAttributes'])
  if (only.length > 0 && without.length > 0)
    throw invalidValue('excludedAttributes', 'must not be given together with attributes')
  return {
    only: only.length === 0 ? undefined : only.flatMap((name) => named(schemas, name)),
    without: without.flatMap((name) => named(schemas, name)),
  }
}

function namesOf(parameter: string, value: unknown): string[] {
  if (value === undefined || value === null) return []
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value]
  const names = texts.flatMap((text) => {
    if (typeof text !== 'string') throw invalidValue(parameter, 'must be names of attributes')
    return text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
  })
  // Each attribute of each resource is searched in this list.
  if (names.length > scimLimits.attributeNames)
    throw invalidValue(parameter, `must name at most ${scimLimits.attributeNames} attributes`)
  return names
}

function named(schemas: ResourceSchemas, name: string): Named[] {
  const schema = schemaNamed(schemas, name)
  if (schema !== undefined) return [{ schema, attribute: undefined, sub: undefined }]
  const path = findPath(schemas, name)
  return path === undefined ? [] : [path]
}

/** Whether an answer has an attribute, or a member of it. */
export function isAnswered(
  { only, without }: Projection,
  schema: ScimSchema,
  attribute: ScimAttribute,
): boolean {
  if (attribute.returned === 'always') return true
  if (attribute.returned === 'never') return false
  const isSelected = (part: Named) =>
    part.schema === schema && (part.attribute === undefined || part.attribute === attribute)
  if (only !== undefined) return only.some(isSelected)
  return !without.some((part) => isSelected(part) && part.sub === undefined)
}

/** The body of a resource: the requested attributes, those of an extension under its schema id. */
export function toBody(schemas: ResourceSchemas, resource: ScimResource, projection: Projection): object {
  const parts = [schemas.core, ...schemas.extensions].map((schema) => ({
    schema,
    attributes: answered(projection, schema, resource[schema.id] ?? {}),
  }))
  const extensions = parts.filter(
    ({ schema, attributes }) => schema !== schemas.core && Object.keys(attributes).length > 0,
  )
  return {
    schemas: [schemas.core.id, ...extensions.map(({ schema }) => schema.id)],
    ...parts[0]?.attributes,
    ...Object.fromEntries(extensions.map(({ schema, attributes }) => [schema.id, attributes])),
  }
}

function answered(projection: Projection, schema: ScimSchema, values: ScimAttributes): object {
  const entries = schema.attributes.flatMap((attribute) => {
    const value = values[attribute.name]
    if (value === undefined || !isAnswered(projection, schema, attribute)) return []
    const chosen = withMembers(projection, attribute, value)
    // Of a list of simple values.
    const isBare = attribute.multiValued && attribute.type !== 'complex'
    return [[attribute.name, isBare && isList(chosen) ? chosen.map(({ value }) => value) : chosen] as const]
  })
  return Object.fromEntries(entries)
}

function withMembers({ only, without }: Projection, attribute: ScimAttribute, value: ScimValue): ScimValue {
  const membersIn = (parts: readonly Named[]) =>
    parts.filter((part) => part.attribute === attribute).map(({ sub }) => sub?.name)
  const wanted = membersIn(only ?? [])
  const unwanted = membersIn(without)
  const isWhole = only === undefined || wanted.length === 0 || wanted.includes(undefined)
  if (isWhole && unwanted.length === 0) return value
  const choose = (members: ScimComplex): ScimComplex => {
    const chosen = Object.entries(members).filter(
      ([name]: readonly [string, ScimSimple]) =>
        (isWhole || wanted.includes(name)) && !unwanted.includes(name),
    )
    return Object.fromEntries(chosen)
  }
  if (isList(value)) return value.map(choose)
  return isComplex(value) ? choose(value) : value
}
