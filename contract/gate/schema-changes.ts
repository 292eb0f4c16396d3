import type { JsonSchema } from '../src/openapi/json-schema.js'
import { annotationChanges, deprecationOf } from './annotation-changes.js'
import { change, type SchemaChange } from './change.js'

/** Whether callers send a value or get it: what is wider is good for the one and bad for the other. */
export type Direction = 'input' | 'output'

/** The named schemas of both contracts, and what the values are for. */
export interface Comparison {
  readonly direction: Direction
  readonly before: Readonly<Record<string, JsonSchema>>
  readonly after: Readonly<Record<string, JsonSchema>>
  /** Names that are being compared already: what contains itself ends there. */
  readonly within?: readonly string[]
}

/**
 * The differences of two schemas. Those of a schema that both refer to by one name are left to who compares the names.
 *
 * @throws Error for a keyword that is not among those which the contract's schemas use: what it means is not known here.
 */
export function schemaChanges(
  before: JsonSchema,
  after: JsonSchema,
  comparison: Comparison,
  where = '',
): SchemaChange[] {
  refuseUnknown(before, where)
  refuseUnknown(after, where)
  const notes = annotationChanges(before, after, comparison, where)
  if (before.$ref !== undefined && before.$ref === after.$ref) return notes
  const old = formsOf(before, comparison.before)
  const now = formsOf(after, comparison.after)
  return [...notes, ...nullChanges(old, now, comparison, where), ...formChanges(old, now, comparison, where)]
}

