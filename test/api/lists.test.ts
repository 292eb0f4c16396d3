import { PageQuery } from '@portico/contract/fields'
import { queryOf, routes, type Route } from '@portico/contract/walk'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { startService } from '../given/harness.js'
import { pathOf } from '../given/request-of.js'
import { longTest, sampled } from '../sampled.js'
import { newAccount, recipeOf, recipes, type Page, type Row, type Subject } from './list-recipes.js'

const service = await startService()

// Lists made by listOf(); log events have an envelope and tests of their own.
const lists = routes().filter(
  ({ success }) =>
    success.meta()?.id?.endsWith('List') && success instanceof z.ZodObject && 'total' in success.shape,
)

async function subjectOf(route: Route, size = 0): Promise<Subject & { sorts: readonly string[] }> {
  const recipe = recipeOf(route)
  if (recipe === undefined) throw new Error(`say how records of ${route.name} are made`)
  const as = await newAccount(service, route)
  const raw = async (query: string) => {
    const response = await fetch(`${service.baseUrl}${pathOf(route, as.references)}?${query}`, {
      headers: { authorization: `Bearer ${as.token}` },
    })
    return { status: response.status, text: await response.text() }
  }
  const read = async (query = '') => {
    const { status, text } = await raw(query)
    expect([query.slice(0, 80), status]).toEqual([query.slice(0, 80), 200])
    return route.success.parse(JSON.parse(text)) as Page
  }
  const subject = { ...recipe(as), read, raw }
  for (let count = 0; count < size; count++) await subject.create()
  return subject
}

/** Five records whose long labels only sort correctly by code points. */
async function labelledSubjectOf(route: Route) {
  const subject = await subjectOf(route)
  for (const label of ['b-', 'Bb', 'a-b', 'ab', 'a']) await subject.create(label.padEnd(100, 'z'))
  return subject
}

test('every list of the contract is known here, with what it says it can be sorted by', async () => {
  const known = lists.filter((route) => recipeOf(route) !== undefined).map(({ name }) => name)
  expect([...new Set([...Object.keys(recipes), ...known])].sort()).toEqual(
    lists.map(({ name }) => name).sort(),
  )
  const as = await newAccount(service, listCalled('users.list'))
  for (const route of lists) {
    const { sorts = [] } = recipeOf(route)?.(as) ?? {}
    const description = shapeOf(queryOf(route))['sort']?.description ?? ''
    const said = description.split(';')[0]?.match(/[a-z_]+/g) ?? []
    expect([route.name, [...sorts].sort()]).toEqual([route.name, said.filter((word) => word !== 'or').sort()])
  }
})

/** The lists that `npm test` reads completely: one that can be sorted, and one of a partitioned table. */
const walkedFirst = ['users.list', 'webhooks.listDeliveries']
const walked = sampled(
  [
    ...lists.filter(({ name }) => walkedFirst.includes(name)),
    ...lists.filter(({ name }) => !walkedFirst.includes(name)),
  ],
  walkedFirst.length,
)

/** Distributes the cases: each list gets at least one, and each case is used by a list. */
function dealt<Case>(cases: readonly Case[], index: number): Case[] {
  const own = cases.filter((_, place) => place % lists.length === index % cases.length)
  return sampled([...own, ...cases.filter((one) => !own.includes(one))], own.length)
}

