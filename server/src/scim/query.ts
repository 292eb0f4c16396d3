import { checkWellFormed } from '../well-formed.js'
import { ScimError } from './scim-error.js'

/**
 * The parameters of a query.
 *
 * @throws ScimError 400 for one that is given twice.
 * @throws ApiError `invalid_parameters` for text that no column can hold.
 */
export function toQuery(text: string): Readonly<Record<string, string>> {
  const pairs = [...new URLSearchParams(text)]
  const query = Object.fromEntries(pairs)
  if (Object.keys(query).length < pairs.length)
    throw new ScimError(
      { status: 400, scimType: 'invalidValue' },
      'A parameter is given twice: send it once.',
    )
  checkWellFormed(query)
  return query
}

/** The parameters of a list that came in a body (RFC 7644 section 3.4.3), as a query has them. */
export function searchQuery(body: unknown): Readonly<Record<string, string>> {
  const members: [string, unknown][] = typeof body === 'object' && body !== null ? Object.entries(body) : []
  return Object.fromEntries(
    members
      .filter(([name, value]) => name !== 'schemas' && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(toText).join(',') : toText(value)]),
  )
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new ScimError(
    { status: 400, scimType: 'invalidValue' },
    'A parameter of a search must be text, a number or a list of texts.',
  )
}
