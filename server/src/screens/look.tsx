import { routeNamed } from '@portico/contract/every-route'
import type { Route } from '@portico/contract/walk'
import { z } from 'zod/v4'
import { ApiCall } from './api-call.js'
import { failedPage, failureOf } from './failed.js'
import { queryFieldsOf } from './field.js'
import { memberOf } from './form-values.js'
import { memberLabel, operationLabel, screenLabel, valueLabel } from './labels.js'
import { Buttons, isRemoval, Tabs, type Button } from './links.js'
import { addressOf, childrenOf, parameterOf, parentOf, type Screen, type ScreenAt } from './screen.js'
import { Table } from './table.js'
import { Members } from './value.js'
import type { Link, Outcome, Visit } from './visit.js'

type Query = Readonly<Record<string, unknown>>
type Row = Readonly<Record<string, unknown>>

const rowsOfPage = 25

/** The page of a list: its filters, a page of its rows, what can be made or done. */
export async function showList(
  visit: Visit,
  { screen, params, route }: ScreenAt,
  query: Query,
): Promise<Outcome> {
  const member = screen.list?.member
  const filters = member === undefined ? filtersOf(route, query) : {}
  const after = typeof query['after'] === 'string' ? { after: query['after'] } : {}
  const answer = await visit.call({
    route: route.name,
    params,
    query: member === undefined ? { ...filters, ...after, per_page: rowsOfPage } : {},
  })
  const failure = failureOf(answer)
  if (failure !== undefined) return failedPage(visit, failure)
  const { rows, total, next } = listOf(answer.body, member)
  const [many] = screenLabel(visit.language.labels, screen.key)
  const { texts } = visit.language
  const here = pathOf(visit, screen.at, params)
  const content = (
    <>
      {query['done'] !== undefined && (
        <p class="done" role="status">
          {texts.done}
        </p>
      )}
      <Buttons links={listLinks(visit, screen, params)} label={texts.actionsLabel} />
      {member === undefined && <Filters visit={visit} route={route} filters={filters} url={here} />}
      {rows.length === 0 ? (
        <p class="empty">
          {Object.keys(filters).length === 0
            ? texts.empty
            : texts.emptyFiltered(
                Object.keys(filters)
                  .map((name) => memberLabel(visit.language.labels, [name]))
                  .join(', '),
              )}
        </p>
      ) : (
        <Table
          language={visit.language}
          caption={many}
          rows={rows}
          columns={screen.list?.columns ?? []}
          addressOf={
            screen.record === undefined
              ? undefined
              : (row) => pathOf(visit, screen.recordAt, paramsOfRow(screen, params, row))
          }
          actionsOf={(row) =>
            (screen.rowActions ?? [])
              .filter((name) => visit.mayCall(name) && hasEffect(screen, name, row))
              .map((name) => actionLink(visit, screen, name, paramsOfRow(screen, params, row)))
          }
        />
      )}
      <Pager visit={visit} url={here} filters={filters} isFirst={query['after'] === undefined} next={next} />
      {total !== undefined && <p class="quiet">{texts.total(total)}</p>}
      <ApiCall
        texts={texts}
        baseUrl={visit.baseUrl}
        route={route}
        params={params}
        query={new URLSearchParams(filters).toString()}
      />
    </>
  )
  return { page: { status: 200, title: many, crumbs: crumbsOf(visit, screen, params), content } }
}

/** The page of a record: its members, its parts, and what can be done with it. */
export async function showRecord(
  visit: Visit,
  { screen, params, route }: ScreenAt,
  query: Query,
): Promise<Outcome> {
  const answer = await visit.call({ route: route.name, params, query: associationsOf(route) })
  const failure = failureOf(answer)
  const isUnmade = failure?.status === 404 && screen.list === undefined && screen.create !== undefined
  if (isUnmade && failure.code !== 'organization_not_found') return unmadePage(visit, screen, params)
  if (failure !== undefined) return failedPage(visit, failure)
  const { texts, labels } = visit.language
  const record = answer.body as Row
  const isDeleted = record['deleted'] === true
  const title = titleOf(visit, screen, record)
  const content = (
    <>
      {query['done'] !== undefined && (
        <p class="done" role="status">
          {texts.done}
        </p>
      )}
      {isDeleted ? (
        <p class="fault">{texts.deleted}</p>
      ) : (
        <>
          <Tabs
            label={texts.belowLabel}
            links={childrenOf(visit.screens, screen)
              .filter(({ list, record: own }) => visit.mayCall(list?.route ?? own ?? ''))
              .map((child) => ({
                label: screenLabel(labels, child.key)[0],
                url: pathOf(visit, child.at, params),
              }))}
          />
          <Buttons links={recordLinks(visit, screen, params, record)} label={texts.actionsLabel} />
        </>
      )}
      <Members members={membersOfAnswer(route, record)} language={visit.language} />
      <ApiCall texts={texts} baseUrl={visit.baseUrl} route={route} params={params} />
    </>
  )
  return { page: { status: 200, title, crumbs: crumbsOf(visit, screen, params, 'record'), content } }
}

