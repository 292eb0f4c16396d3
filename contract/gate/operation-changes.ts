import type { Access } from '../src/core/access.js'
import type { JsonSchema } from '../src/openapi/json-schema.js'
import { change, type Change, type SchemaChange } from './change.js'
import type { ContractDescription, OperationDescription } from './description.js'
import { deprecationChanges } from './annotation-changes.js'
import { schemaChanges, type Comparison } from './schema-changes.js'

/** What is different of the operations, each by its name. */
export function operationChanges(before: ContractDescription, after: ContractDescription): Change[] {
  const schemas = { before: before.schemas, after: after.schemas }
  const kept = Object.entries(before.operations).flatMap(([subject, was]): Change[] => {
    const is = after.operations[subject]
    const changes = is === undefined ? [goneOperation(was, after)] : changesOf(was, is, schemas)
    return changes.map((each) => ({ subject, ...each }))
  })
  const added = Object.keys(after.operations).filter((name) => !(name in before.operations))
  return [
    ...kept,
    ...added.map((subject) => ({ subject, ...change('additive', '', 'is new', 'it may be called') })),
  ]
}

type Schemas = Omit<Comparison, 'direction'>

function goneOperation(was: OperationDescription, after: ContractDescription): SchemaChange {
  const heir = Object.entries(after.operations).find(
    ([, { method, path }]) => method === was.method && path === was.path,
  )
  const gone =
    heir === undefined
      ? change('breaking', '', 'is gone', 'calls of it are answered 404 or 405, and do not compile')
      : change('breaking', '', `is called ${heir[0]} now`, 'calls by the SDK do not compile')
  return { ...gone, promisedUntil: was.access.deprecated?.sunset }
}

function changesOf(was: OperationDescription, is: OperationDescription, schemas: Schemas): SchemaChange[] {
  return [
    ...placeChanges(was, is),
    ...accessChanges(was.access, is.access),
    ...deprecationChanges(was.access.deprecated, is.access.deprecated, ''),
    ...inputChanges(was, is, schemas),
    ...answerChanges(was, is, { ...schemas, direction: 'output' }),
    ...wordChanges(was, is),
  ]
}

function placeChanges(was: OperationDescription, is: OperationDescription): SchemaChange[] {
  const meaning = 'requests of programs of before are answered 404 or 405'
  // A parameter of another name is told with the parameters; the same ones in another order are another path.
  const isRenamed = namesIn(was.path) !== namesIn(is.path) && unnamed(was.path) === unnamed(is.path)
  const isMoved = was.path !== is.path && !isRenamed
  return [
    ...(isMoved ? [change('breaking', 'path', `is ${is.path}, and was ${was.path}`, meaning)] : []),
    ...(was.method === is.method
      ? []
      : [change('breaking', 'method', `is ${is.method}, and was ${was.method}`, meaning)]),
  ]
}

const parameter = /:\w+/g

function unnamed(path: string): string {
  return path.replace(parameter, ':')
}

function namesIn(path: string): string {
  return (path.match(parameter) ?? []).toSorted().join()
}

interface Rule {
  readonly name: 'scope' | 'reach' | 'sandboxOnly' | 'limited' | 'idempotent' | 'takesFile' | 'versioned'
  /** Whether callers gain by a change of it; what they do then, and else. */
  readonly isGain: (was: Access, is: Access) => boolean
  readonly gain: string
  readonly loss: string
}

const admission = { gain: 'more callers are let in', loss: 'callers that were let in are refused' }

const rules: readonly Rule[] = [
  { name: 'scope', isGain: () => false, ...admission },
  { name: 'reach', isGain: (_, { reach }) => reach !== 'account', ...admission },
  { name: 'sandboxOnly', isGain: (_, { sandboxOnly }) => !sandboxOnly, ...admission },
  {
    name: 'limited',
    isGain: (_, { limited }) => limited === false,
    gain: 'calls are counted less',
    loss: 'calls are answered 429 earlier',
  },
  {
    name: 'idempotent',
    isGain: (_, { idempotent }) => idempotent,
    gain: 'it may be repeated with an Idempotency-Key',
    loss: 'a repeated request does it twice',
  },
  {
    name: 'takesFile',
    isGain: (_, { takesFile }) => takesFile,
    gain: 'larger bodies are accepted',
    loss: 'bodies of more than 100 kB are refused',
  },
  {
    name: 'versioned',
    isGain: (was, is) => was.versioned === false || is.versioned === 'checks',
    gain: 'answers say their version, or changes check it',
    loss: 'programs that send If-Match or read ETag miss it',
  },
]

