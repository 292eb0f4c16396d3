import { scimLimits, scimMessages } from '@portico/contract/scim'
import { readFilter, type ScimFilter } from './filter.js'
import { toLoggedName } from './logged-filter.js'
import { readProjection, type Projection } from './projection.js'
import {
  attributeNamed,
  findPath,
  type ResourceSchemas,
  type SchemaPath,
} from '../../directory/directory-sync/schema-path.js'
import { badRequest } from './scim-error.js'
import { invalidValue, type NoteQuirk } from './values.js'

/** The parameters of a list (RFC 7644 section 3.4.2). */
export interface ListQuery {
  readonly filter: ScimFilter | undefined
  readonly sortBy: SchemaPath | undefined
  readonly isDescending: boolean
  /** Of the first result, from 1. */
  readonly startIndex: number
  readonly count: number
  readonly projection: Projection
}

/** The page size when `count` is missing. */
const defaultCount = 100

/**
 * Parses the parameters of a list, from the query or from the body of a search.
 *
 * @throws ScimError 400 `invalidFilter`, `invalidPath`, `invalidValue`
 */
export function readListQuery(
  schemas: ResourceSchemas,
  query: Readonly<Record<string, unknown>>,
  quirk: NoteQuirk,
): ListQuery {
  const sortBy = textOf('sortBy', query['sortBy'])
  const sorted = sortBy === undefined ? undefined : findPath(schemas, sortBy)
  if (sortBy !== undefined && sorted === undefined)
    throw badRequest('invalidPath', `${toLoggedName(sortBy)} is no attribute that can be sorted by`)
  const filter = textOf('filter', query['filter'])
  const sortOrder = textOf('sortOrder', query['sortOrder'])?.toLowerCase() ?? 'ascending'
  if (sortOrder !== 'ascending' && sortOrder !== 'descending')
    throw invalidValue('sortOrder', 'must be ascending or descending')
  return {
    filter: filter === undefined ? undefined : readFilter(schemas, filter, quirk),
    sortBy: sorted === undefined ? undefined : valueOfComplex(sorted),
    isDescending: sortOrder === 'descending',
    // A startIndex below 1 counts as 1, and a negative count as 0.
    startIndex: Math.max(1, wholeNumberOf('startIndex', query['startIndex']) ?? 1),
    count: Math.min(scimLimits.perPage, Math.max(0, wholeNumberOf('count', query['count']) ?? defaultCount)),
    projection: readProjection(schemas, query),
  }
}

/** Multi-valued attributes are sorted by the values of their elements. */
function valueOfComplex(path: SchemaPath): SchemaPath {
  if (path.sub !== undefined || path.attribute.type !== 'complex') return path
  return { ...path, sub: attributeNamed(path.attribute.subAttributes, 'value') }
}

/**
 * The total over all pages. Counting takes as long as reading the page, and is skipped when the first page is not full.
 */
export async function totalOf(
  { startIndex, count }: ListQuery,
  onPage: number,
  countAll: () => Promise<number>,
): Promise<number> {
  return startIndex === 1 && onPage < count ? onPage : countAll()
}

/** The body of a list (RFC 7644 section 3.4.2). */
export function toListBody(query: ListQuery, total: number, resources: readonly object[]): object {
  return {
    schemas: [scimMessages.list],
    totalResults: total,
    startIndex: query.startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw invalidValue(name, 'must be given once, as text')
  return value
}

function wholeNumberOf(name: string, value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  if (!/^[+-]?\d{1,9}$/.test(text)) throw invalidValue(name, 'must be a whole number')
  return Number(text)
}