describe.each(lists.map((route, index) => [route.name, route, index] as const))(
  '%s',
  (_name, route, index) => {
    const isWalked = walked.includes(route)

    /** Seven records that no test changes. */
    let seven: Awaited<ReturnType<typeof subjectOf>>
    beforeAll(async () => {
      seven = await subjectOf(route, 7)
    })

    test('pages, newest first, with every member of the pagination right', async () => {
      const { read } = seven
      const all = await read()
      expect(all.data).toHaveLength(7)
      // Ids ascend with time (RFC 9562 section 5.7), and records are created one after the other; an idp_id is random.
      const isRandom = route.name === 'ssoConnections.list'
      const positions = all.data.map((row) => String(isRandom ? row['inserted_at'] : row.id))
      expect(positions).toEqual(positions.toSorted(byCodePoint).reverse())

      const pages = await Promise.all([1, 2, 3, 4].map((page) => read(`page=${page}&per_page=2`)))
      expect(pages.flatMap((page) => page.data)).toEqual(all.data)
      const around = [
        { current_page: 1, prev_page: null, next_page: 2 },
        { current_page: 2, prev_page: 1, next_page: 3 },
        { current_page: 3, prev_page: 2, next_page: 4 },
        { current_page: 4, prev_page: 3, next_page: null },
      ]
      expect(pages.map((page) => page.pagination)).toEqual(
        around.map((place) => ({ ...place, current_pages: [1, 2, 3, 4], per_page: 2, total_pages: 4 })),
      )
      expect((await read('page=4&per_page=1')).pagination.current_pages).toEqual([2, 3, 4, 5, 6])
      expect(await read('current_page=2&per_page=2')).toEqual(pages[1])
      expect((await read(`after=${pages[0]?.next_cursor}`)).data).toEqual(all.data.slice(2))
    })

    test('clamps page and per_page, and past the end it is empty', async () => {
      expect.hasAssertions()
      const { read } = seven
      const perPage = async (value: string) => (await read(`per_page=${value}`)).pagination.per_page
      const clamped = {
        '0': 1,
        '-5': 1,
        '1000': 100,
        '2.9': 2,
        '1e3': 100,
        Infinity: 100,
        NaN: 25,
        x: 25,
        '': 25,
      }
      for (const [value, expected] of dealt(Object.entries(clamped), index))
        expect([value, await perPage(value)]).toEqual([value, expected])
      for (const page of dealt(['0', '-1', 'x', '', '-1e400'], index))
        expect([page, (await read(`page=${page}`)).pagination.current_page]).toEqual([page, 1])
      for (const page of dealt(['2', '999', '1e400', '9'.repeat(400)], index)) {
        const past = await read(`page=${page}`)
        expect([past.data, past.total, past.next_cursor]).toEqual([[], 7, null])
        expect(past.pagination).toMatchObject({ next_page: null, prev_page: 1, total_pages: 1 })
      }
    })

    test('is empty where there is nothing, and its total follows what comes and goes', async () => {
      const { read, create, remove } = await subjectOf(route)
      const empty = await read()
      expect(empty).toMatchObject({ data: [], total: 0, next_cursor: null })
      expect(empty.pagination).toMatchObject({
        current_pages: [],
        next_page: null,
        prev_page: null,
        total_pages: 0,
      })

      await create()
      await create()
      const both = await read()
      expect([both.data.length, both.total]).toEqual([2, 2])
      const [newer, older] = both.data
      if (remove === undefined || newer === undefined) return
      await remove(newer)
      expect(await read()).toMatchObject({ data: [older], total: 1 })
    })

    longTest('is never an error, and never wider, whatever its parameters are', async () => {
      const { raw, read } = seven
      const all = await read()
      const answers = await Promise.all(
        hostileQueries(route, index).map(async (query) => ({
          query: query.slice(0, 100),
          ...(await raw(query)),
        })),
      )
      for (const { query, status, text } of answers) {
        expect([query, status, text.slice(0, 300)]).toMatchObject([query, 200, expect.any(String)])
        const page = route.success.parse(JSON.parse(text)) as Page
        expect(page.data.every((row) => all.data.some(({ id }) => id === row.id))).toBe(true)
      }
    })

    test('an after that no list has given out ends the list', async () => {
      expect.hasAssertions()
      const { raw } = seven
      for (const [what, after] of dealt(brokenCursors, index)) {
        const { status, text } = await raw(`after=${encodeURIComponent(after)}`)
        expect
          .soft([what, status, JSON.parse(text)])
          .toMatchObject([what, 200, { data: [], next_cursor: null }])
      }
    })

    if (isWalked)
      test('by cursor each record comes exactly once while others are inserted', async () => {
        const { read, create } = await subjectOf(route, 7)
        const before = (await read()).data.map((row) => row.id)
        const seen: string[] = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const after: string = cursor === '' ? '' : `&after=${cursor}`
          const [page] = await Promise.all([read(`per_page=2${after}`), create()])
          seen.push(...page.data.map((row) => row.id))
          cursor = page.next_cursor
        }
        expect(new Set(seen).size).toBe(seen.length)
        expect(seen.filter((id) => before.includes(id))).toEqual(before)
      })

    if (isWalked)
      test('its total is exact after parallel inserts and deletes, and after the counts were folded', async () => {
        const { read, create, remove } = await subjectOf(route, 4)
        const doomed = (await read()).data.slice(0, remove === undefined ? 0 : 3)
        await Promise.all([
          ...Array.from({ length: 8 }, () => create()),
          ...doomed.map((row) => remove?.(row)),
        ])
        const expected = { total: 12 - doomed.length }
        expect(await read('per_page=100')).toMatchObject(expected)
        await service.clock.advance(61)
        await service.runJobs()
        const page = await read('per_page=100')
        expect(page).toMatchObject(expected)
        expect(page.data).toHaveLength(expected.total)
      })

    test('sorts by each of its columns, both ways, and by any other it is newest first', async () => {
      const { read } = seven
      expect((await read('sort=version')).data).toEqual((await read()).data)
      if (seven.sorts.length === 0) return

      const labelled = await labelledSubjectOf(route)
      const newest = await labelled.read()
      for (const column of labelled.sorts) {
        const ascending = (await labelled.read(`sort=${column}`)).data
        const values = ascending.map((row) => String(row[column]))
        expect([column, values]).toEqual([column, values.toSorted(byCodePoint)])
        expect(ascending).toHaveLength(newest.total)
        expect((await labelled.read(`sort=-${column}`)).data).toEqual(ascending.toReversed())

        const { next_cursor: after } = await labelled.read(`sort=${column}&per_page=2`)
        expect((await labelled.read(`sort=${column}&after=${after}`)).data).toEqual(ascending.slice(2))
      }
    })

    if (isWalked)
      test('sorts in each form, page by page, and by nothing that it does not name', async () => {
        const { read, sorts } = await labelledSubjectOf(route)
        const newest = await read()
        for (const other of [
          'name; drop table users',
          'email_normalized',
          'version',
          '-',
          'asc',
          'created_at',
        ])
          expect((await read(`sort=${encodeURIComponent(other)}`)).data).toEqual(newest.data)

        for (const column of sorts) {
          const ascending = (await read(`sort=${column}`)).data
          for (const form of [`${column}%20desc`, `${column}+DESC`])
            expect((await read(`sort=${form}`)).data).toEqual(ascending.toReversed())

          const seen: Row[] = []
          let cursor: string | null = ''
          while (cursor !== null && seen.length <= ascending.length) {
            const page: Page = await read(
              `sort=${column}&per_page=2${cursor === '' ? '' : `&after=${cursor}`}`,
            )
            seen.push(...page.data)
            cursor = page.next_cursor
          }
          expect([column, seen.map((row) => row.id)]).toEqual([column, ascending.map((row) => row.id)])
        }
      })
  },
)