function accessChanges(was: Access, is: Access): SchemaChange[] {
  // Scope and reach are of keys: where one of the two takes none, there is nothing to compare.
  const compared = rules.filter(({ name }) => was.auth === is.auth || (name !== 'scope' && name !== 'reach'))
  return [
    ...(was.auth === is.auth ? [] : [authChange(is.auth)]),
    ...compared
      .filter(({ name }) => was[name] !== is[name])
      .map(({ name, isGain, gain, loss }) => {
        const what = `is ${String(is[name])}, and was ${String(was[name])}`
        return isGain(was, is) ? change('additive', name, what, gain) : change('breaking', name, what, loss)
      }),
    ...eventChanges(was.emits, is.emits),
    ...(was.tag.name === is.tag.name ? [] : [headingChange(was, is)]),
  ]
}

function authChange(auth: Access['auth']): SchemaChange {
  return auth === 'none'
    ? change('additive', 'auth', 'takes no API key any more', admission.gain)
    : change('breaking', 'auth', 'takes an API key now', admission.loss)
}

function headingChange(was: Access, is: Access): SchemaChange {
  const what = `is ${is.tag.name}, and was ${was.tag.name}`
  return change('documentation', 'tag', what, 'it is found elsewhere in the reference')
}

function eventChanges(was: readonly string[], is: readonly string[]): SchemaChange[] {
  return [
    ...was
      .filter((code) => !is.includes(code))
      .map((code) => change('breaking', 'emits', `${code} no longer`, 'receivers wait for it in vain')),
    ...is
      .filter((code) => !was.includes(code))
      .map((code) => change('additive', 'emits', `${code}, too`, 'receivers get it')),
  ]
}

const nothing: JsonSchema = { type: 'object', properties: {}, additionalProperties: false }

function inputChanges(was: OperationDescription, is: OperationDescription, schemas: Schemas): SchemaChange[] {
  const comparison = { ...schemas, direction: 'input' as const }
  return (['path', 'query', 'headers', 'body'] as const).flatMap((place) => {
    const [old, now] = [was.inputs[place], is.inputs[place]]
    return old === undefined && now === undefined
      ? []
      : schemaChanges(old ?? nothing, now ?? nothing, comparison, place)
  })
}

function answerChanges(
  was: OperationDescription,
  is: OperationDescription,
  comparison: Comparison,
): SchemaChange[] {
  const statuses = [...new Set([...Object.keys(was.otherRefusals), ...Object.keys(is.otherRefusals)])]
  return [
    ...(was.success.status === is.success.status
      ? []
      : [
          change(
            'breaking',
            'status',
            `is ${is.success.status}, and was ${was.success.status}`,
            'programs that look at it take a success for something else',
          ),
        ]),
    ...schemaChanges(was.success.schema, is.success.schema, comparison, 'answer'),
    ...was.success.headers
      .filter((name) => !is.success.headers.includes(name))
      .map((name) => change('breaking', `header ${name}`, 'is gone', 'programs that read it find nothing')),
    ...is.success.headers
      .filter((name) => !was.success.headers.includes(name))
      .map((name) => change('additive', `header ${name}`, 'is new', 'programs may read it')),
    ...was.errorCodes
      .filter((code) => !is.errorCodes.includes(code))
      .map((code) =>
        change(
          'breaking',
          `error ${code}`,
          'is answered no longer',
          'a switch that has a case of it does not compile',
        ),
      ),
    ...is.errorCodes
      .filter((code) => !was.errorCodes.includes(code))
      .map((code) =>
        change(
          'additive',
          `error ${code}`,
          'is answered, too',
          'a switch over all codes must be compiled again',
        ),
      ),
    ...statuses.flatMap((status) =>
      refusalChanges(was.otherRefusals[status], is.otherRefusals[status], comparison, status),
    ),
  ]
}

function refusalChanges(
  was: JsonSchema | undefined,
  is: JsonSchema | undefined,
  comparison: Comparison,
  status: string,
): SchemaChange[] {
  if (was && is) return schemaChanges(was, is, comparison, status)
  return was
    ? [change('breaking', status, 'is answered no longer', 'programs that look at the status miss it')]
    : [change('additive', status, 'is answered, too', 'programs take it for a failure')]
}

function wordChanges(was: OperationDescription, is: OperationDescription): SchemaChange[] {
  const words = (['summary', 'description', 'sampleBody'] as const).filter(
    (name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]),
  )
  const called = { summary: 'summary', description: 'description', sampleBody: 'example' }
  return words.map((name) => change('documentation', called[name], 'is another', 'nothing else is different'))
}
