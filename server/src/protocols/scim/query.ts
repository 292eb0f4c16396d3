import { scimMessages } from '@portico/contract/scim'
import { checkWellFormed } from '../../platform/well-formed.js'
import { badRequest } from './scim-error.js'
import { checkSchemas, isObject, type NoteQuirk } from './values.js'

/**
 * Parses the parameters of a query.
 *
 * @throws ScimError 400 for a repeated parameter.
 * @throws ApiError `invalid_parameters` for text that no column can store.
 */
export function toQuery(text: string): Readonly<Record<string, string>> {
  const pairs = [...new URLSearchParams(text)]
  const query = Object.fromEntries(pairs)
  if (Object.keys(query).length < pairs.length)
    throw badRequest('invalidValue', 'A parameter is given twice: send it once.')
  checkWellFormed(query)
  return query
}

/**
 * Converts the body of a search (RFC 7644 section 3.4.3) to the parameters of a query.
 *
 * @throws ScimError 400 `invalidSyntax`, `invalidValue`
 */
export function searchQuery(body: unknown, quirk: NoteQuirk): Readonly<Record<string, string>> {
  if (!isObject(body)) return {}
  checkSchemas(body, scimMessages.search, () => quirk('schemas_missing'))
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name, value]) => name.toLowerCase() !== 'schemas' && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(toText).join(',') : toText(value)]),
  )
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw badRequest('invalidValue', 'A parameter of a search must be text, a number or a list of texts.')
}
