import { z } from 'zod/v4'
import { deprecationKey, deprecationSentence, type Deprecation } from '../core/deprecation.js'
import { publishedKey } from '../core/fields.js'
import { nameOf } from '../core/record.js'

/** The published versions of OpenAPI. Version 3.0 has its own dialect of JSON Schema. */
export type Target = '3.1' | '3.0'

/** A schema as the OpenAPI documents contain it. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: unknown[]
  nullable?: boolean
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  [keyword: string]: unknown
}

/** Converts schemas to JSON Schema, and collects the named ones as components. */
export interface SchemaWriter {
  /** The form of an answer. */
  output: (schema: z.ZodType) => JsonSchema
  /** The form a caller sends. Call it after all answers: an input that differs from the answer of its name is `NameInput`. */
  input: (schema: z.ZodType) => JsonSchema
  /** Refers to a record that an answer contains already. */
  reference: (schema: z.ZodType) => JsonSchema
  /** Adds a schema to the components under a name, and refers to it. */
  component: (name: string, schema: JsonSchema) => JsonSchema
  components: () => Record<string, JsonSchema>
}

export function schemaWriter(target: Target): SchemaWriter {
  const components = new Map<string, JsonSchema>()

  function keep(name: string, schema: JsonSchema): void {
    if (differs(components.get(name), schema)) throw new Error(`two schemas are called ${name}`)
    components.set(name, schema)
  }

  return {
    output: (schema) => {
      const { root, named } = written(schema, 'output', target)
      for (const [name, component] of named) keep(name, component)
      return root
    },
    input: (schema) => {
      const { root, named } = written(schema, 'input', target)
      const renamed = namesOfOwnInputs(named, components)
      for (const [name, component] of named)
        keep(renamed.has(name) ? `${name}Input` : name, withInputs(component, renamed))
      return withInputs(root, renamed)
    },
    reference: (schema) => {
      const name = nameOf(schema)
      if (!components.has(name)) throw new Error(`no answer has ${name}`)
      return { $ref: `${componentPath}${name}` }
    },
    component: (name, schema) => {
      keep(name, schema)
      return { $ref: `${componentPath}${name}` }
    },
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

interface Written {
  root: JsonSchema
  named: Map<string, JsonSchema>
}

function written(schema: z.ZodType, io: 'input' | 'output', target: Target): Written {
  const { $schema, $defs, definitions, ...root } = z.toJSONSchema(schema, {
    target: target === '3.0' ? 'openapi-3.0' : 'draft-2020-12',
    io,
    unrepresentable: 'any',
    override: trueDefault,
    // Zod's type includes boolean schemas, which no schema of the contract becomes.
  }) as JsonSchema & { $defs?: Record<string, JsonSchema>; definitions?: Record<string, JsonSchema> }

  const tidy = (part: JsonSchema) => mapSchema(part, (node) => tidied(node, io, target))
  const named = Object.entries($defs ?? definitions ?? {})
  return { root: tidy(root), named: new Map(named.map(([name, part]) => [name, tidy(part)])) }
}

/** Corrects the default: zod reports the value of catch() as one, and omits one behind a transform. */
function trueDefault({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType
  jsonSchema: z.core.JSONSchema.BaseSchema
}): void {
  if (zodSchema instanceof z.ZodCatch) delete jsonSchema.default
  if (zodSchema instanceof z.ZodDefault) Object.assign(jsonSchema, { default: zodSchema.def.defaultValue })
}

/** The names whose input differs from the answer of that name, itself or in a schema it refers to. */
function namesOfOwnInputs(inputs: Map<string, JsonSchema>, outputs: Map<string, JsonSchema>): Set<string> {
  const changed = [...inputs].filter(([name, schema]) => differs(outputs.get(name), schema))
  const own = new Set(changed.map(([name]) => name))
  for (let size = -1; size !== own.size;) {
    size = own.size
    for (const [name, schema] of inputs) if (differs(schema, withInputs(schema, own))) own.add(name)
  }
  return own
}

function withInputs(schema: JsonSchema, renamed: ReadonlySet<string>): JsonSchema {
  return mapSchema(schema, ({ $ref, ...rest }) => {
    if ($ref === undefined) return rest
    return { $ref: renamed.has($ref.replace(componentPath, '')) ? `${$ref}Input` : $ref, ...rest }
  })
}

/** Whether an earlier schema exists and is different. One generator wrote both, so the order of members is the same. */
function differs(before: JsonSchema | undefined, schema: JsonSchema): boolean {
  return before !== undefined && JSON.stringify(before) !== JSON.stringify(schema)
}

const componentPath = '#/components/schemas/'

/** Applies a change to a schema and to every schema in it, the inner ones first. Examples and defaults stay unchanged. */
export function mapSchema(schema: JsonSchema, change: (node: JsonSchema) => JsonSchema): JsonSchema {
  const inner = (part: JsonSchema) => mapSchema(part, change)
  const { properties, additionalProperties, items, anyOf, oneOf, allOf } = schema
  return change({
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part)])),
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: inner(additionalProperties) }),
    ...(items && { items: inner(items) }),
    ...(anyOf && { anyOf: anyOf.map(inner) }),
    ...(oneOf && { oneOf: oneOf.map(inner) }),
    ...(allOf && { allOf: allOf.map(inner) }),
  })
}

