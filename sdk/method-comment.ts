import { deprecationSentence } from '@portico/contract/deprecation'
import { sampleBody, sampleOf } from '@portico/contract/samples'
import type { Route } from '@portico/contract/walk'
import { propertyName, sentence, type Member } from './render-type.js'

/** The content of a method's comment beside the summary of its route. */
export interface Method {
  readonly route: Route
  /** The type of its answer. */
  readonly output: string
  /** The record of a list; undefined when the operation is not a list. */
  readonly item: string | undefined
  /** The required members of its input. */
  readonly required: readonly Member[]
  /** Its error codes, and whether the route is an OAuth endpoint with codes of its own. */
  readonly codes: readonly string[]
  readonly refusesAsOAuth: boolean
  readonly caller: Caller
}

/** The client that has the methods. */
export interface Caller {
  /** The variable name of the client in examples. */
  readonly name: string
  /** The class of its errors, and the status of each code. */
  readonly error: string
  readonly codes: Readonly<Record<string, { readonly status: number }>>
  /** The type of the further error codes of every call. */
  readonly anyCall?: string
}

/** The comment of a method: its effect, its scope, its errors by status and code, and a call. */
export function methodComment(method: Method): readonly string[] {
  const { route } = method
  const { access } = route
  const remarks = [
    access.scope === null ? 'Sends no API token.' : `Requires the scope \`${access.scope}\`.`,
    access.sandboxOnly ? 'Available only with sandbox keys.' : '',
    access.idempotent ? 'Sends an Idempotency-Key, so that it can be repeated safely.' : '',
    access.versioned === 'answers' ? 'etagOf() returns the version of the answer.' : '',
    access.versioned === 'checks' ? 'With `ifMatch`, only that version is changed.' : '',
  ]
  return [
    sentence(route.definition.summary ?? route.name),
    `\`${route.method} ${route.path}\`. ${remarks.filter(Boolean).join(' ')}`,
    '',
    ...refusals(method),
    ...(access.deprecated ? [`@deprecated ${deprecationSentence(access.deprecated)}`] : []),
    '@example',
    '```ts',
    ...exampleCall(method),
    '```',
  ]
}

function refusals({ codes, refusesAsOAuth, caller }: Method): readonly string[] {
  const known = Object.entries(caller.codes).filter(([code]) => codes.includes(code))
  const statuses = [...new Set(known.map(([, { status }]) => status))].toSorted((one, other) => one - other)
  const listed = statuses.map((status) => {
    const named = known.flatMap(([code, of]) => (of.status === status ? [`\`${code}\``] : []))
    return `${status} ${named.join(', ')}`
  })
  const otherwise = caller.anyCall === undefined ? '' : `; or as any call, see ${caller.anyCall}`
  return [
    ...(listed.length > 0 ? [`@throws ${caller.error} ${listed.join('; ')}${otherwise}.`] : []),
    ...(refusesAsOAuth ? ['@throws OAuthError with a code of OAuthErrorCode.'] : []),
  ]
}

/** A call with the contract's examples: the required members, and a few more of a body. */
function exampleCall({ route, output, item, required, caller }: Method): readonly string[] {
  const demanded = required.map(({ name, schema }) => [name, sampleOf(name, schema)] as const)
  const members = Object.entries({ ...Object.fromEntries(demanded), ...sampleBody(route) })
  const input = members.length > 0 ? literal(Object.fromEntries(members)) : ''
  const [record = ''] = /^\w+/.exec(item ?? output) ?? []
  const name = record.charAt(0).toLowerCase() + record.slice(1)
  const call = `${caller.name}.${route.name}`
  const text =
    item === undefined
      ? `${route.successStatus === 204 ? '' : `const ${name} = `}await ${call}(${input})`
      : `for await (const ${name} of ${call}.all(${input})) console.log(${name})`
  return text.split('\n')
}

const longestLine = 80

/** A value as source text: on one line where it is short. */
function literal(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value).replace(/^"([^"'\\]*)"$/, "'$1'")
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value))
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }']
  const members = Object.entries(value).map(([name, member]: [string, unknown]) =>
    Array.isArray(value) ? literal(member) : `${propertyName(name)}: ${literal(member)}`,
  )
  const line = `${open}${members.join(', ')}${close}`
  if (line.length <= longestLine && !line.includes('\n')) return line
  const lines = members.map((member) => `  ${member.replaceAll('\n', '\n  ')},\n`)
  return `${open.trim()}\n${lines.join('')}${close.trim()}`
}
