import { scimLimits, scimMessages, type ScimSchema } from '@portico/contract/scim'
import { readElementFilter, type ElementFilter } from './filter.js'
import { toLoggedTarget } from './logged-filter.js'
import {
  attributeNamed,
  isWrittenAsIs,
  leafOf,
  schemaNamed,
  splitSchema,
  type ResourceSchemas,
  type SchemaPath,
} from '../../directory/directory-sync/schema-path.js'
import { badRequest, type ScimError } from './scim-error.js'
import {
  checkSchemas,
  countNames,
  invalidSyntax,
  invalidValue,
  isObject,
  memberOf,
  readSingle,
  readValue,
  type NoteQuirk,
  type ScimValue,
} from './values.js'

/** The part of a resource that a step changes. */
export interface PatchTarget extends SchemaPath {
  /** Selects elements of a list; undefined: the whole list. */
  readonly filter: ElementFilter | undefined
}

/** One change of one attribute. */
export type PatchStep =
  | { readonly op: 'add' | 'replace'; readonly target: PatchTarget; readonly value: ScimValue }
  /** Of a list without a filter: only the elements of these values, or all without values. */
  | { readonly op: 'remove'; readonly target: PatchTarget; readonly values?: ScimValue }

interface Operation {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string | undefined
  readonly value: unknown
}

/**
 * Parses the body of a PATCH (RFC 7644 section 3.5.2), in the dialects of providers, into steps that each change one
 * attribute.
 *
 * @throws ScimError 400 `invalidSyntax`, `invalidPath`, `invalidFilter`, `invalidValue`, `mutability`, `noTarget`
 */
export function readPatch(schemas: ResourceSchemas, body: unknown, quirk: NoteQuirk): PatchStep[] {
  const operations = readOperations(body, quirk)
  // Each name may be a path with a filter, so that the limit of operations does not bound the filters.
  if (operations.reduce((count, { value }) => count + countNames(value), 0) > scimLimits.names)
    throw invalidSyntax(`the values of Operations must have at most ${scimLimits.names} members`)
  return operations.flatMap((operation) => toSteps(schemas, operation, quirk))
}

function readOperations(body: unknown, quirk: NoteQuirk): Operation[] {
  if (!isObject(body)) throw invalidSyntax('the body must be a JSON object')
  const operations = memberOf(body, 'operations')
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalidSyntax('Operations must be a list of what is to be changed')
  if (operations.length > scimLimits.operations)
    throw invalidSyntax(`Operations must be at most ${scimLimits.operations}`)
  checkSchemas(body, scimMessages.patch, () => quirk('patch_wrapped'))
  return operations.map((operation: unknown) => readOperation(operation, quirk))
}

function readOperation(operation: unknown, quirk: NoteQuirk): Operation {
  if (!isObject(operation)) throw invalidSyntax('each of Operations must be an object')
  const [op, path] = [memberOf(operation, 'op'), memberOf(operation, 'path')]
  const word = typeof op === 'string' ? op.toLowerCase() : undefined
  if (word !== 'add' && word !== 'replace' && word !== 'remove')
    throw invalidSyntax('op must be add, replace or remove')
  if (op !== word) quirk('operation_case')
  const isThere = path !== undefined && path !== null && path !== ''
  if (isThere && typeof path !== 'string') throw badRequest('invalidPath', 'path must be text')
  return { op: word, path: isThere ? path.trim() : undefined, value: memberOf(operation, 'value') }
}

function toSteps(schemas: ResourceSchemas, { op, path, value }: Operation, quirk: NoteQuirk): PatchStep[] {
  if (path === undefined) {
    if (op === 'remove') throw badRequest('noTarget', 'remove must have a path')
    return stepsOfMembers(schemas, schemas.core, { op, value }, quirk)
  }
  const schema = schemaNamed(schemas, path)
  if (schema !== undefined) {
    if (op !== 'remove') return stepsOfMembers(schemas, schema, { op, value }, quirk)
    if (schema === schemas.core) throw mutability('a resource cannot be removed by a patch')
    return schema.attributes.map((attribute) => ({ op, target: { ...bare, schema, attribute } }))
  }
  const target = readTarget(schemas, path, quirk)
  if (target === undefined) {
    if (!isPathOfAnother(path))
      throw badRequest(
        'invalidPath',
        `${toLoggedTarget(schemas, path).slice(0, 200)} is no attribute of ${schemas.name}`,
      )
    quirk('unknown_attribute')
    return []
  }
  const fixed = [target.attribute, leafOf(target)].find(({ mutability }) => mutability === 'readOnly')
  if (fixed !== undefined) throw mutability(`${fixed.name} is read-only`)
  return toStep({ op, value }, target, quirk)
}

const prototypeNames = /__proto__|\b(?:constructor|prototype)\b/

/**
 * Whether an unknown path could belong to another schema. It is then ignored, as unknown attributes in a body are: a
 * provider that maps one attribute too many must still be able to deactivate a user in the same request.
 */
function isPathOfAnother(path: string): boolean {
  return (
    path.length <= maxPathLength &&
    /^(?:urn:[\w.:-]+:)?[A-Za-z][\w-]*(?:\.[A-Za-z$][\w-]*)?$/i.test(path) &&
    !prototypeNames.test(path)
  )
}

const bare = { sub: undefined, filter: undefined }