/** Writes a discriminated union as anyOf, which most tools support best. */
function withAnyOf({ oneOf, ...node }: JsonSchema): JsonSchema {
  return oneOf === undefined ? node : { ...node, anyOf: oneOf }
}

function tidied(node: JsonSchema, io: 'input' | 'output', target: Target): JsonSchema {
  const whole = withDeprecation(asPublished(withAnyOf(withoutNoise(node))))
  if (whole.$ref !== undefined) whole.$ref = whole.$ref.replace(/^#\/(?:\$defs|definitions)\//, componentPath)
  // A client that refuses unknown members would break with every new one.
  if (io === 'output' && whole.additionalProperties === false) delete whole.additionalProperties
  return ordered(target === '3.0' ? inDialectOf30(whole) : withNullInside(whole))
}

/** Repeats the deprecation in the description, for tools that show nothing else. */
function withDeprecation(node: JsonSchema): JsonSchema {
  if (node[deprecationKey] === undefined) return node
  // Only deprecated() writes it.
  const sentence = deprecationSentence(node[deprecationKey] as Deprecation)
  return {
    ...node,
    description: node.description === undefined ? sentence : `${node.description}. ${sentence}`,
  }
}

/** The published form of a field that accepts several. */
function asPublished({ [publishedKey]: published, ...node }: JsonSchema): JsonSchema {
  if (typeof published !== 'object' || published === null) return node
  const { anyOf, type, ...annotations } = node
  return { ...annotations, ...published }
}

/** Removes meaningless bounds: of safe integers, of lengths, of property names. */
function withoutNoise(schema: JsonSchema): JsonSchema {
  const node = { ...schema }
  if (node['maximum'] === Number.MAX_SAFE_INTEGER) delete node['maximum']
  if (node['minimum'] === Number.MIN_SAFE_INTEGER) delete node['minimum']
  if (node['minLength'] === 0) delete node['minLength']
  delete node['propertyNames']
  return node
}

/** Writes `anyOf: [T, null]` as one schema of two types, which is shorter. */
function withNullInside(node: JsonSchema): JsonSchema {
  const { anyOf, ...around } = node
  const [value, none, ...others] = anyOf ?? []
  if (value === undefined || none?.type !== 'null' || others.length > 0) return node
  if (value.$ref !== undefined || value['const'] !== undefined) return node
  if (value.anyOf) return { ...value, ...around, anyOf: [...value.anyOf, none] }
  if (typeof value.type !== 'string') return node
  return {
    ...value,
    ...around,
    type: [value.type, 'null'],
    ...(value.enum && { enum: [...value.enum, null] }),
  }
}

/** The dialect of 3.0: nullable works only beside a type, an enum must list its null, and a schema has one example. */
function inDialectOf30({ examples, ...schema }: JsonSchema): JsonSchema {
  const node = Array.isArray(examples) ? { ...schema, example: examples[0] as unknown } : schema
  if (node.nullable !== true) return node
  if (node.type !== undefined) return node.enum ? { ...node, enum: withNull(node.enum) } : node
  const { nullable, anyOf, allOf, $ref, ...around } = node
  return { ...around, anyOf: [...(anyOf ?? allOf ?? [{ $ref }]), nothing] }
}

function withNull(values: readonly unknown[]): unknown[] {
  return values.includes(null) ? [...values] : [...values, null]
}

const nothing: JsonSchema = { type: 'object', nullable: true, enum: [null] }

const keywordOrder = [
  '$ref',
  'description',
  'type',
  'nullable',
  'format',
  'enum',
  'const',
  'properties',
  'required',
]

function ordered(node: JsonSchema): JsonSchema {
  const entries = Object.entries(node).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => rank(a) - rank(b)))
}

function rank(keyword: string): number {
  const place = keywordOrder.indexOf(keyword)
  return place === -1 ? keywordOrder.length : place
}
