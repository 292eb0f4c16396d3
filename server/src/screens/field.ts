import { sensitivityKey } from '@portico/contract/fields'
import { schemaWriter, type JsonSchema } from '@portico/contract/json-schema'
import { bodyOf, queryOf, type Route } from '@portico/contract/walk'

/**
 * How a member of a body is entered: `lines`: a list of texts, one in each line. `json`: what has no control of its own, such as a list
 * of records.
 */
type FieldKind =
  | 'text'
  | 'email'
  | 'url'
  | 'time'
  | 'integer'
  | 'flag'
  | 'choice'
  | 'choices'
  | 'lines'
  | 'secret'
  | 'json'

/** A control of a form, derived from the schema of a body. */
export interface Field {
  /** The members that lead to it. */
  readonly path: readonly string[]
  /** Of the control: the path, joined by dots. */
  readonly name: string
  readonly kind: FieldKind
  readonly isRequired: boolean
  /** Whether nothing is written as null. */
  readonly isNullable: boolean
  /** Of a choice. */
  readonly options: readonly string[]
  readonly maxLength: number | undefined
  readonly min: number | undefined
  readonly max: number | undefined
  /** What the contract says of it. */
  readonly help: string | undefined
}

/** Members that every body may have, and no form asks for. */
const unasked = ['environment']
/** Parameters of lists that are no filters: the page, and its order. */
const ofPages = ['page', 'current_page', 'per_page', 'after', 'limit', 'sort', 's', 'q']

/** The fields of a route's body in the order of the contract, those of members with members included. */
export const fieldsOf = once((route) => fieldsOfSchema(bodyOf(route)))

/** The filters of a list, and what else its query takes besides the page. */
export const queryFieldsOf = once((route) =>
  fieldsOfSchema(queryOf(route)).filter(({ path: [name = ''] }) => !ofPages.includes(name)),
)

/** Derives the fields of a route at their first use: walking a schema costs more than a page. */
function once(derive: (route: Route) => readonly Field[]): (route: Route) => readonly Field[] {
  const known = new WeakMap<Route, readonly Field[]>()
  return (route) => {
    const fields = known.get(route) ?? derive(route)
    known.set(route, fields)
    return fields
  }
}

function fieldsOfSchema(schema: ReturnType<typeof bodyOf>): readonly Field[] {
  if (schema === undefined) return []
  const writer = schemaWriter('3.1')
  const root = writer.input(schema)
  return membersOf(root, writer.components(), { path: [], isAsked: true })
}

type Components = Readonly<Record<string, JsonSchema>>

/** A member with members of its own. */
interface Group {
  readonly path: readonly string[]
  /** Whether the body needs it: what is required within one that is left out is not. */
  readonly isAsked: boolean
}

function membersOf(schema: JsonSchema, components: Components, { path, isAsked }: Group): Field[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => path.length > 0 || !unasked.includes(name))
    .flatMap(([name, member]) =>
      fieldsOfMember(
        member,
        components,
        [...path, name],
        isAsked && schema.required?.includes(name) === true,
      ),
    )
}

function fieldsOfMember(
  member: JsonSchema,
  components: Components,
  path: readonly string[],
  isRequired: boolean,
): Field[] {
  const schema = resolved(member, components)
  const types = typesOf(schema)
  const isGroup = types.includes('object') && schema.properties !== undefined && path.length < 2
  if (isGroup && schema.additionalProperties !== true)
    return membersOf(schema, components, { path, isAsked: isRequired })
  const items = schema.items && resolved(schema.items, components)
  const options = (items?.enum ?? schema.enum ?? []).filter((value) => typeof value === 'string')
  return [
    {
      path,
      name: path.join('.'),
      kind: kindOf(schema, types, items),
      isRequired,
      isNullable: types.includes('null'),
      options,
      maxLength: numberOf(schema['maxLength']),
      min: numberOf(schema['minimum']),
      max: numberOf(schema['maximum']),
      help: schema.description,
    },
  ]
}

function kindOf(schema: JsonSchema, types: readonly string[], items: JsonSchema | undefined): FieldKind {
  if (schema[sensitivityKey] === 'secret') return 'secret'
  if (schema.enum !== undefined) return 'choice'
  if (types.includes('array')) {
    if (items?.enum !== undefined) return 'choices'
    return items !== undefined && typesOf(items).includes('string') ? 'lines' : 'json'
  }
  if (types.includes('boolean')) return 'flag'
  if (types.includes('integer') || types.includes('number')) return 'integer'
  if (!types.includes('string')) return 'json'
  const { format } = schema as { format?: string }
  if (format === 'email') return 'email'
  if (format === 'uri') return 'url'
  return format === 'date-time' ? 'time' : 'text'
}

/** A schema in place of the reference to it, and of the one alternative that is not null, or the only one with members. */
function resolved(schema: JsonSchema, components: Components): JsonSchema {
  if (schema.$ref !== undefined) {
    const named = components[schema.$ref.split('/').at(-1) ?? '']
    return named === undefined ? {} : { ...resolved(named, components), ...described(schema) }
  }
  const alternatives = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  const withMembers = alternatives.filter((each) => resolved(each, components).properties !== undefined)
  const [only, ...others] = withMembers.length === 1 ? withMembers : alternatives
  if (only === undefined || others.length > 0) return schema
  const inner = resolved(only, components)
  return { ...inner, type: [...typesOf(inner), 'null'], ...described(schema) }
}

function described({ description }: JsonSchema): JsonSchema {
  return description === undefined ? {} : { description }
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return type === undefined ? [] : [type].flat()
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