test('a filter that no record can meet gives an empty list', async () => {
  const organizations = await subjectOf(listCalled('organizations.list'), 1)
  const outbox = await subjectOf(listCalled('outbox.list'), 1)
  const unmeetable = [
    'filter[]=Org',
    'filter[a]=b',
    'filter=%00',
    'filter=%ED%A0%80',
    `filter=${'x'.repeat(201)}`,
  ]
  for (const query of [
    ...unmeetable,
    'q=up',
    'q[environments_status_in]=up',
    'q[environments_status_in][]=sideways',
  ])
    expect([query, (await organizations.read(query)).total]).toEqual([query, 0])
  for (const query of unmeetable.map((query) => query.replace('filter', 'to')))
    expect([query, (await outbox.read(query)).total]).toEqual([query, 0])
})

function listCalled(name: string): Route {
  const route = lists.find((list) => list.name === name)
  if (route === undefined) throw new Error(`there is no list ${name}`)
  return route
}

const values = [
  ...['', '-1', 'abc', '1e400', '%00', '%FF', '%F0%9F%92%A5', '%ED%A0%80', '9'.repeat(400)],
  ...["'%3B%20select%201%20--", 'x'.repeat(5000)],
]

/** A parameter in every unexpected form. */
function spoilt(name: string): string[] {
  return [
    ...values.map((value) => `${name}=${value}`),
    Array.from({ length: 300 }, (_, index) => `${name}[]=${index}`).join('&'),
    `${name}[a][b][c][d][e][f][g][h]=1`,
    `${name}=1&${name}=2`,
  ]
}

