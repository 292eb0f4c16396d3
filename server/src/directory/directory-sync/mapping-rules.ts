import type { AttributeMapping, ExtensionSchema } from '@portico/contract/attribute-mapping'
import type { FieldError } from '@portico/contract/errors'
import { standardClaims } from '@portico/contract/profile'
import { enterpriseUserSchema, type ScimAttribute } from '@portico/contract/scim'
import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import { targetFaults } from '../users/mapping-targets.js'
import { nearestName } from './nearest-name.js'
import { findPath, leafOf, pathTextOf, userSchemasOf, type ResourceSchemas } from './schema-path.js'

/** What a directory declares and maps. */
export interface DirectoryRules {
  readonly extension_schemas: readonly ExtensionSchema[]
  readonly attribute_mapping: readonly AttributeMapping[]
}

/**
 * Checks what a directory will declare and map; the keys that it maps stay locked until the transaction ends.
 *
 * @throws ApiError `invalid_parameters`
 */
export async function checkRules(
  trx: Transaction<DB>,
  tenant: Tenant,
  { extension_schemas: extensions, attribute_mapping: rules }: DirectoryRules,
): Promise<void> {
  const schemas = userSchemasOf(extensions)
  const fields = [
    ...schemaFaults(extensions),
    ...rules.flatMap(({ from }, index) => pathFault(schemas, from, `attribute_mapping.${index}.from`)),
    ...(await targetFaults(trx, tenant, rules, isClaimFree)),
  ]
  if (fields.length > 0) throw new ApiError('invalid_parameters', { fields })
}

/** A claim that SCIM has an attribute for comes from there: two sources of one claim would replace each other. */
function isClaimFree(claim: keyof typeof standardClaims): boolean {
  return standardClaims[claim].scim === null
}

/** Schemas of SCIM itself, which a directory must not replace. */
const ownSchemas = /^urn:ietf:params:scim:(?:schemas:core|api):/i

function schemaFaults(extensions: readonly ExtensionSchema[]): FieldError[] {
  const ids = [enterpriseUserSchema.id, ...extensions.map(({ id }) => id)].map((id) => id.toLowerCase())
  return extensions.flatMap(({ id, attributes }, index) => {
    const path = `extension_schemas.${index}`
    const lower = id.toLowerCase()
    const others = ids.filter((_, place) => place !== index + 1)
    const names = attributes.map(({ name }) => name.toLowerCase())
    const repeated = names.findIndex((name, place) => names.indexOf(name) !== place)
    return [
      ...(ownSchemas.test(id) || lower === ids[0]
        ? [{ path: `${path}.id`, code: 'reserved', message: 'must not be a schema of SCIM itself' }]
        : others.includes(lower)
          ? [{ path: `${path}.id`, code: 'repeated', message: 'must be declared once' }]
          : others.some((other) => other.startsWith(`${lower}:`) || lower.startsWith(`${other}:`))
            ? [
                {
                  path: `${path}.id`,
                  code: 'ambiguous',
                  message: 'must not begin with the URN of another schema',
                },
              ]
            : []),
      ...(repeated < 0
        ? []
        : [
            {
              path: `${path}.attributes.${repeated}.name`,
              code: 'repeated',
              message: 'must be declared once, in whatever case',
            },
          ]),
    ]
  })
}

function pathFault(schemas: ResourceSchemas, from: string, path: string): FieldError[] {
  const found = findPath(schemas, from)
  if (found === undefined) {
    const nearest = nearestName(from, mappablePaths(schemas))
    return [
      { path, code: 'unknown_path', message: `must be a SCIM path of the directory, such as ${nearest}` },
    ]
  }
  return [found.attribute, leafOf(found)].every(isMappable)
    ? []
    : [{ path, code: 'not_mappable', message: 'must be an attribute that the provider sends and we keep' }]
}

/** Neither a password nor what the service sets itself, such as id and groups. */
function isMappable({ mutability, returned }: ScimAttribute): boolean {
  return mutability !== 'readOnly' && mutability !== 'writeOnly' && returned !== 'never'
}

/** Every path that a rule may read. */
function mappablePaths(schemas: ResourceSchemas): string[] {
  return [schemas.core, ...schemas.extensions].flatMap((schema) =>
    schema.attributes.filter(isMappable).flatMap((attribute) => {
      const subs = attribute.type === 'complex' ? (attribute.subAttributes ?? []).filter(isMappable) : []
      return [undefined, ...subs].map((sub) => pathTextOf({ schema, attribute, sub }, schemas))
    }),
  )
}

/** The attributes of SCIM that say what a user may do. */
const attributesOfRoles = ['roles', 'entitlements']

/** Whether a rule that gives roles may read an attribute, in any case. */
export function isAttributeOfRoles({ attribute_mapping: rules }: Pick<DirectoryRules, 'attribute_mapping'>) {
  const known = new Set([...attributesOfRoles, ...rules.map(({ from }) => from.toLowerCase())])
  return (attribute: string) => known.has(attribute.toLowerCase())
}
