import type { Deprecation } from '../src/core/deprecation.js'
import type { JsonSchema } from '../src/openapi/json-schema.js'
import { change, type SchemaChange } from './change.js'
import type { Comparison } from './schema-changes.js'

/** The differences of what is said of a value beside its form. */
export function annotationChanges(
  before: JsonSchema,
  after: JsonSchema,
  { direction }: Pick<Comparison, 'direction'>,
  where: string,
): SchemaChange[] {
  const isOther = (keyword: string) => JSON.stringify(before[keyword]) !== JSON.stringify(after[keyword])
  const meaning = 'nothing else is different'
  return [
    ...(['description', 'examples'] as const)
      .filter(isOther)
      .map((keyword) => change('documentation', where, `has another ${keyword.replace(/s$/, '')}`, meaning)),
    ...(isOther('default') && direction === 'input' ? [defaultChange(before, after, where)] : []),
    ...(isOther('x-sensitivity') ? sensitivityChanges(before, after, where) : []),
    ...deprecationChanges(deprecationOf(before), deprecationOf(after), where),
  ]
}

function defaultChange(before: JsonSchema, after: JsonSchema, where: string): SchemaChange {
  const what = `is ${shownDefault(after)} where it is left out, and was ${shownDefault(before)}`
  return change('breaking', where, what, 'the same request does something else')
}

function shownDefault(schema: JsonSchema): string {
  return schema['default'] === undefined ? 'nothing' : JSON.stringify(schema['default'])
}

function sensitivityChanges(before: JsonSchema, after: JsonSchema, where: string): SchemaChange[] {
  const [old, now] = [before['x-sensitivity'], after['x-sensitivity']]
  return [
    ...(now === undefined
      ? []
      : [change('additive', where, `is marked ${String(now)}`, 'it is kept out of more places')]),
    ...(old === undefined
      ? []
      : [
          change('breaking', where, `is not marked ${String(old)} any more`, 'it may be logged and repeated'),
        ]),
  ]
}

/** The deprecation that a member's schema carries. */
export function deprecationOf(schema: JsonSchema): Deprecation | undefined {
  // Written by deprecated() alone.
  return schema['x-deprecated'] as Deprecation | undefined
}

/** The differences of what was promised of something that will go. */
export function deprecationChanges(
  before: Deprecation | undefined,
  after: Deprecation | undefined,
  where: string,
): SchemaChange[] {
  if (before === undefined && after === undefined) return []
  if (after === undefined) return [change('additive', where, 'is not deprecated any more', 'it stays')]
  const until = `use ${after.instead} before ${after.sunset}`
  if (before === undefined) return [change('additive', where, 'is deprecated', until)]
  if (after.sunset < before.sunset) {
    const what = `goes on ${after.sunset} instead of ${before.sunset}`
    return [{ ...change('breaking', where, what, 'callers have less time'), promisedUntil: before.sunset }]
  }
  if (after.sunset > before.sunset)
    return [change('additive', where, `stays until ${after.sunset}`, 'callers have more time')]
  const isSame = JSON.stringify(before) === JSON.stringify(after)
  return isSame ? [] : [change('documentation', where, 'is deprecated in other words', until)]
}