/** The page of something that a parent has once, and has not yet. */
function unmadePage(visit: Visit, screen: Screen, params: ScreenAt['params']): Outcome {
  const { texts, labels } = visit.language
  const content = (
    <>
      <p class="empty">{texts.empty}</p>
      <Buttons links={listLinks(visit, screen, params)} label={texts.actionsLabel} />
    </>
  )
  const title = screenLabel(labels, screen.key)[1]
  return { page: { status: 200, title, crumbs: crumbsOf(visit, screen, params), content } }
}

/** The members of a record in the order of the contract; those that the role does not show are there without a value. */
function membersOfAnswer({ success }: Route, record: Row): readonly (readonly [string, unknown])[] {
  if (!(success instanceof z.ZodObject)) return Object.entries(record)
  return Object.keys(success.shape)
    .filter((name) => name in record || !isOptional(success.shape[name]))
    .map((name) => [name, record[name]] as const)
}

function isOptional(schema: unknown): boolean {
  return schema instanceof z.ZodOptional
}

/** The name of a record in headings: its first column. */
export function titleOf(visit: Visit, screen: Screen, record: Row): string {
  const [, one] = screenLabel(visit.language.labels, screen.key)
  const column = screen.list?.columns[0]
  const value = column === undefined ? undefined : memberOf(record, column.split('.'))
  return typeof value === 'string' && value !== '' ? value : one
}

/** Every association that a record can be loaded with. */
export function associationsOf(route: Route): Query {
  const field = queryFieldsOf(route).find(({ name }) => name === 'preload_associations')
  return field === undefined ? {} : { preload_associations: field.options }
}