const annotations = ['description', 'examples', 'default', 'deprecated', 'x-deprecated', 'x-sensitivity']
const keywords = new Set([
  ...annotations,
  ...['$ref', 'anyOf', 'type', 'enum', 'const', 'format', 'pattern'],
  ...['properties', 'required', 'additionalProperties', 'items'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems'],
])

function refuseUnknown(schema: JsonSchema, where: string): void {
  const unknown = Object.keys(schema).find((keyword) => !keywords.has(keyword))
  if (unknown !== undefined)
    throw new Error(`the gate does not know what ${unknown} means${where && `, at ${where}`}: teach it`)
}

/** The forms of a value that is not null. */
interface Forms {
  readonly isNullable: boolean
  readonly isAnything: boolean
  readonly forms: readonly Form[]
}

/** One of the things that a value may be, and the name under which it is referred to. */
interface Form {
  readonly schema: JsonSchema
  readonly name?: string
}

function formsOf(schema: JsonSchema, named: Comparison['before']): Forms {
  const { $ref, anyOf, type, enum: values } = schema
  if ($ref !== undefined) {
    const target = named[nameIn($ref)]
    if (target === undefined) throw new Error(`nothing is called ${$ref}`)
    const name = nameIn($ref)
    const { forms, ...rest } = formsOf(target, named)
    return { ...rest, forms: forms.map((form) => ({ name, ...form })) }
  }
  if (anyOf !== undefined) {
    const parts = anyOf.map((part) => formsOf(part, named))
    return {
      isNullable: parts.some(({ isNullable }) => isNullable),
      isAnything: parts.some(({ isAnything }) => isAnything),
      forms: parts.flatMap(({ forms }) => forms),
    }
  }
  const types = typeof type === 'string' ? [type] : (type ?? [])
  if (types.length === 0) return { isNullable: true, isAnything: true, forms: [] }
  const present = types.filter((name) => name !== 'null')
  const forms = present.map((name) => ({
    schema: {
      ...schema,
      type: name,
      ...(values && { enum: values.filter((value) => value !== null) }),
    },
  }))
  return { isNullable: present.length < types.length, isAnything: false, forms }
}

export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

function nullChanges(old: Forms, now: Forms, { direction }: Comparison, where: string): SchemaChange[] {
  if (old.isNullable === now.isNullable || old.isAnything || now.isAnything) return []
  return now.isNullable
    ? [wider(direction, where, 'may be null now')]
    : [narrower(direction, where, 'is never null now')]
}

function formChanges(old: Forms, now: Forms, comparison: Comparison, where: string): SchemaChange[] {
  const { direction } = comparison
  if (old.isAnything || now.isAnything) {
    if (old.isAnything && now.isAnything) return []
    return now.isAnything
      ? [wider(direction, where, 'may be anything now')]
      : [narrower(direction, where, `is not anything any more, but ${now.forms.map(titleOf).join(' or ')}`)]
  }
  const [one, ...others] = old.forms
  const [other, ...more] = now.forms
  // One form on both sides is one that has changed, whatever it is called.
  if (one && other && others.length + more.length === 0) return oneFormChanges(one, other, comparison, where)

  const pairs = old.forms.map((form) => [form, now.forms.find((next) => isAlike(form, next))] as const)
  const met = new Set(pairs.map(([, next]) => next))
  const place = (form: Form) => (titleOf(form) === form.schema.type ? where : `${where}(${titleOf(form)})`)
  return [
    ...pairs.flatMap(([form, next]) =>
      next === undefined
        ? [narrower(direction, where, `is no longer ${titleOf(form)}`)]
        : oneFormChanges(form, next, comparison, place(form)),
    ),
    ...now.forms
      .filter((form) => !met.has(form))
      .map((form) => addedForm(form, [...old.forms, ...now.forms], direction, where)),
  ]
}

/** One form more, which is as one value more of an enumeration where a member tells every form. */
function addedForm(form: Form, all: readonly Form[], direction: Direction, where: string): SchemaChange {
  const what = `may be ${titleOf(form)} now`
  const isTold = all.every(({ schema }) => schema.properties?.['code']?.['const'] !== undefined)
  return direction === 'output' && isTold
    ? change('additive', where, what, 'a switch over its codes must be compiled again')
    : wider(direction, where, what)
}

/** Whether two forms are one that has changed: records of one name, else the same type. */
function isAlike(one: Form, other: Form): boolean {
  return titleOf(one) === titleOf(other)
}

/** What a form is called: its name, or what its constant members say of it, or its type. */
function titleOf({ schema, name }: Form): string {
  if (name !== undefined) return name
  const constants = ['__type__', 'code'].flatMap((member) => {
    const value = schema.properties?.[member]?.['const']
    return value === undefined ? [] : [String(value)]
  })
  return constants.join(' ') || String(schema.type)
}

function oneFormChanges(old: Form, now: Form, around: Comparison, where: string): SchemaChange[] {
  const { within = [] } = around
  const names = `${old.name} ${now.name}`
  if ((old.name !== undefined && old.name === now.name) || within.includes(names)) return []
  const comparison = { ...around, within: [...within, ...(old.name === undefined ? [] : [names])] }
  const [before, after] = [old.schema, now.schema]
  return [
    ...typeChanges(before, after, comparison.direction, where),
    ...valueChanges(before, after, comparison.direction, where),
    ...(before.type === after.type ? boundChanges(before, after, comparison.direction, where) : []),
    ...(before.properties || after.properties ? memberChanges(before, after, comparison, where) : []),
    ...additionalChanges(before, after, comparison, where),
    ...(before.items && after.items
      ? schemaChanges(before.items, after.items, comparison, `${where}[]`)
      : []),
  ]
}

function typeChanges(
  { type: before }: JsonSchema,
  { type: after }: JsonSchema,
  direction: Direction,
  where: string,
): SchemaChange[] {
  if (before === after) return []
  const what = `is ${String(after)} now, and was ${String(before)}`
  if (before === 'integer' && after === 'number') return [wider(direction, where, what)]
  if (before === 'number' && after === 'integer') return [narrower(direction, where, what)]
  const meaning =
    direction === 'input' ? 'requests that were right are refused' : 'programs read a value of another type'
  return [{ level: 'breaking', where, what, meaning }]
}

/** Differences of the values that are listed, one by one or as an enumeration. */
function valueChanges(
  before: JsonSchema,
  after: JsonSchema,
  direction: Direction,
  where: string,
): SchemaChange[] {
  const old = valuesOf(before)
  const now = valuesOf(after)
  if (old === undefined && now === undefined) return []
  if (old === undefined) return [narrower(direction, where, `is one of ${shown(now ?? [])} now`)]
  if (now === undefined) return [wider(direction, where, `is not limited to ${shown(old)} any more`)]
  const added = now.filter((value) => !old.includes(value))
  const removed = old.filter((value) => !now.includes(value))
  const isAnswered = direction === 'output'
  return [
    ...added.map((value) => ({
      level: 'additive' as const,
      where,
      what: `may be ${shown([value])}`,
      meaning: isAnswered ? 'a switch over its values must be compiled again' : 'more is accepted',
    })),
    ...removed.map((value) => narrower(direction, where, `is never ${shown([value])} now`)),
  ]
}

function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  return schema['const'] === undefined ? schema.enum : [schema['const']]
}

function shown(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ')
}

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems']
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems']

