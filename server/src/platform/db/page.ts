import { readOrder } from '@portico/contract/order'
import type { Environment, PageQuery } from '@portico/contract/fields'
import { sql, type Kysely, type RawBuilder, type SelectQueryBuilder } from 'kysely'
import { eachOf } from './each.js'
import type { DB } from './schema.js'
import { statement } from './statement.js'
import { countRows } from './totals.js'

/** The order of a list: a column, with the id as tie-breaker. */
export interface Order {
  readonly column: string
  readonly direction: 'asc' | 'desc'
}

export const newestFirst: Order = { column: 'inserted_at', direction: 'desc' }

/** The order that a query asks for by one of these columns; anything else is newest first. */
export function orderOf(sort: string | undefined, columns: readonly string[]): Order {
  return readOrder(sort, columns) ?? newestFirst
}

export interface Page<Record> {
  readonly __type__: 'List'
  readonly data: Record[]
  readonly pagination: {
    readonly current_page: number
    readonly current_pages: number[]
    readonly next_page: number | null
    readonly per_page: number
    readonly prev_page: number | null
    readonly total_pages: number
  }
  readonly total: number
  readonly next_cursor: string | null
}

interface Listed<Table extends keyof DB, Row extends { id: string }> {
  /** The rows of the list, its tenant in the where clause, nothing selected and not ordered. */
  readonly keys: SelectQueryBuilder<DB, Table, object>
  readonly table: Table
  /** The columns that are read of a row, its tenant in the where clause again; the page adds the ids. */
  readonly rows: SelectQueryBuilder<DB, Table, Row>
}

/** What every list says of itself. */
interface ListQuery {
  readonly query: PageQuery
  readonly order: Order
  readonly environment: Environment
  /** The type of the table's ids: UUIDs unless given. */
  readonly ids?: 'uuid' | 'bigint'
}

interface PageSource<Table extends keyof DB, Row extends { id: string }>
  extends ListQuery, Listed<Table, Row> {
  readonly db: Kysely<DB>
  /** How many rows the list has; left out, the keys are counted. */
  readonly total?: () => Promise<number>
}

/**
 * One page of a list. The ids of the page are found on the index before any row is read, and `after` continues
 * from a position, so that depth costs nothing.
 */
export function readPage<Table extends keyof DB, Row extends { id: string }, Record>(
  source: PageSource<Table, Row>,
  toRecord: (row: Row) => Record,
): Promise<Page<Record>> {
  const totalOf = source.total ?? (() => countRows(source.keys))
  async function find(start: Start, at: Position) {
    const [{ rows }, total] = await Promise.all([rowsAt(source, start, at).execute(source.db), totalOf()])
    return { rows, total }
  }
  return pageOf({ ...source, find, totalOf }, toRecord)
}

interface FoundList<Row> extends ListQuery {
  /** Made by a pageFinder(). */
  readonly find: (start: Start, at: Position) => Promise<(Row & WithTotal)[]>
  /** How many rows the list has, asked when the page has none of them. */
  readonly totalOf: () => Promise<number>
}

interface WithTotal {
  /** How many rows the list has, in decimals. */
  readonly total: string
}

/** The same of a list whose rows and total are found by one statement, which is compiled already. */
export function findPage<Row extends { id: string }, Record>(
  list: FoundList<Row>,
  toRecord: (row: Row) => Record,
): Promise<Page<Record>> {
  async function find(start: Start, at: Position) {
    const rows = await list.find(start, at)
    return { rows, total: rows[0] === undefined ? await list.totalOf() : Number(rows[0].total) }
  }
  return pageOf({ ...list, find }, toRecord)
}

interface Found<Row> {
  readonly rows: Row[]
  readonly total: number
}

interface Finding<Row> extends ListQuery {
  readonly find: (start: Start, at: Position) => Promise<Found<Row>>
  readonly totalOf: () => Promise<number>
}

async function pageOf<Row extends { id: string }, Record>(
  { query, order, environment, ids = 'uuid', find, totalOf }: Finding<Row>,
  toRecord: (row: Row) => Record,
): Promise<Page<Record>> {
  const isOfOtherEnvironment =
    query.environment !== undefined && query.environment.toLowerCase() !== environment
  const perPage = query.per_page ?? 25
  const page = query.current_page ?? query.page ?? 1
  const cursor = query.after === undefined ? undefined : readCursor(query.after, order, ids)
  if (cursor === null || isOfOtherEnvironment) {
    // For its error: an empty list of a missing organization is a 404.
    await totalOf()
    return emptyPage(query)
  }

  // One row more than the page has shows whether another page follows.
  const at = { value: '', id: '', ...cursor, offset: (page - 1) * perPage, limit: perPage + 1 }
  const from = cursor !== undefined ? 'row' : at.offset > 0 ? 'offset' : 'first'
  const found = await find({ order, from }, at)
  const rows = inOrder(found.rows, order)
  const last = rows.length > perPage ? rows[perPage - 1] : undefined
  return toPage(rows.slice(0, perPage).map(toRecord), {
    page,
    perPage,
    total: found.total,
    nextCursor: last === undefined ? null : writeCursor(last, order),
  })
}

/** How a page begins: with the first row, at an offset, or after a row. */
interface Start {
  readonly order: Order
  readonly from: 'first' | 'offset' | 'row'
}

/** The values of the latter two. */
interface Position {
  readonly value: string
  readonly id: string
  readonly offset: number
  readonly limit: number
}