function filtersOf(route: Route, query: Query): Record<string, string> {
  return Object.fromEntries(
    queryFieldsOf(route).flatMap(({ name, kind }) => {
      const value = query[name]
      return kind !== 'choices' && typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )
}

interface Listed {
  readonly rows: readonly Row[]
  readonly total: number | undefined
  readonly next: string | undefined
}

/** The rows of any list of the contract, or of a member of a record. */
function listOf(body: unknown, member: string | undefined): Listed {
  const answer = body as Record<string, unknown>
  const { total, total_count: count, next_cursor: next } = answer
  const rows = toRows(answer[member ?? 'data'])
  if (member !== undefined) return { rows, total: rows.length, next: undefined }
  const number = [total, count].find((value) => typeof value === 'number')
  return { rows, total: number, next: typeof next === 'string' ? next : undefined }
}

function toRows(list: unknown): readonly Row[] {
  return Array.isArray(list) ? (list as Row[]) : []
}

function Filters({
  visit,
  route,
  filters,
  url,
}: {
  readonly visit: Visit
  readonly route: Route
  readonly filters: Readonly<Record<string, string>>
  readonly url: string
}) {
  const { texts, labels } = visit.language
  const fields = queryFieldsOf(route).filter(({ kind }) => kind !== 'choices' && kind !== 'json')
  if (fields.length === 0) return null
  return (
    <form method="get" action={url} class="filters" role="search">
      {fields.map(({ name, path, options, kind }) => (
        <div key={name} class="field">
          <label for={name}>{memberLabel(labels, path)}</label>
          {options.length > 0 || kind === 'flag' ? (
            <select id={name} name={name}>
              <option value="">{texts.any}</option>
              {(kind === 'flag' ? ['true', 'false'] : options).map((option) => (
                <option key={option} value={option} selected={filters[name] === option}>
                  {kind === 'flag'
                    ? texts[option === 'true' ? 'yes' : 'no']
                    : valueLabel(labels, name, option)}
                </option>
              ))}
            </select>
          ) : (
            <input id={name} name={name} value={filters[name] ?? ''} autocomplete="off" />
          )}
        </div>
      ))}
      <button type="submit" class="second">
        {texts.filter}
      </button>
      {Object.keys(filters).length > 0 && <a href={url}>{texts.clear}</a>}
    </form>
  )
}

function Pager({
  visit,
  url,
  filters,
  isFirst,
  next,
}: {
  readonly visit: Visit
  readonly url: string
  readonly filters: Readonly<Record<string, string>>
  readonly isFirst: boolean
  readonly next: string | undefined
}) {
  const { texts } = visit.language
  if (isFirst && next === undefined) return null
  const to = (more: Record<string, string>) => {
    const query = new URLSearchParams({ ...filters, ...more }).toString()
    return query === '' ? url : `${url}?${query}`
  }
  return (
    <nav class="pager" aria-label={texts.pages}>
      {!isFirst && <a href={to({})}>{texts.newest}</a>}
      {next !== undefined && (
        <a href={to({ after: next })} rel="next">
          {texts.older}
        </a>
      )}
    </nav>
  )
}

function listLinks(visit: Visit, screen: Screen, params: ScreenAt['params']): readonly Button[] {
  const { texts } = visit.language
  const create =
    screen.create !== undefined && visit.mayCall(screen.create)
      ? [{ label: texts.create, url: `${pathOf(visit, screen.at, params)}/_create`, look: 'main' as const }]
      : []
  const others = (screen.listActions ?? []).filter(visit.mayCall).map((name) => ({
    label: operationLabel(visit.language.labels, name),
    url: `${pathOf(visit, screen.at, params)}/_do/${name}`,
    look: lookOf(name),
  }))
  return [...create, ...others]
}

function recordLinks(
  visit: Visit,
  screen: Screen,
  params: ScreenAt['params'],
  record: Row,
): readonly Button[] {
  const { texts } = visit.language
  const isOffered = (name: string) => visit.mayCall(name) && hasEffect(screen, name, record)
  const update =
    screen.update !== undefined && isOffered(screen.update)
      ? [{ label: texts.edit, url: `${pathOf(visit, screen.recordAt, params)}/_edit` }]
      : []
  const others = (screen.actions ?? [])
    .filter(isOffered)
    .map((name) => actionLink(visit, screen, name, params))
  return [...update, ...others]
}

/** Whether an operation changes something of a record as it is. */
function hasEffect({ onlyIf = {} }: Screen, name: string, record: Row): boolean {
  return onlyIf[name]?.(record) ?? true
}

function actionLink(visit: Visit, screen: Screen, name: string, params: ScreenAt['params']): Button {
  return {
    label: operationLabel(visit.language.labels, name),
    url: `${pathOf(visit, screen.recordAt, params)}/_do/${name}`,
    look: lookOf(name),
  }
}

function lookOf(name: string): Button['look'] {
  return isRemoval(routeNamed(name)) ? 'danger' : undefined
}

function paramsOfRow(
  { recordParameter }: Screen,
  params: ScreenAt['params'],
  row: Row,
): Record<string, string> {
  return recordParameter === undefined
    ? { ...params }
    : { ...params, [recordParameter]: parameterOf(recordParameter, row) }
}

/** The address of a page on the site. */
export function pathOf({ base }: Visit, at: string, params: Readonly<Record<string, string>>): string {
  return `${base}/${addressOf(at, params)}`
}

/** The way to a page: the record above, the list of the screen, and the record. */
export function crumbsOf(
  visit: Visit,
  screen: Screen,
  params: ScreenAt['params'],
  part: 'list' | 'record' = 'list',
): readonly Link[] {
  const { labels } = visit.language
  const parent = parentOf(visit.screens, screen)
  const above =
    parent === undefined
      ? []
      : [
          ...crumbsOf(visit, parent, params, 'record'),
          {
            label:
              (parent.recordParameter && params[parent.recordParameter]) ??
              screenLabel(labels, parent.key)[1],
            url: pathOf(visit, parent.recordAt, params),
          },
        ]
  const own =
    part === 'record' && screen.list !== undefined
      ? [{ label: screenLabel(labels, screen.key)[0], url: pathOf(visit, screen.at, params) }]
      : []
  return [...above, ...own]
}
