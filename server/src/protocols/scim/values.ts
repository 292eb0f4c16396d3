import type { ScimQuirk } from '@portico/contract/directory-sync'
import { scimLimits, type ScimAttribute, type ScimSchema } from '@portico/contract/scim'
import {
  attributeNamed,
  schemaNamed,
  splitSchema,
  type ResourceSchemas,
} from '../../directory/directory-sync/schema-path.js'
import { badRequest, type ScimError } from './scim-error.js'

export type ScimSimple = string | number | boolean
export type ScimComplex = Readonly<Record<string, ScimSimple>>
export type ScimValue = ScimSimple | ScimComplex | readonly ScimComplex[]

/** Values by attribute name, in the case of the schema. */
export type ScimAttributes = Readonly<Record<string, ScimValue>>

/** A resource by schema id. Every name is one of the schema's, which excludes prototype pollution. */
export type ScimResource = Readonly<Record<string, ScimAttributes>>

export type NoteQuirk = (name: ScimQuirk) => void

export function isList(value: ScimValue | undefined): value is readonly ScimComplex[] {
  return Array.isArray(value)
}

export function isComplex(value: ScimValue | undefined): value is ScimComplex {
  return typeof value === 'object' && !isList(value)
}

/** The members of a complex value; an empty object for other values. */
export function membersOf(value: ScimValue | undefined): ScimComplex {
  return isComplex(value) ? value : {}
}

/** Whether a value is a JSON object, not an array or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of an attribute of a resource. */
export function valueOf(resource: ScimResource, schemaId: string, name: string): ScimValue | undefined {
  return resource[schemaId]?.[name]
}

/** A member of a message, by its case-insensitive name. */
export function memberOf(object: Readonly<Record<string, unknown>>, lowerName: string): unknown {
  return Object.entries(object).find(([name]) => name.toLowerCase() === lowerName)?.[1]
}

/**
 * Checks that a body names the required schema (RFC 7644 section 3.1). Further schemas are accepted: Entra names its own
 * with groups, and both Entra and Okta those of custom attributes.
 *
 * @param quirk Called when the body names no schemas.
 * @throws ScimError 400 `invalidSyntax`, `invalidValue`
 */
export function checkSchemas(
  body: Readonly<Record<string, unknown>>,
  demanded: string,
  quirk: () => void,
): void {
  const schemas = memberOf(body, 'schemas')
  if (schemas === undefined || schemas === null) {
    quirk()
    return
  }
  if (!Array.isArray(schemas) || !schemas.every((one) => typeof one === 'string'))
    throw invalidSyntax('schemas must be a list of texts')
  if (!schemas.some((one) => one.toLowerCase() === demanded.toLowerCase()))
    throw invalidValue('schemas', `must name ${demanded}`)
}

/**
 * Parses the body of a POST or PUT. Names are case-insensitive; read-only, unknown and write-only attributes, such as a
 * password, are dropped.
 *
 * @throws ScimError 400 `invalidSyntax`, `invalidValue`
 */
export function readResource(schemas: ResourceSchemas, body: unknown, quirk: NoteQuirk): ScimResource {
  if (!isObject(body)) throw invalidSyntax('the body must be a JSON object')
  checkSchemas(body, schemas.core.id, () => quirk('schemas_missing'))
  const members = new Map<ScimSchema, Member[]>()
  const add = (schema: ScimSchema, ...added: Member[]) =>
    members.set(schema, [...(members.get(schema) ?? []), ...added])
  if (countNames(body) > scimLimits.names)
    throw invalidSyntax(`a resource must have at most ${scimLimits.names} members`)
  for (const [name, value] of Object.entries(body)) {
    const schema = schemaNamed(schemas, name)
    if (schema === undefined) add(splitSchema(schemas, name).schema, [name, value])
    else if (isObject(value)) add(schema, ...Object.entries(value))
    else if (value !== null) throw invalidValue(name, 'must be an object')
  }
  const read = [...members].map(
    ([schema, values]) => [schema.id, readAttributes(schema.attributes, values, quirk)] as const,
  )
  const resource: ScimResource = Object.fromEntries(read)
  for (const { name, required } of schemas.core.attributes)
    if (required && !isGiven(resource[schemas.core.id]?.[name])) throw invalidValue(name, 'is required')
  return resource
}

/** The number of named members of an object, including nested objects; lists have a separate limit. */
export function countNames(value: unknown): number {
  if (!isObject(value)) return 0
  return Object.values(value).reduce<number>((count, member) => count + 1 + countNames(member), 0)
}

type Member = readonly [name: string, value: unknown]

function readAttributes(
  attributes: readonly ScimAttribute[],
  values: readonly Member[],
  quirk: NoteQuirk,
): ScimAttributes {
  const read: Record<string, ScimValue> = {}
  for (const [name, value] of values) {
    const attribute = attributeNamed(attributes, name)
    if (attribute === undefined) {
      if (name.toLowerCase() !== 'schemas') quirk('unknown_attribute')
      continue
    }
    if (attribute.name !== name) quirk('attribute_case')
    if (attribute.mutability === 'readOnly') continue
    const known = readValue(attribute, value, quirk)
    if (isList(known) && known.filter((element) => element['primary'] === true).length > 1)
      throw invalidValue(attribute.name, 'must have one primary value at most')
    if (known !== undefined && attribute.returned !== 'never') read[attribute.name] = known
  }
  return read
}

/**
 * Parses the value of an attribute, in the forms that providers send.
 *
 * @returns Undefined for null and an empty list, which unassign it (RFC 7643 section 2.5).
 * @throws ScimError 400 `invalidValue`
 */
