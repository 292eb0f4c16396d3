import { isObject } from './exchange.js'
import type { RequestOptions } from './request-options.js'

/** Members of a list's input that choose the page, which `all` does itself. */
type Position = 'page' | 'current_page' | 'after'

/**
 * A list. Called, it answers one page; `all` goes through every record, a page at a time, by cursor: a record that is
 * there from beginning to end comes exactly once, whatever is created or deleted meanwhile.
 */
export type ListMethod<Input, Page, Item> = ListCall<Input, Page> & {
  /** Every record from the first page on; 100 on a page unless `per_page` says otherwise. */
  readonly all: ListCallAll<Omit<Input, Position>, Item>
}

/** The input may be left out when it has no required member. */
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

/** The records of all pages. A cursor that leads to itself ends in an error and not in a loop. */
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
