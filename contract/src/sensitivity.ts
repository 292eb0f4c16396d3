import { z } from 'zod/v4'
import { sensitivityKey, type Sensitivity } from './fields.js'

/**
 * What of a value may be stored in an event or echoed: the members that its schema declares, without those marked
 * secret. An allowlist: what no schema declares is not there.
 */
export function withoutSecrets(schema: z.ZodType, value: unknown): unknown {
  return visible(schema, value, new Set(['secret']))
}

/** What of a value may be logged: its declared members without secrets and without what is said of a person. */
export function withoutPersonalData(schema: z.ZodType, value: unknown): unknown {
  return visible(schema, value, new Set(['secret', 'personal']))
}

/** The part of a value that may be seen; undefined where nothing may. */
function visible(schema: z.core.$ZodType, value: unknown, hidden: ReadonlySet<Sensitivity>): unknown {
  const sensitivity: unknown = z.globalRegistry.get(schema)?.[sensitivityKey]
  if ((sensitivity === 'secret' || sensitivity === 'personal') && hidden.has(sensitivity)) return undefined

  if (value === null) return null
  const inner = wrapped(schema)
  if (inner !== undefined) return visible(inner, value, hidden)
  if (schema instanceof z.ZodUnion) {
    const option = schema.options.find((candidate) => z.safeParse(candidate, value).success)
    return option === undefined ? undefined : visible(option, value, hidden)
  }
  if (schema instanceof z.ZodObject) {
    if (!isObject(value)) return undefined
    const shape: Record<string, z.core.$ZodType> = schema.shape
    return membersOf(value, (name) => shape[name], hidden)
  }
  if (schema instanceof z.ZodRecord) {
    return isObject(value) ? membersOf(value, () => schema.valueType, hidden) : undefined
  }
  if (schema instanceof z.ZodArray) {
    return Array.isArray(value) ? value.map((item) => visible(schema.element, item, hidden)) : undefined
  }
  return value
}

/** The schema behind an optional, a default, a transformation and the like. */
function wrapped(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in instanceof z.ZodTransform ? schema.out : schema.in
  if (schema instanceof z.ZodLazy) return schema.unwrap()
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodReadonly
  return isWrapper ? schema.unwrap() : undefined
}

function membersOf(
  value: Record<string, unknown>,
  schemaOf: (name: string) => z.core.$ZodType | undefined,
  hidden: ReadonlySet<Sensitivity>,
): Record<string, unknown> {
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const schema = schemaOf(name)
    const seen = schema === undefined ? undefined : visible(schema, member, hidden)
    return seen === undefined ? [] : [[name, seen]]
  })
  return Object.fromEntries(members)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value without the members that its schema does not declare. */
export function withoutUndeclared(schema: z.ZodType, value: unknown): unknown {
  return visible(schema, value, new Set())
}
