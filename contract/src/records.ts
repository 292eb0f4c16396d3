import { z } from 'zod/v4'
import { bodyOf, queryOf, routes } from './walk.js'

/** Every named schema of the contract by its name, nested ones included, in alphabetical order. */
export function namedSchemas(): ReadonlyMap<string, z.ZodType> {
  return (named ??= findNamed())
}

/** Every record: each named schema with an example. */
export function records(): ReadonlyMap<string, z.ZodType> {
  return (declared ??= new Map(
    [...namedSchemas()].filter(([, schema]) => schema.meta()?.['examples'] !== undefined),
  ))
}

// The contract does not change while a program runs.
let named: ReadonlyMap<string, z.ZodType> | undefined
let declared: ReadonlyMap<string, z.ZodType> | undefined

function findNamed(): ReadonlyMap<string, z.ZodType> {
  const seen = new Set<z.core.$ZodType>()
  for (const route of routes()) {
    const answers = Object.values(route.definition.responses)
    for (const schema of [...answers, bodyOf(route), queryOf(route)]) visit(schema, seen)
  }
  const found = [...seen].flatMap((schema) => nameAndSchema(schema))
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function nameAndSchema(schema: z.core.$ZodType): [string, z.ZodType][] {
  const name = schema instanceof z.ZodType ? schema.meta()?.id : undefined
  return schema instanceof z.ZodType && name !== undefined ? [[name, schema]] : []
}

function visit(schema: unknown, seen: Set<z.core.$ZodType>): void {
  if (!(schema instanceof z.core.$ZodType) || seen.has(schema)) return
  seen.add(schema)
  for (const part of partsOf(schema)) visit(part, seen)
}

/** The schemas directly inside a schema. describe() and meta() return a copy; the name is on its parent. */
function partsOf(schema: z.core.$ZodType): (z.core.$ZodType | undefined)[] {
  const { parent } = schema._zod
  if (schema instanceof z.ZodObject) return [parent, ...Object.values<z.core.$ZodType>(schema.shape)]
  if (schema instanceof z.ZodArray) return [parent, schema.element]
  if (schema instanceof z.ZodUnion) return [parent, ...schema.options]
  if (schema instanceof z.ZodRecord) return [parent, schema.valueType]
  if (schema instanceof z.ZodPipe) return [parent, schema.in, schema.out]
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodLazy
  )
    return [parent, schema.unwrap()]
  return [parent]
}
