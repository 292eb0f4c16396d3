import type { RouteRow } from './generated.js'

type Input = Readonly<Record<string, unknown>>

/** Where the members of an input go. */
export interface EncodedRequest {
  /** Path and query. */
  readonly target: string
  readonly body: string | undefined
  readonly contentType: string | undefined
}

/**
 * Distributes the members of an input over path, query and body.
 *
 * @throws TypeError when a path parameter is missing, or is one with which the path would name something else.
 */
export function encodeRequest([, path, flags, inQuery]: RouteRow, input: object): EncodedRequest {
  const rest = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined))
  const target = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return pathSegment(name, value)
  })
  const isInQuery = (name: string) => (inQuery ? inQuery.includes(name) : !flags.includes('b'))
  const query = formOf(Object.fromEntries([...rest].filter(([name]) => isInQuery(name))))
  const members = Object.fromEntries([...rest].filter(([name]) => !isInQuery(name)))
  const hasBody = flags.includes('b')
  return {
    target: query === '' ? target : `${target}?${query}`,
    body: hasBody ? (flags.includes('f') ? formOf(members) : JSON.stringify(members)) : undefined,
    contentType: hasBody
      ? `application/${flags.includes('f') ? 'x-www-form-urlencoded' : 'json'}`
      : undefined,
  }
}

/** URL parsers drop `.` and `..` even when they are percent-encoded, and an empty segment is another path. */
function pathSegment(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') throw new TypeError(`${name} is missing: it is part of the path`)
  if (text === '' || text === '.' || text === '..') throw new TypeError(`${name} must not be empty, . or ..`)
  if (/\p{Surrogate}/u.test(text)) throw new TypeError(`${name} must be well-formed text`)
  return encodeURIComponent(text)
}

/** An urlencoded form; nested names in brackets, as in `q[status_in][]=up`. */
export function formOf(members: Input): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(members)) append(form, name, value)
  return form.toString()
}

function append(form: URLSearchParams, name: string, value: unknown): void {
  // A list of nothing is said as one empty element: left out, it would be no filter at all.
  if (Array.isArray(value) && value.length === 0) form.append(`${name}[]`, '')
  else if (Array.isArray(value)) value.forEach((item: unknown) => append(form, `${name}[]`, item))
  else if (typeof value === 'object' && value !== null)
    Object.entries(value).forEach(([key, inner]) => append(form, `${name}[${key}]`, inner))
  else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    form.append(name, String(value))
}