/** Splits the value of an operation without a path, or with the path of a schema: each member is a separate change. */
function stepsOfMembers(
  schemas: ResourceSchemas,
  schema: ScimSchema,
  { op, value }: { readonly op: 'add' | 'replace'; readonly value: unknown },
  quirk: NoteQuirk,
): PatchStep[] {
  if (!isObject(value)) throw invalidValue('value', 'must be an object where an operation has no path')
  return Object.entries(value).flatMap(([name, member]) => {
    if (prototypeNames.test(name)) throw badRequest('invalidPath', 'value has a member that is no path')
    const inner = schema === schemas.core ? schemaNamed(schemas, name) : undefined
    if (inner !== undefined) return stepsOfMembers(schemas, inner, { op, value: member }, quirk)
    const path = schema === schemas.core || /^urn:/i.test(name) ? name : `${schema.id}:${name}`
    const target = readTarget(schemas, path, quirk)
    if (target === undefined) {
      if (name.toLowerCase() !== 'schemas') quirk('unknown_attribute')
      return []
    }
    if (target.attribute.mutability === 'readOnly' || leafOf(target).mutability === 'readOnly') {
      quirk('read_only_ignored')
      return []
    }
    if (target.sub !== undefined || target.filter !== undefined) quirk('dotted_member')
    return toStep({ op, value: member }, target, quirk)
  })
}

/** The longest filter, after the longest name of a schema. */
const maxPathLength = scimLimits.filterLength + 200

const targetPattern = /^([A-Za-z][\w-]*)(?:\[(.*)\])?(?:\.([A-Za-z$][\w-]*))?$/s

/** Parses a path such as `active`, `name.givenName` or `emails[type eq "work"].value`; undefined: no such attribute. */
function readTarget(schemas: ResourceSchemas, path: string, quirk: NoteQuirk): PatchTarget | undefined {
  if (path.length > maxPathLength) return undefined
  const { schema, rest } = splitSchema(schemas, path)
  const [, name = '', filter, subName] = targetPattern.exec(rest) ?? []
  const attribute = attributeNamed(schema.attributes, name)
  if (attribute === undefined || (filter !== undefined && !attribute.multiValued)) return undefined
  const sub = subName === undefined ? undefined : attributeNamed(attribute.subAttributes, subName)
  if (subName !== undefined && sub === undefined) return undefined
  if (!isWrittenAsIs({ attribute, sub }, rest)) quirk('attribute_case')
  return {
    schema,
    attribute,
    sub,
    filter: filter === undefined ? undefined : readElementFilter(attribute, filter, quirk),
  }
}

function toStep(
  { op, value }: { readonly op: PatchStep['op']; readonly value: unknown },
  target: PatchTarget,
  quirk: NoteQuirk,
): PatchStep[] {
  const { attribute, sub, filter } = target
  const isWholeList = attribute.multiValued && sub === undefined && filter === undefined
  if (op === 'remove') {
    if (attribute.required && sub === undefined) throw mutability(`${attribute.name} is required`)
    if (!isWholeList || value === undefined || value === null) return [{ op, target }]
    quirk('remove_with_value')
    const values = readValue(attribute, value, quirk)
    return values === undefined ? [] : [{ op, target, values }]
  }
  if (value === undefined) throw invalidValue(attribute.name, 'must have a value where it is set')
  const leaf = leafOf(target)
  const isComplex = leaf.type === 'complex' && !attribute.multiValued
  const members = isComplex ? membersOf(value, quirk) : undefined
  if (members !== undefined) return stepsOfComplex({ op, members }, target, quirk)
  const read = isWholeList ? readValue(leaf, value, quirk) : readSingle(leaf, value, quirk)
  if (read !== undefined) {
    if (leaf.required && typeof read === 'string' && read.trim() === '')
      throw invalidValue(leaf.name, 'is required')
    return leaf.returned === 'never' ? [] : [{ op, target, value: read }]
  }
  if (attribute.required && sub === undefined) throw invalidValue(attribute.name, 'is required')
  // An object with only unknown members has no effect.
  if (isObject(value)) return []
  // Replacing by an unassigned value removes (RFC 7643 section 2.5); adding one has no effect.
  return op === 'replace' && leaf.returned !== 'never' ? [{ op: 'remove', target }] : []
}

/** The members of a complex value, alone or in an array of one. */
function membersOf(value: unknown, quirk: NoteQuirk): Readonly<Record<string, unknown>> | undefined {
  if (isObject(value)) return value
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : undefined
  if (!isObject(only)) return undefined
  quirk('value_in_array')
  return only
}

/** Splits a complex value: each member is a separate change, so that unnamed members stay (RFC 7644 section 3.5.2.3). */
function stepsOfComplex(
  { op, members }: { readonly op: 'add' | 'replace'; readonly members: Readonly<Record<string, unknown>> },
  target: PatchTarget,
  quirk: NoteQuirk,
): PatchStep[] {
  return Object.entries(members).flatMap(([name, member]) => {
    const sub = attributeNamed(target.attribute.subAttributes, name)
    if (sub === undefined || sub.mutability === 'readOnly') {
      quirk(sub === undefined ? 'unknown_attribute' : 'read_only_ignored')
      return []
    }
    if (sub.name !== name) quirk('attribute_case')
    return toStep({ op, value: member }, { ...target, sub }, quirk)
  })
}

function mutability(problem: string): ScimError {
  return badRequest('mutability', problem)
}
