import type { JsonSchema } from '../src/openapi/json-schema.js'
import { change, isGraver, type Change, type SchemaChange } from './change.js'
import type { ContractDescription } from './description.js'
import { operationChanges } from './operation-changes.js'
import { nameIn, schemaChanges, type Direction } from './schema-changes.js'
import { scimChanges } from './scim-changes.js'

/** Everything that is different of two contracts for those who call, listen and verify. */
export function contractChanges(before: ContractDescription, after: ContractDescription): Change[] {
  return [
    ...operationChanges(before, after),
    ...recordChanges(before, after),
    ...errorCodeChanges(before, after),
    ...eventChanges(before, after),
    ...claimChanges(before, after),
    ...scimChanges(before.scim, after.scim),
    ...signatureChanges(before.webhookSignature, after.webhookSignature),
    ...of('error', schemaChanges(before.errorBody, after.errorBody, answered(before, after), 'body')),
  ]
}

/** The changes of one thing that has a name. */
function of(subject: string, changes: readonly SchemaChange[]): Change[] {
  return changes.map((change) => ({ subject, ...change }))
}

function answered(before: ContractDescription, after: ContractDescription) {
  return { direction: 'output' as const, before: before.schemas, after: after.schemas }
}

/** Differences of the named schemas, once for each and not once for each operation that has it. */
function recordChanges(before: ContractDescription, after: ContractDescription): Change[] {
  const old = directionsOf(before)
  const now = directionsOf(after)
  const names = [...new Set([...old.keys(), ...now.keys()])].toSorted()
  return names.flatMap((name) => {
    const [was, is] = [before.schemas[name], after.schemas[name]]
    const directions = old.get(name) ?? new Set()
    if (was === undefined)
      return of(name, [change('additive', '', 'is a new record', 'programs may read it')])
    if (is === undefined)
      return directions.has('output')
        ? of(name, [change('breaking', '', 'is no record any more', 'the SDK has no type of this name')])
        : []
    const all = [...directions].flatMap((direction) =>
      schemaChanges(was, is, { direction, before: before.schemas, after: after.schemas }),
    )
    return of(name, graveOnes(all))
  })
}

/** One change of each place and wording, the gravest: what is both sent and answered is compared twice. */
function graveOnes(changes: readonly SchemaChange[]): SchemaChange[] {
  const kept = new Map<string, SchemaChange>()
  for (const each of changes) {
    const key = `${each.where} ${each.what}`
    const known = kept.get(key)
    if (known === undefined || isGraver(each.level, known.level)) kept.set(key, each)
  }
  return [...kept.values()]
}

/** Whether each named schema is met in answers, in what is sent, or in both. */
function directionsOf(contract: ContractDescription): Map<string, Set<Direction>> {
  const found = new Map<string, Set<Direction>>()
  function visit(schema: JsonSchema, direction: Direction): void {
    for (const name of namesIn(schema)) {
      const known = found.get(name) ?? new Set()
      if (known.has(direction)) continue
      found.set(name, known.add(direction))
      visit(contract.schemas[name] ?? {}, direction)
    }
  }
  for (const { success, otherRefusals, inputs } of Object.values(contract.operations)) {
    for (const schema of [success.schema, ...Object.values(otherRefusals)]) visit(schema, 'output')
    for (const schema of Object.values(inputs)) visit(schema, 'input')
  }
  for (const { schema } of Object.values(contract.events)) visit(schema, 'output')
  for (const schema of [...Object.values(contract.claims), contract.errorBody]) visit(schema, 'output')
  return found
}

/** The names that a schema refers to, at any depth. */
function namesIn(schema: JsonSchema): string[] {
  const { $ref, properties = {}, additionalProperties, items, anyOf = [] } = schema
  const parts = [
    ...Object.values(properties),
    ...anyOf,
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...(items ? [items] : []),
  ]
  return [...($ref === undefined ? [] : [nameIn($ref)]), ...parts.flatMap(namesIn)]
}

function errorCodeChanges(before: ContractDescription, after: ContractDescription): Change[] {
  return byName(before.errorCodes, after.errorCodes).flatMap(([code, was, is]) => {
    if (was === undefined)
      return of(code, [
        change('additive', '', 'is a new error code', 'a switch over all codes must be compiled again'),
      ])
    if (is === undefined)
      return of(code, [
        change('breaking', '', 'is no error code any more', 'programs that handle it do not compile'),
      ])
    const texts = (['message', 'remedy'] as const).filter((text) => was[text] !== is[text])
    return of(code, [
      ...(was.status === is.status
        ? []
        : [
            change(
              'breaking',
              '',
              `is answered with ${is.status}, and was with ${was.status}`,
              'programs that look at the status miss it',
            ),
          ]),
      ...texts.map((text) => change('documentation', text, 'has other words', 'nothing else is different')),
    ])
  })
}

function eventChanges(before: ContractDescription, after: ContractDescription): Change[] {
  return byName(before.events, after.events).flatMap(([code, was, is]) => {
    if (was === undefined)
      return of(code, [
        change('additive', '', 'is a new event code', 'receivers of its selectors get it, too'),
      ])
    if (is === undefined)
      return of(code, [change('breaking', '', 'is no event code any more', 'receivers wait for it in vain')])
    const isSame = was.tells === is.tells && JSON.stringify(was.elsewhere) === JSON.stringify(is.elsewhere)
    return of(code, [
      ...schemaChanges(was.schema, is.schema, answered(before, after)),
      ...(isSame
        ? []
        : [change('documentation', '', 'is told of in other words', 'nothing else is different')]),
    ])
  })
}

function claimChanges(before: ContractDescription, after: ContractDescription): Change[] {
  return byName(before.claims, after.claims).flatMap(([token, was, is]) => {
    if (was === undefined) return of(token, [change('additive', '', 'are new', 'verifiers may read them')])
    if (is === undefined)
      return of(token, [change('breaking', '', 'are gone', 'verifiers get no such token')])
    return of(token, schemaChanges(was, is, answered(before, after)))
  })
}

function signatureChanges(
  before: ContractDescription['webhookSignature'],
  after: ContractDescription['webhookSignature'],
): Change[] {
  return byName(before, after).flatMap(([header, was, is]) => {
    if (was === is) return []
    return of(header, [
      was === undefined
        ? change('additive', '', 'is a new header of deliveries', 'receivers may read it')
        : change(
            'breaking',
            '',
            is === undefined ? 'is gone from deliveries' : 'is made in another way',
            'receivers refuse deliveries',
          ),
    ])
  })
}

/** Each name of two tables with what it is in either. */
export function byName<Value>(
  before: Readonly<Record<string, Value>>,
  after: Readonly<Record<string, Value>>,
): [name: string, before: Value | undefined, after: Value | undefined][] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.map((name) => [name, before[name], after[name]])
}
