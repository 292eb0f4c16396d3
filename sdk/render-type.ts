import { deprecationKey, deprecationSentence, type Deprecation } from '@portico/contract/deprecation'
import { sensitivityKey } from '@portico/contract/fields'
import { z } from 'zod/v4'

/** Whether callers send a type or receive it. */
export type Direction = 'input' | 'output'

/** The named types found while rendering: name to declaration, in order of discovery. */
export type Declarations = Map<string, string>

/** One member of an object type. */
export interface Member {
  readonly name: string
  readonly schema: z.core.$ZodType
}

/**
 * The TypeScript type of a schema. In an answer, a record is declared once under its own name; in an input, a value with a
 * JSON form and an urlencoded form has the type of the JSON form.
 */
export function renderType(
  schema: z.core.$ZodType,
  direction: Direction,
  declarations: Declarations,
): string {
  const name = nameOf(schema)
  if (name !== undefined && (direction === 'output' || definitionOf(schema).type === 'lazy'))
    return declared(name, schema, direction, declarations)
  return stated(schema) ?? renderStructure(schema, direction, declarations)
}

function declared(
  name: string,
  schema: z.core.$ZodType,
  direction: Direction,
  declarations: Declarations,
): string {
  const known = declarations.get(name)
  if (known === 'pending') return name
  // A placeholder, which ends the recursion of a record that contains itself.
  declarations.set(name, 'pending')
  const structure = renderStructure(schema, direction, declarations)
  const isObject =
    ['object', 'record', 'lazy'].includes(definitionOf(schema).type) && structure.startsWith('{')
  const declaration = isObject
    ? `export interface ${name} ${structure}`
    : `export type ${name} = ${structure}`
  if (known !== undefined && known !== declaration) throw new Error(`two records are called ${name}`)
  declarations.set(name, declaration)
  return name
}

/** The type that a schema's metadata states where a transformation hides it. */
function stated(schema: z.core.$ZodType): string | undefined {
  const { type, enum: values } = metaOf(schema)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  return type === 'integer' || type === 'number' ? 'number' : undefined
}

function renderStructure(schema: z.core.$ZodType, direction: Direction, declarations: Declarations): string {
  const definition = definitionOf(schema)
  const render = (inner: z.core.$ZodType) => renderType(inner, direction, declarations)
  switch (definition.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'unknown':
      return definition.type
    case 'literal':
      return definition.values.map((value) => JSON.stringify(value)).join(' | ')
    case 'enum':
      return Object.values(definition.entries)
        .map((value) => JSON.stringify(value))
        .join(' | ')
    case 'array':
      return arrayOf(render(definition.element))
    case 'record':
      return `{ [name: string]: ${render(definition.valueType)} }`
    case 'object':
      return renderObject(membersOf(schema), direction, declarations)
    case 'union':
      return [...new Set(choicesOf(definition.options, direction).map(render))].join(' | ')
    case 'nullable':
      return `${render(definition.innerType)} | null`
    case 'optional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
    case 'nonoptional':
      return render(definition.innerType)
    case 'pipe':
      return render(sideOf(definition, direction))
    case 'lazy':
      return nameOf(schema) === undefined
        ? renderJson(definition.getter(), declarations)
        : renderStructure(definition.getter(), direction, declarations)
    default:
      throw new Error(`the SDK has no type for a schema of kind ${definition.type}`)
  }
}

function arrayOf(element: string): string {
  return /^\w+$/.test(element) ? `${element}[]` : `Array<${element}>`
}

/** An object type with its members' descriptions. */
export function renderObject(
  members: readonly Member[],
  direction: Direction,
  declarations: Declarations,
): string {
  // An object without members; {} would accept any value.
  if (members.length === 0 && direction === 'output') return 'Record<string, never>'
  const lines = members.map(({ name, schema }) => {
    const mark = isOptional(schema, direction) ? '?' : ''
    return `${commentOf(schema)}${propertyName(name)}${mark}: ${renderType(schema, direction, declarations)}`
  })
  return `{\n${lines.join('\n')}\n}`
}

/** The name of a member as source text, quoted where necessary. */
export function propertyName(name: string): string {
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name)
}

/** Renders z.json(), the only schema that refers to itself without a name. */
function renderJson(schema: z.core.$ZodType, declarations: Declarations): string {
  const definition = definitionOf(schema)
  if (definition.type !== 'union' || definition.options.length !== 6)
    throw new Error('a schema that refers to itself needs a name')
  declarations.set(
    'JsonValue',
    'export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }',
  )
  return 'JsonValue'
}