export function readValue(attribute: ScimAttribute, value: unknown, quirk: NoteQuirk): ScimValue | undefined {
  if (value === null || value === undefined) return undefined
  if (!attribute.multiValued) return readSingle(attribute, value, quirk)
  const elements: readonly unknown[] = Array.isArray(value) ? value : [value]
  const most = attribute.name === 'members' ? scimLimits.members : scimLimits.listValues
  if (elements.length > most) throw invalidValue(attribute.name, `must have at most ${most} values`)
  const read = elements.map((element) => readComplex(attribute, element, quirk))
  const assigned = read.filter((element) => element !== undefined)
  return assigned.length === 0 ? undefined : assigned
}

/**
 * Parses one value of an attribute: that of a single-valued one, or an element of a list.
 *
 * @throws ScimError 400 `invalidValue`
 */
export function readSingle(
  attribute: ScimAttribute,
  value: unknown,
  quirk: NoteQuirk,
): ScimSimple | ScimComplex | undefined {
  if (value === null || value === undefined) return undefined
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined
    if (value.length > 1) throw invalidValue(attribute.name, 'must be one value')
    quirk('value_in_array')
    return readSingle(attribute, isWrapped(attribute, value[0]) ? value[0].value : value[0], quirk)
  }
  return attribute.subAttributes === undefined
    ? readSimple(attribute, value, quirk)
    : readComplex(attribute, value, quirk)
}

function readSimple(attribute: ScimAttribute, value: unknown, quirk: NoteQuirk): ScimSimple {
  switch (attribute.type) {
    case 'boolean':
      return readBoolean(attribute, value, quirk)
    case 'integer':
    case 'decimal':
      return readNumber(attribute, value, quirk)
    case 'dateTime': {
      const text = readText(attribute, value, quirk)
      if (!isTime(text)) throw invalidValue(attribute.name, 'must be a time such as 2026-03-14T09:26:53Z')
      return text
    }
    default:
      return readText(attribute, value, quirk)
  }
}

/** Whether a simple value is wrapped in an object, as an element of a list is. */
function isWrapped(attribute: ScimAttribute, value: unknown): value is { readonly value: unknown } {
  return attribute.subAttributes === undefined && isObject(value) && 'value' in value
}

function readComplex(attribute: ScimAttribute, value: unknown, quirk: NoteQuirk): ScimComplex | undefined {
  if (value === null) return undefined
  if (!isObject(value)) {
    const member = attributeNamed(attribute.subAttributes, 'value')
    // An element of a list of simple values.
    if (member !== undefined && attribute.type !== 'complex')
      return { [member.name]: readSimple(member, value, quirk) }
    const isText = typeof value === 'string' || typeof value === 'number'
    if (member === undefined || !isText) throw invalidValue(attribute.name, 'must be an object')
    quirk('complex_as_text')
    return { [member.name]: readText(member, value, quirk) }
  }
  const read: Record<string, ScimSimple> = {}
  for (const [name, member] of Object.entries(value)) {
    const sub = attributeNamed(attribute.subAttributes, name)
    if (sub === undefined) {
      quirk('unknown_attribute')
      continue
    }
    if (sub.name !== name) quirk('attribute_case')
    const known = sub.mutability === 'readOnly' ? undefined : readSingle(sub, member, quirk)
    // Members of a complex value are simple in every schema (RFC 7643 section 2.3.8).
    if (known !== undefined && typeof known !== 'object') read[sub.name] = known
  }
  return Object.keys(read).length === 0 ? undefined : read
}

function readBoolean(attribute: ScimAttribute, value: unknown, quirk: NoteQuirk): boolean {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : undefined
  if (word !== 'true' && word !== 'false') throw invalidValue(attribute.name, 'must be true or false')
  quirk('boolean_as_text')
  return word === 'true'
}

function readNumber(attribute: ScimAttribute, value: unknown, quirk: NoteQuirk): number {
  const isText = typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value.trim())
  if (isText) quirk('text_as_number')
  const number = isText || typeof value === 'number' ? Number(value) : Number.NaN
  const fits = attribute.type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)
  if (!fits)
    throw invalidValue(attribute.name, `must be a ${attribute.type === 'integer' ? 'whole ' : ''}number`)
  return number
}

/** Whether a text is a time with a four-digit year, as in RFC 3339: Date accepts years that Postgres does not store. */
export function isTime(text: string): boolean {
  const year = new Date(text).getUTCFullYear()
  return year >= 0 && year <= 9999
}

function readText(attribute: ScimAttribute, value: unknown, quirk: NoteQuirk): string {
  if (typeof value === 'number') {
    quirk('number_as_text')
    return String(value)
  }
  if (typeof value !== 'string') throw invalidValue(attribute.name, 'must be text')
  if (Buffer.byteLength(value) > scimLimits.valueBytes)
    throw invalidValue(attribute.name, `must be at most ${scimLimits.valueBytes} bytes long`)
  if (!value.isWellFormed() || value.includes('\0'))
    throw invalidValue(attribute.name, 'must not contain NUL characters or unpaired surrogates')
  return value
}

/** Whether a required attribute has a value; blank text does not count. */
function isGiven(value: ScimValue | undefined): boolean {
  return value !== undefined && (typeof value !== 'string' || value.trim() !== '')
}

/** @returns A 400 about the value of an attribute. */
export function invalidValue(name: string, problem: string): ScimError {
  return badRequest('invalidValue', `${name} ${problem}`)
}

/** @returns A 400 about the form of a request. */
export function invalidSyntax(problem: string): ScimError {
  return badRequest('invalidSyntax', problem)
}
