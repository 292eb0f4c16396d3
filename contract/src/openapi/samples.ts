import { z } from 'zod/v4'
import { schemaWriter, type JsonSchema } from './json-schema.js'
import { exampleOf } from '../core/record.js'
import { records } from '../records.js'
import { bodyOf, type Route } from '../walk.js'

type Members = Readonly<Record<string, unknown>>

/**
 * A sample value of a path or query parameter: the example of its schema, or of the record that its name begins with:
 * org_domain is an Organization's domain. Undefined when there is neither.
 */
export function sampleOf(name: string, field?: unknown): unknown {
  const [stated]: unknown[] = field instanceof z.ZodType ? (examplesOf(field) ?? []) : []
  if (stated !== undefined) return stated
  const [owner = '', ...rest] = name.split('_')
  const member = rest.join('_')
  return valueOf(member, (record) => record.toLowerCase().includes(owner)) ?? valueOf(name) ?? valueOf(member)
}

function valueOf(member: string, isMeant: (record: string) => boolean = () => true): unknown {
  // The plainest record first: User before UserList.
  const named = [...records()].filter(([name]) => isMeant(name)).sort(([a], [b]) => a.length - b.length)
  return named.map(([, schema]) => membersOf(exampleOf(schema))[member]).find((value) => value != null)
}

/**
 * A sample body of a route: the example of its schema, or its required members and a few more from the records' examples.
 *
 * @throws Error when the route does not accept that body.
 */
export function sampleBody(route: Route): Members | undefined {
  const body = bodyOf(route)
  if (!body) return undefined
  const sample = statedExample(body) ?? composed(schemaWriter('3.1').input(body), likeness(route))
  if (!body.safeParse(sample).success)
    throw new Error(`${route.name}: state an example of the body with .meta({ examples: [...] })`)
  return sample
}

function statedExample(body: z.ZodType): Members | undefined {
  const examples = examplesOf(body)
  return examples && membersOf(examples[0])
}

function examplesOf(schema: z.ZodType): unknown[] | undefined {
  const examples = schema.meta()?.['examples']
  return Array.isArray(examples) ? examples : undefined
}

/** The example of the record that the body creates or changes. */
function likeness(route: Route): Members {
  return route.success.meta()?.['examples'] === undefined ? {} : membersOf(exampleOf(route.success))
}

function composed(schema: JsonSchema, like: Members): Members {
  const properties = Object.entries(schema.properties ?? {})
  const isRequired = (name: string) => schema.required?.includes(name) === true
  const value = (name: string, part: JsonSchema) =>
    fitting(part, like[name]) ??
    (isRequired(name) ? (firstExample(part) ?? fitting(part, sampleOf(name))) : undefined)

  const known = properties
    .map(([name, part]) => [name, value(name, part)] as const)
    .filter(([, it]) => it !== undefined)
  const optional = known.filter(([name, it]) => !isRequired(name) && isPlain(it)).slice(0, 3)
  return Object.fromEntries(known.filter((entry) => isRequired(entry[0]) || optional.includes(entry)))
}

/** Excludes objects and arrays of objects, which would make up most of the sample. */
function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || (Array.isArray(value) && value.every(isPlain))
}

function firstExample({ examples }: JsonSchema): unknown {
  return Array.isArray(examples) ? examples[0] : undefined
}

/** The part of a value that the schema describes; undefined when the type differs. */
function fitting(schema: JsonSchema, value: unknown): unknown {
  if (value === undefined || value === null) return undefined
  if (schema.anyOf)
    return schema.anyOf.map((option) => fitting(option, value)).find((part) => part !== undefined)
  if (schema.enum && !schema.enum.includes(value)) return undefined
  if (!isOfType(schema, value)) return undefined
  if (Array.isArray(value)) return value.map((item) => fitting(schema.items ?? {}, item))
  return typeof value === 'object' ? membersFitting(schema, membersOf(value)) : value
}

function membersFitting({ properties = {} }: JsonSchema, value: Members): Members {
  const fitted = Object.entries(properties).map(([name, part]) => [name, fitting(part, value[name])] as const)
  return Object.fromEntries(fitted.filter(([, part]) => part !== undefined))
}

function isOfType({ type }: JsonSchema, value: unknown): boolean {
  if (type === undefined) return true
  const types = typeof type === 'string' ? [type] : type
  if (Array.isArray(value)) return types.includes('array')
  return types.includes(typeof value) || (Number.isInteger(value) && types.includes('integer'))
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
