import type { ScimAttribute, ScimSchema } from '../src/protocols/scim.js'
import { change, type Change, type SchemaChange } from './change.js'

/** What is different for the provider of a directory, by the schemas of SCIM. */
export function scimChanges(before: readonly ScimSchema[], after: readonly ScimSchema[]): Change[] {
  const known = before.flatMap((schema): Change[] => {
    const next = after.find(({ id }) => id === schema.id)
    const changes =
      next === undefined
        ? [change('breaking', '', 'is gone', 'providers that write it are refused')]
        : [...attributesChanges(schema.attributes, next.attributes, ''), ...wordChanges(schema, next, '')]
    return changes.map((each) => ({ subject: subjectOf(schema), ...each }))
  })
  const added = after.filter(({ id }) => !before.some((schema) => schema.id === id))
  return [
    ...known,
    ...added.map((schema) => ({
      subject: subjectOf(schema),
      ...change('additive', '', 'is new', 'providers may write it'),
    })),
  ]
}

function subjectOf({ name }: ScimSchema): string {
  return `SCIM ${name}`
}

function attributesChanges(
  before: readonly ScimAttribute[],
  after: readonly ScimAttribute[],
  where: string,
): SchemaChange[] {
  const at = ({ name }: ScimAttribute) => (where === '' ? name : `${where}.${name}`)
  return [
    ...before.flatMap((attribute) => {
      const next = after.find(({ name }) => name === attribute.name)
      return next === undefined
        ? [change('breaking', at(attribute), 'is gone', 'what providers send as it is kept no longer')]
        : attributeChanges(attribute, next, at(attribute))
    }),
    ...after
      .filter(({ name }) => !before.some((attribute) => attribute.name === name))
      .map((attribute) =>
        attribute.required
          ? change(
              'breaking',
              at(attribute),
              'is required and new',
              'providers that do not send it are refused',
            )
          : change('additive', at(attribute), 'is new', 'providers may send it'),
      ),
  ]
}

/** Of these any other value is a promise withdrawn, but for what is listed as a gain. */
const rules = [
  'type',
  'multiValued',
  'required',
  'caseExact',
  'mutability',
  'returned',
  'uniqueness',
  'referenceTypes',
] as const
const gains = ['required false', 'mutability readWrite', 'returned always', 'uniqueness none']

function attributeChanges(was: ScimAttribute, is: ScimAttribute, where: string): SchemaChange[] {
  const ruled = rules
    .filter((rule) => JSON.stringify(was[rule]) !== JSON.stringify(is[rule]))
    .map((rule) => {
      const what = `has ${rule} ${String(is[rule])}, and had ${String(was[rule])}`
      return gains.includes(`${rule} ${String(is[rule])}`)
        ? change('additive', where, what, 'more is accepted or answered')
        : change('breaking', where, what, 'providers that rely on it fail')
    })
  return [
    ...ruled,
    ...attributesChanges(was.subAttributes ?? [], is.subAttributes ?? [], where),
    ...wordChanges(was, is, where),
  ]
}

function wordChanges(
  was: { readonly description: string },
  is: { readonly description: string },
  where: string,
): SchemaChange[] {
  if (was.description === is.description) return []
  return [change('documentation', where, 'has another description', 'nothing else is different')]
}
