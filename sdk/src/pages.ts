import { isObject } from './exchange.js'
import type { RequestOptions } from './request-options.js'

/** Members of a list's input that choose the page, which `all` sets itself. */
type Position = 'page' | 'current_page' | 'after'

/**
 * A list. A call returns one page; `all` iterates over every record by cursor. A record that exists throughout is yielded
 * exactly once, whatever is created or deleted concurrently.
 */
export type ListMethod<Input, Page, Item> = ListCall<Input, Page> & {
  /** Every record from the first page on; 100 per page unless `per_page` is given. */
  readonly all: ListCallAll<Omit<Input, Position>, Item>
}

/** The input is optional when it has no required member. */
type ListCall<Input, Page> = object extends Input
  ? (input?: Input, options?: RequestOptions) => Promise<Page>
  : (input: Input, options?: RequestOptions) => Promise<Page>

type ListCallAll<Input, Item> = object extends Input
  ? (input?: Input, options?: RequestOptions) => AsyncIterable<Item>
  : (input: Input, options?: RequestOptions) => AsyncIterable<Item>

interface CursorPage {
  readonly data: readonly unknown[]
  readonly next_cursor: string | null
}

/** The records of all pages. A cursor that repeats is an error, to avoid an endless loop. */
export async function* everyRecord(
  pageAfter: (cursor: string | undefined) => Promise<unknown>,
): AsyncGenerator<unknown, void, undefined> {
  let cursor: string | undefined
  for (;;) {
    const page = await pageAfter(cursor)
    if (!isCursorPage(page)) throw new Error('the answer is not a page of a list')
    yield* page.data
    if (page.next_cursor === null) return
    if (page.next_cursor === cursor) throw new Error('the list does not go on after its cursor')
    cursor = page.next_cursor
  }
}

function isCursorPage(page: unknown): page is CursorPage {
  if (!isObject(page)) return false
  const { data, next_cursor: cursor } = page
  return Array.isArray(data) && (cursor === null || typeof cursor === 'string')
}
