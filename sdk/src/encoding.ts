import type { RouteRow } from './generated.js'

type Input = Readonly<Record<string, unknown>>

/** Where the members of an input go. */
export interface EncodedRequest {
  /** Path and query. */
  readonly target: string
  readonly body?: string
  readonly contentType?: string
}

/**
 * Puts the members of an input into the path, and the others into the body, or into the query where there is no body.
 *
 * @throws TypeError when a path parameter is missing, or is one with which the path would name something else.
 */
export function encodeRequest([, path, flags]: RouteRow, input: object): EncodedRequest {
  const members: Record<string, unknown> = { ...input }
  const target = path.replace(/:(\w+)/g, (_, name: string) => {
    const segment = pathSegment(name, members[name])
    delete members[name]
    return segment
  })
  if (flags.includes('f'))
    return { target, body: formOf(members), contentType: 'application/x-www-form-urlencoded' }
  if (flags.includes('b')) return { target, body: JSON.stringify(members), contentType: 'application/json' }
  const query = formOf(members)
  return { target: query === '' ? target : `${target}?${query}` }
}

/** URL parsers drop `.` and `..` even when they are percent-encoded, and an empty segment is another path. */
function pathSegment(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') throw new TypeError(`${name} is missing: it is part of the path`)
  if (/^\.{0,2}$|\p{Surrogate}/u.test(text))
    throw new TypeError(`${name} must be well-formed text, and not empty, . or ..`)
  return encodeURIComponent(text)
}

/** An urlencoded form; nested names in brackets, as in `q[status_in][]=up`. */
export function formOf(members: Input): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(members)) append(form, name, value)
  return form.toString()
}

function append(form: URLSearchParams, name: string, value: unknown): void {
  if (Array.isArray(value))
    // A list of nothing is said as one empty element: left out, it would be no filter at all.
    for (const item of value.length > 0 ? value : ['']) append(form, `${name}[]`, item)
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) append(form, `${name}[${key}]`, inner)
  else if (['string', 'number', 'boolean'].includes(typeof value)) form.append(name, String(value))
}