/** The rows of a page, each looked up by its id: an offset goes past entries of the index alone. */
function rowsAt<Table extends keyof DB, Row extends { id: string }>(
  { table, keys, rows }: Listed<Table, Row>,
  start: Start,
  at: Position,
) {
  const id = sql.ref(`${table}.id`)
  const position = comparable(table, start.order.column)
  const ids = within(keys.select([sql<string>`${id}`.as('id'), sql<unknown>`${position}`.as('position')]), {
    table,
    start,
    at,
  })
  return eachOf(sql`(${ids}) list`, { id, position }, rows)
}

/** The part of a list that a page has, in its order. */
function within<Table extends keyof DB, Row>(
  list: SelectQueryBuilder<DB, Table, Row>,
  {
    table,
    start: { order, from },
    at,
  }: { readonly table: Table; readonly start: Start; readonly at: Position },
) {
  const column = comparable(table, order.column)
  const id = sql.ref(`${table}.id`)
  const compared = sql.raw(order.direction === 'desc' ? '<' : '>')
  const positioned =
    from === 'row'
      ? list.where(sql<boolean>`(${column}, ${id}) ${compared} (${at.value}, ${at.id})`)
      : list.offset(at.offset)
  return positioned.orderBy(column, order.direction).orderBy(id, order.direction).limit(at.limit)
}

/**
 * Finds the pages of a list by statements that are compiled once, for each order and each kind of start.
 *
 * @param list With `direct`, the columns of `rows` on the list itself: without an offset, the rows are read in the order
 *   of the index and not looked up.
 * @param whole Completes the rows of a page.
 */
export function pageFinder<
  Parameters extends object,
  Table extends keyof DB,
  Row extends { id: string },
  Whole,
>(
  list: (
    db: Kysely<DB>,
    parameters: Parameters,
  ) => Listed<Table, Row> & { readonly direct: SelectQueryBuilder<DB, Table, Row> },
  whole: (page: RawBuilder<unknown>, parameters: Parameters) => RawBuilder<Whole>,
) {
  const statements = new Map<string, (db: Kysely<DB>, all: Parameters & Position) => Promise<Whole[]>>()
  return (db: Kysely<DB>, parameters: Parameters) => (start: Start, at: Position) => {
    const key = `${start.order.column} ${start.order.direction} ${start.from}`
    const select =
      statements.get(key) ??
      statement((own, all: Parameters & Position) => {
        const listed = list(own, all)
        const page =
          start.from === 'offset'
            ? rowsAt(listed, start, all)
            : sql`${within(listed.direct, { table: listed.table, start, at: all })}`
        return { compile: () => whole(page, all).compile(own) }
      })
    statements.set(key, select)
    return select(db, { ...parameters, ...at })
  }
}

/** A column as lists are ordered by it: text by code point, whatever the collation of the database. */
function comparable(table: string, column: string) {
  const reference = sql.ref(`${table}.${column}`)
  return column.endsWith('_at') ? reference : sql`${reference} collate "C"`
}

/** An empty page, for a filter that can match nothing. */
export function emptyPage<Record>(query: PageQuery): Page<Record> {
  const page = query.current_page ?? query.page ?? 1
  return toPage<Record>([], { page, perPage: query.per_page ?? 25, total: 0, nextCursor: null })
}

function toPage<Record>(
  data: Record[],
  at: { page: number; perPage: number; total: number; nextCursor: string | null },
): Page<Record> {
  const totalPages = Math.ceil(at.total / at.perPage)
  const first = Math.max(1, Math.min(at.page - 2, totalPages - 4))
  const around = Array.from({ length: 5 }, (_, index) => first + index)
  return {
    __type__: 'List',
    data,
    pagination: {
      current_page: at.page,
      current_pages: around.filter((number) => number <= totalPages),
      next_page: at.page < totalPages ? at.page + 1 : null,
      per_page: at.perPage,
      prev_page: at.page > 1 && totalPages > 0 ? Math.min(at.page - 1, totalPages) : null,
      total_pages: totalPages,
    },
    total: at.total,
    next_cursor: at.nextCursor,
  }
}

function inOrder<Row extends { id: string }>(rows: Row[], { column, direction }: Order): Row[] {
  const sign = direction === 'asc' ? 1 : -1
  // By code point, as the C collation orders.
  const keyed = rows.map((row) => ({
    row,
    position: Buffer.from(valueOf(row, column)),
    // Digits of one length, as those of UUIDs are, compare as text.
    id: row.id.padStart(20, '0'),
  }))
  return keyed
    .toSorted((a, b) => sign * (a.position.compare(b.position) || (a.id < b.id ? -1 : 1)))
    .map(({ row }) => row)
}

function valueOf(row: object, column: string): string {
  const value: unknown = Reflect.get(row, column)
  return value instanceof Date ? value.toISOString() : String(value)
}

function writeCursor(row: { id: string }, { column, direction }: Order): string {
  return Buffer.from(JSON.stringify([column, direction, valueOf(row, column), row.id])).toString('base64url')
}

/** Exactly what writeCursor() writes for a time; Date.parse() reads far more than the database does. */
function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text))
}

function isArray(value: unknown): value is unknown[] {
  return Array.isArray(value)
}

const idPatterns = { uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, bigint: /^[1-9]\d{0,17}$/ }

/** The position that a cursor names; null for a cursor that no list of this order has issued. */
function readCursor(
  text: string,
  order: Order,
  ids: keyof typeof idPatterns,
): { value: string; id: string } | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (!isArray(parts)) return null
    const [column, direction, value, id] = parts
    const isOfThisOrder = column === order.column && direction === order.direction
    if (!isOfThisOrder || typeof value !== 'string' || typeof id !== 'string' || !idPatterns[ids].test(id))
      return null
    if (!value.isWellFormed() || value.includes('\0')) return null
    if (order.column.endsWith('_at') && !isInstant(value)) return null
    return { value, id }
  } catch {
    return null
  }
}
