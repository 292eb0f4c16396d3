import { z } from 'zod/v4'
import { sensitivityKey, type Sensitivity } from './fields.js'

/**
 * The part of a value that may be stored in an event or echoed: members declared by its schema and not marked secret.
 * An allowlist: undeclared members are removed.
 */
export function withoutSecrets(schema: z.ZodType, value: unknown): unknown {
  return visible(schema, value, 'secrets')
}

/** The part of a value that may be logged: its declared members without secrets and personal data. */
export function withoutPersonalData(schema: z.ZodType, value: unknown): unknown {
  return visible(schema, value, 'personal data')
}

/** The values, other than empty ones, of the members that the schema of an object marks as personal data. */
export function personalDataIn(schema: unknown, value: Readonly<Record<string, unknown>>): unknown[] {
  if (!(schema instanceof z.ZodObject)) return []
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape
  return Object.entries(value).flatMap(([name, member]) => {
    const declared = Object.hasOwn(shape, name) ? shape[name] : undefined
    return declared !== undefined && isHidden(declared, 'personal data') && !isEmpty(member) ? [member] : []
  })
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

type Hidden = 'nothing' | 'secrets' | 'personal data'
type Projection = (value: unknown) => unknown

// Walking a schema costs far more than walking a value, so each schema is compiled to a projection once.
const projections: Record<Hidden, WeakMap<z.core.$ZodType, Projection>> = {
  nothing: new WeakMap(),
  secrets: new WeakMap(),
  'personal data': new WeakMap(),
}

/** The visible part of a value; undefined when all of it is hidden. */
function visible(schema: z.core.$ZodType, value: unknown, hidden: Hidden): unknown {
  let project = projections[hidden].get(schema)
  if (project === undefined) {
    project = projectionOf(schema, hidden)
    projections[hidden].set(schema, project)
  }
  return project(value)
}

function projectionOf(schema: z.core.$ZodType, hidden: Hidden): Projection {
  if (isHidden(schema, hidden)) return () => undefined
  const project = projectionOfKind(schema, hidden)
  return project === undefined ? (value) => value : (value) => (value === null ? null : project(value))
}

function isHidden(schema: z.core.$ZodType, hidden: Hidden): boolean {
  // Only secret() and personal() set it.
  const sensitivity = z.globalRegistry.get(schema)?.[sensitivityKey] as Sensitivity | undefined
  return (
    (sensitivity === 'secret' && hidden !== 'nothing') ||
    (sensitivity === 'personal' && hidden === 'personal data')
  )
}

/** The projection of values other than null; undefined for a schema whose values have no members. */
function projectionOfKind(schema: z.core.$ZodType, hidden: Hidden): Projection | undefined {
  const inner = wrapped(schema)
  if (inner !== undefined) return (value) => visible(inner, value, hidden)
  if (schema instanceof z.ZodUnion) {
    return (value) => {
      const option = schema.options.find((candidate) => z.safeParse(candidate, value).success)
      return option === undefined ? undefined : visible(option, value, hidden)
    }
  }
  if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape
    const names = Object.keys(shape)
    return (value) => (isObject(value) ? membersOf(value, names, (name) => shape[name], hidden) : undefined)
  }
  if (schema instanceof z.ZodRecord) {
    return (value) =>
      isObject(value) ? membersOf(value, Object.keys(value), () => schema.valueType, hidden) : undefined
  }
  if (schema instanceof z.ZodArray) {
    return (value) =>
      Array.isArray(value) ? value.map((item) => visible(schema.element, item, hidden)) : undefined
  }
  return undefined
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
  names: readonly string[],
  schemaOf: (name: string) => z.core.$ZodType | undefined,
  hidden: Hidden,
): Record<string, unknown> {
  const members: [string, unknown][] = []
  for (const name of names) {
    const schema = schemaOf(name)
    if (schema === undefined || !Object.hasOwn(value, name)) continue
    const seen = visible(schema, value[name], hidden)
    if (seen !== undefined) members.push([name, seen])
  }
  return Object.fromEntries(members)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value without the members that its schema does not declare. */
export function withoutUndeclared(schema: z.ZodType, value: unknown): unknown {
  return visible(schema, value, 'nothing')
}
