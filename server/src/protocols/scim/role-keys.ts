import { findPath, type ResourceSchemas } from '../../directory/directory-sync/schema-path.js'
import { ruleKey } from '../../directory/roles/rule-key.js'
import type { ScimCaller } from './scim-caller.js'
import { isComplex, isList, type ScimResource, type ScimValue } from './values.js'

/** The keys that rules of roles are compared with: every value at the attributes that they name. */
export function roleKeysOf(
  { userSchemas, roleAttributes }: Pick<ScimCaller, 'userSchemas' | 'roleAttributes'>,
  resource: ScimResource,
): string[] {
  const keys = roleAttributes.flatMap((attribute) =>
    textsAt(userSchemas, resource, attribute).map((text) => ruleKey(attribute, text)),
  )
  return [...new Set(keys)].toSorted()
}

/** The simple values at a path, of each element of a list. */
function textsAt(schemas: ResourceSchemas, resource: ScimResource, from: string): string[] {
  const path = findPath(schemas, from)
  const value = path && resource[path.schema.id]?.[path.attribute.name]
  if (path === undefined || value === undefined) return []
  const wanted = path.sub?.name ?? 'value'
  const values: readonly (ScimValue | undefined)[] = isList(value)
    ? value.map((element) => element[wanted])
    : [isComplex(value) ? value[wanted] : value]
  return values.flatMap((one) => (typeof one === 'object' || one === undefined ? [] : [String(one)]))
}
