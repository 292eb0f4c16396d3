import type { RouteRow } from './generated.js'

type Input = Readonly<Record<string, unknown>>

/** An input as the parts of a request. */
export interface EncodedRequest {
  /** Path and query. */
  readonly target: string
  readonly body?: string
  readonly contentType?: string
}

/**
 * Puts members of an input into the path, and the others into the body, or into the query without a body.
 *
 * @throws TypeError when a path parameter is missing, or would change the structure of the path.
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

/** Refuses `.` and `..`, which URL parsers resolve even percent-encoded, and empty segments, which change the path. */
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
    // An empty list is sent as one empty element; without any element there would be no filter.
    for (const item of value.length > 0 ? value : ['']) append(form, `${name}[]`, item)
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) append(form, `${name}[${key}]`, inner)
  else if (['string', 'number', 'boolean'].includes(typeof value)) form.append(name, String(value))
}