/** In an input, removes the string alternative of a boolean or number. */
function choicesOf(options: readonly z.core.$ZodType[], direction: Direction): readonly z.core.$ZodType[] {
  const isPlain = options.some((option) => ['boolean', 'number'].includes(definitionOf(option).type))
  if (direction === 'output' || !isPlain) return options
  return options.filter((option) => definitionOf(option).type !== 'pipe')
}

function sideOf(pipe: z.core.$ZodPipeDef, direction: Direction): z.core.$ZodType {
  const preferred = direction === 'input' ? pipe.in : pipe.out
  const other = direction === 'input' ? pipe.out : pipe.in
  if (definitionOf(preferred).type !== 'transform') return preferred
  if (direction === 'output') throw new Error('an answer cannot be the result of a transformation')
  return other
}

/** The members of an object schema, also behind a transformation. */
export function membersOf(schema: z.core.$ZodType): readonly Member[] {
  const definition = definitionOf(schema)
  if (definition.type === 'pipe') return membersOf(sideOf(definition, 'input'))
  if (definition.type !== 'object')
    throw new Error(`expected an object, not a schema of kind ${definition.type}`)
  return Object.entries(definition.shape).map(([name, member]) => ({ name, schema: member }))
}

/** The schema without null, which a query cannot express. */
export function withoutNull(schema: z.core.$ZodType): z.core.$ZodType {
  const definition = definitionOf(schema)
  switch (definition.type) {
    case 'nullable':
      return withoutNull(definition.innerType)
    case 'optional':
    case 'default':
    case 'prefault':
    case 'catch':
      return z.optional(described(schema, withoutNull(definition.innerType)))
    case 'object':
      return z.object(
        Object.fromEntries(
          Object.entries(definition.shape).map(([name, member]) => [name, withoutNull(member)]),
        ),
      )
    default:
      return schema
  }
}

function described(source: z.core.$ZodType, target: z.core.$ZodType): z.core.$ZodType {
  const description = descriptionOf(source)
  if (description !== undefined && descriptionOf(target) === undefined)
    return z.optional(target).describe(description)
  return target
}

/** Whether the member is optional: in an input, when its schema accepts undefined. */
export function isOptional(schema: z.core.$ZodType, direction: Direction): boolean {
  return direction === 'output' ? schema._zod.optout === 'optional' : z.safeParse(schema, undefined).success
}

function commentOf(schema: z.core.$ZodType): string {
  const sensitivity = peel(schema, (layer) => metaOf(layer)[sensitivityKey])
  const notes = [
    descriptionOf(schema),
    sensitivity === 'secret' ? 'Secret: do not log it.' : undefined,
    sensitivity === 'personal' ? 'Personal data.' : undefined,
  ]
  const deprecation = peel(schema, (layer) => metaOf(layer)[deprecationKey])
  return docComment([
    ...notes.flatMap((note) => (note === undefined ? [] : [sentence(note)])),
    // Only deprecated() writes it.
    ...(deprecation === undefined ? [] : [`@deprecated ${deprecationSentence(deprecation as Deprecation)}`]),
  ])
}

/** A doc comment of sentences or paragraphs; the empty text without any. */
export function docComment(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'))
  return safe.length === 1
    ? `/** ${safe.join('')} */\n`
    : `/**\n${safe.map((line) => ` * ${line}\n`).join('')} */\n`
}

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function descriptionOf(schema: z.core.$ZodType): string | undefined {
  return peel(schema, (layer) => metaOf(layer).description)
}

/** The first defined result of `ask` for a schema or one of those it wraps. */
function peel<T>(schema: z.core.$ZodType, ask: (layer: z.core.$ZodType) => T | undefined): T | undefined {
  const answer = ask(schema)
  if (answer !== undefined) return answer
  const definition = definitionOf(schema)
  return 'innerType' in definition ? peel(definition.innerType, ask) : undefined
}

/** The name given by record(), also after describe(), which makes a copy with a reference to its parent. */
export function nameOf(schema: z.core.$ZodType): string | undefined {
  return metaOf(schema).id ?? (schema._zod.parent && nameOf(schema._zod.parent))
}

/** The example given by record(). */
export function exampleOf(schema: z.core.$ZodType): unknown {
  const { examples } = metaOf(schema)
  if (!Array.isArray(examples)) throw new Error(`${nameOf(schema) ?? 'an answer'} has no example`)
  return examples[0]
}

export function definitionOf(schema: z.core.$ZodType): z.core.$ZodTypes['_zod']['def'] {
  // Zod makes every schema of the contract, and $ZodTypes is the union of its schemas.
  return (schema as z.core.$ZodTypes)._zod.def
}

function metaOf(schema: z.core.$ZodType): z.core.GlobalMeta & Readonly<Record<string, unknown>> {
  return z.globalRegistry.get(schema) ?? {}
}
