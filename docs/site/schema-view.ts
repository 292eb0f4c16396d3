import type { JsonSchema } from '@portico/contract/json-schema'
import { html, prose, type Html } from './html.js'
import { nameIn } from '../operations.js'

/**
 * The members of an object as a table; those of an object inside it fold out of a row of their own.
 * Of an input it marks what is required; of an answer, where that would be nearly all, what may be missing.
 */
export function membersTable(schema: JsonSchema, caption: string, use: 'input' | 'answer'): Html {
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const isRequired = schema.required?.includes(name) === true
    const mark = use === 'input' ? isRequired && 'required' : !isRequired && 'may be missing'
    return [memberRow({ name, member, mark }), folded(name, member, use)]
  })
  return html`<table class="members">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Type</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`
}

/** A member or parameter as a row of a table. */
export function memberRow({ name, member, mark, place }: Member): Html {
  return html`<tr>
    <th scope="row"><code>${name}</code>${mark !== false && html` <span class="mark">${mark}</span>`}</th>
    <td>${place !== undefined && html`<span class="place">${place}</span> `}${typeOf(member)}</td>
    <td>${meaningOf(member)}</td>
  </tr>`
}

interface Member {
  name: string
  member: JsonSchema
  /** A word beside the name. */
  mark: string | false
  place?: string
}

function meaningOf(member: JsonSchema): Html {
  const remarks = [...boundsOf(member), ...sensitivityOf(member)]
  return html`${member.description !== undefined && html`<p>${prose(member.description)}</p>`}${
    remarks.length > 0 && html`<p class="bounds">${joined(remarks)}</p>`
  }`
}

function sensitivityOf({ 'x-sensitivity': sensitivity }: JsonSchema): Html[] {
  return typeof sensitivity === 'string'
    ? [html`<span class="mark ${sensitivity}">${sensitivity}</span>`]
    : []
}

function folded(name: string, member: JsonSchema, use: 'input' | 'answer'): Html | undefined {
  const object = objectIn(member)
  if (!object) return undefined
  const count = Object.keys(object.properties ?? {}).length
  return html`<tr class="folded">
    <td colspan="3">
      <details>
        <summary>The ${count} members of <code>${name}</code></summary>
        ${membersTable(object, `Members of ${name}`, use)}
      </details>
    </td>
  </tr>`
}

function objectIn(schema: JsonSchema): JsonSchema | undefined {
  if (schema.properties) return schema
  return [schema.items, ...(schema.anyOf ?? [])]
    .flatMap((part) => (part ? [objectIn(part)] : []))
    .find(Boolean)
}

/** The type of a value in words; records are linked. */
export function typeOf(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) return recordLink(nameIn(schema.$ref))
  if (schema.anyOf) return alternatives(schema.anyOf.map(typeOf))
  if (schema.items) return alternatives([html`array of ${typeOf(schema.items)}`, ...nullOf(schema)])
  if (schema.enum) return alternatives(schema.enum.map((value) => html`<code>${String(value)}</code>`))
  if ('const' in schema) return html`<code>${JSON.stringify(schema['const'])}</code>`
  if (typeof schema.additionalProperties === 'object')
    return html`object of ${typeOf(schema.additionalProperties)}`
  const types = [schema.type ?? 'any'].flat()
  return alternatives(types.map((type) => html`${typeWithFormat(type, schema)}`))
}

function typeWithFormat(type: string, schema: JsonSchema): string {
  const format = schema['format']
  return type === 'string' && typeof format === 'string' ? `string (${format})` : type
}

function nullOf({ type }: JsonSchema): Html[] {
  return Array.isArray(type) && type.includes('null') ? [html`null`] : []
}

function alternatives(options: readonly Html[]): Html {
  return html`<span class="type"
    >${options.map((option, index) => [index > 0 && html` <span class="or">or</span> `, option])}</span
  >`
}

export function recordLink(name: string): Html {
  return html`<a href="/records/${name}.html">${name}</a>`
}

/** The bounds of a value, each as a phrase. */
function boundsOf(schema: JsonSchema): Html[] {
  return [
    ...range(schema['minimum'], schema['maximum'], ''),
    ...range(schema['minLength'], schema['maxLength'], ' characters'),
    ...range(schema['minItems'], schema['maxItems'], ' elements'),
    ...shortPattern(schema['pattern']),
    ...('default' in schema ? [html`default <code>${JSON.stringify(schema['default'])}</code>`] : []),
  ]
}

function range(min: unknown, max: unknown, unit: string): Html[] {
  if (typeof min === 'number' && typeof max === 'number')
    return [html`${min.toLocaleString('en')} to ${max.toLocaleString('en')}${unit}`]
  if (typeof max === 'number') return [html`at most ${max.toLocaleString('en')}${unit}`]
  return typeof min === 'number' ? [html`at least ${min.toLocaleString('en')}${unit}`] : []
}

/** A pattern that can be read at a glance; the formats say the same as the longer ones. */
function shortPattern(pattern: unknown): Html[] {
  return typeof pattern === 'string' && pattern.length <= 40 ? [html`matches <code>${pattern}</code>`] : []
}

function joined(phrases: readonly Html[]): Html {
  return html`${phrases.map((phrase, index) => [index > 0 && '; ', phrase])}`
}