/** The parameters of a list, including nested ones. */
function namesOf(route: Route): string[] {
  return Object.keys(shapeOf(queryOf(route))).flatMap((name) =>
    name === 'q' ? [name, 'q[environments_status_in][]'] : [name],
  )
}

/** Parameters of `PageQuery`, which common code reads for all lists. */
const namesOfAll = Object.keys(PageQuery.shape)

const anyNames = ['page[]', '__proto__', 'x', 'sort', 'filter', 'to', 'q', 'q[environments_status_in][]']

const oddQueries = [Array.from({ length: 1500 }, (_, index) => `p${index}=1`).join('&'), '&&&===&=&[]=&[']

/**
 * All malformed variants of this list's own parameters. Those of common and unknown parameters are distributed over the
 * lists.
 */
function hostileQueries(route: Route, index: number): string[] {
  const own = namesOf(route).filter((name) => !namesOfAll.includes(name))
  const forms = [...namesOfAll, ...anyNames].map((name) => (own.includes(name) ? [] : spoilt(name)))
  const others = [...forms, oddQueries]
  const first = [
    ...own.flatMap(spoilt),
    ...others.flatMap((queries, place) =>
      queries.filter((_, form) => (form + place) % lists.length === index),
    ),
  ]
  const rest = others.flat().filter((query) => !first.includes(query))
  return sampled([...first, ...rest], first.length)
}

const brokenCursors = [
  ['text', 'nonsense'],
  ['another shape', encoded({})],
  ['another column', encoded(['version', 'desc', '1', randomUUID()])],
  ['another direction', encoded(['inserted_at', 'sideways', '2026-01-01T00:00:00.000Z', randomUUID()])],
  ['no id', encoded(['inserted_at', 'desc', '2026-01-01T00:00:00.000Z', 'x'])],
  ['a NUL', encoded(['inserted_at', 'desc', '\0', randomUUID()])],
  ['a year', encoded(['inserted_at', 'desc', '2026', randomUUID()])],
  ['what only JavaScript takes for a date', encoded(['inserted_at', 'desc', 'foo 1', randomUUID()])],
  ['a date with a remark', encoded(['inserted_at', 'desc', '2026-01-01 (remark)', randomUUID()])],
  ['a date far out', encoded(['inserted_at', 'desc', '+275760-09-13T00:00:00.000Z', randomUUID()])],
  ['much', 'x'.repeat(5000)],
] as const

function encoded(parts: unknown): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The members of a query with their descriptions. */
function shapeOf(schema: ReturnType<typeof queryOf>): Record<string, { description?: string }> {
  return (schema as unknown as { shape?: Record<string, { description?: string }> }).shape ?? {}
}