function boundChanges(
  before: JsonSchema,
  after: JsonSchema,
  direction: Direction,
  where: string,
): SchemaChange[] {
  const bounds = [...lowerBounds, ...upperBounds].flatMap((bound) => {
    const [old, now] = [before[bound], after[bound]]
    if (old === now) return []
    const what = `has ${bound} ${shownBound(now)}, and had ${shownBound(old)}`
    return [isTighter(bound, old, now) ? narrower(direction, where, what) : wider(direction, where, what)]
  })
  // Which of two patterns takes more cannot be told: another one is taken for what hurts.
  const forms = ['pattern', 'format'].flatMap((keyword): SchemaChange[] => {
    const [old, now] = [before[keyword], after[keyword]]
    if (old === now) return []
    const what = `has ${keyword} ${shownBound(now)}, and had ${shownBound(old)}`
    if (now === undefined) return [wider(direction, where, what)]
    if (old === undefined) return [narrower(direction, where, what)]
    const meaning =
      direction === 'input' ? 'requests that were right may be refused' : 'programs may not expect the form'
    return [{ level: 'breaking', where, what, meaning }]
  })
  return [...bounds, ...forms]
}

function isTighter(bound: string, old: unknown, now: unknown): boolean {
  if (now === undefined || old === undefined) return old === undefined
  return lowerBounds.includes(bound) ? Number(now) > Number(old) : Number(now) < Number(old)
}

function shownBound(bound: unknown): string {
  return bound === undefined ? 'none' : String(bound)
}

function memberChanges(
  before: JsonSchema,
  after: JsonSchema,
  comparison: Comparison,
  where: string,
): SchemaChange[] {
  const isInput = comparison.direction === 'input'
  const old = before.properties ?? {}
  const now = after.properties ?? {}
  const at = (name: string) => (where === '' ? name : `${where}.${name}`)
  const isNeeded = (schema: JsonSchema, name: string) => schema.required?.includes(name) === true
  const kept = Object.entries(old).flatMap(([name, member]): SchemaChange[] => {
    const next = now[name]
    if (next === undefined) return [removedMember(member, at(name), before, comparison)]
    const [was, is] = [isNeeded(before, name), isNeeded(after, name)]
    const necessity = was === is ? [] : [neededNow(is, isInput, at(name))]
    return [...necessity, ...schemaChanges(member, next, comparison, at(name))]
  })
  const added = Object.keys(now).filter((name) => !(name in old))
  return [
    ...kept,
    ...added.map((name) =>
      isInput && isNeeded(after, name)
        ? change('breaking', at(name), 'is required and new', 'requests without it are refused')
        : change('additive', at(name), 'is new', isInput ? 'it may be sent' : 'programs may read it'),
    ),
  ]
}

function removedMember(
  member: JsonSchema,
  where: string,
  parent: JsonSchema,
  { direction }: Comparison,
): SchemaChange {
  const meanings = {
    output: 'programs that read it find nothing',
    input:
      parent.additionalProperties === false
        ? 'requests with it are refused'
        : 'what is sent as it has no effect any more',
  }
  const promisedUntil = deprecationOf(member)?.sunset
  return { ...change('breaking', where, 'is gone', meanings[direction]), promisedUntil }
}

function neededNow(isRequired: boolean, isInput: boolean, where: string): SchemaChange {
  if (isRequired)
    return isInput
      ? change('breaking', where, 'is required now', 'requests without it are refused')
      : change('additive', where, 'is always there now', 'programs need not look whether it is')
  return isInput
    ? change('additive', where, 'may be left out now', 'requests without it are accepted')
    : change('breaking', where, 'may be missing now', 'programs that read it may find nothing')
}

/** Differences of what is said of members that have no name in the schema. */
function additionalChanges(
  before: JsonSchema,
  after: JsonSchema,
  comparison: Comparison,
  where: string,
): SchemaChange[] {
  const [old, now] = [before.additionalProperties, after.additionalProperties]
  if (typeof old === 'object' && typeof now === 'object')
    return schemaChanges(old, now, comparison, `${where}{}`)
  const isOpen = (rule: JsonSchema['additionalProperties']) => rule !== false
  if (isOpen(old) === isOpen(now)) return []
  return isOpen(now)
    ? [wider(comparison.direction, where, 'may have members of any name now')]
    : [narrower(comparison.direction, where, 'has the members that are named alone now')]
}

function wider(direction: Direction, where: string, what: string): SchemaChange {
  return direction === 'input'
    ? change('additive', where, what, 'more is accepted')
    : change('breaking', where, what, 'programs meet what they do not expect')
}

function narrower(direction: Direction, where: string, what: string): SchemaChange {
  return direction === 'input'
    ? change('breaking', where, what, 'requests that were right are refused')
    : change('additive', where, what, 'programs meet less than they expect')
}
