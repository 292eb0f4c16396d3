import { scopesOf, type Scope, type Source } from './statement-scopes.js'
import { tenantColumns } from './tenant-tables.js'

/** The columns of each table of tenants' data that say whose a row is. */
const tables: ReadonlyMap<string, readonly string[]> = tenantColumns()

/** A column of which a value finds rows of one account alone, before anything else says which. */
export interface RowKey {
  readonly table: string
  readonly column: string
  /** The value is a proof by itself. Otherwise it counts only where the statement begins by telling the account it has found. */
  readonly isSecret: boolean
  readonly reason: string
}

/** Columns of rows, and which follows from which; `parameter` is what the service has bound. */
type Edges = Map<string, Set<string>>

const parameter = 'parameter'

/**
 * The tables of tenants' data in a statement with rows of any account or environment: those whose columns are equal neither to
 * a parameter nor, over others, to what is.
 */
export function unboundTables(
  statement: string,
  keys: readonly RowKey[],
  isOfBothEnvironments: (table: string) => boolean,
): string[] {
  const edges: Edges = new Map()
  const scopes = scopesOf(statement.replaceAll(' is not distinct from ', ' = '))
  const tellsAccount =
    /^(?:with \w+ as \()?select (?:\w+, )?(?:(?:\w+\.)?|accounts\.id as )account_id\b/.test(statement)
  const usable = keys.filter(({ isSecret }) => isSecret || tellsAccount)
  for (const scope of scopes) addConditions(edges, scope, usable)
  for (const source of scopes.flatMap(({ sources }) => sources)) addStaff(edges, source)
  for (const source of scopes.flatMap(({ sources }) => sources)) {
    addOutputs(edges, source)
    if (isOfBothEnvironments(source.table))
      add(edges, nodeOf(source, 'account_id'), nodeOf(source, 'environment'))
  }
  const bound = reachedFrom(parameter, edges)
  return scopes
    .flatMap(({ sources }) => sources)
    .filter((source) => source.queries === undefined)
    .filter((source) => (tables.get(source.table) ?? []).some((column) => !bound.has(nodeOf(source, column))))
    .map(({ table }) => table)
}

const ids = new WeakMap<Source, number>()
let lastId = 0

function nodeOf(source: Source, column: string): string {
  const id = ids.get(source) ?? (lastId += 1)
  ids.set(source, id)
  return `${id}.${column}`
}

function add(edges: Edges, from: string, to: string): void {
  edges.set(from, (edges.get(from) ?? new Set()).add(to))
}

function reachedFrom(start: string, edges: Edges): ReadonlySet<string> {
  const reached = new Set([start])
  for (const node of reached) for (const next of edges.get(node) ?? []) reached.add(next)
  return reached
}

const end = String.raw`(?= (?:where|on|inner|left|cross|join|group by|order by|limit|offset|returning|for|having|set|from) |$)`
const clauses = new RegExp(
  String.raw`(?:\bleft join (?:lateral )?(?:#\d+|\w+)(?: (?:@|\$0))?(?: as)? ?(?<joined>\w+)? )?\b(?:where|on) (?<conditions>.*?)${end}`,
  'g',
)
const term = String.raw`(?:(\w+)\.)?(\w+)(?:::\w+)?`
const value = String.raw`(?:any |some )?\$\d+(?:::[\w[\]]+)?|'\w*'(?:::\w+)?|true`
const isEqual = '(?:=|in)'
const withValue = new RegExp(String.raw`^(?:${term} ${isEqual} (?:${value})|(?:${value}) = ${term})$`)
const rowIn = /^((?:\w+\.)?\w+(?:, (?:\w+\.)?\w+)+) (?:in|= any) (#\d+)$/
const withColumn = new RegExp(String.raw`^${term} ${isEqual} ${term}$`)

/** The row of an account names the account of its staff. */
function addStaff(edges: Edges, source: Source): void {
  if (source.table === 'staff_organizations')
    add(edges, nodeOf(source, 'account_id'), nodeOf(source, 'staff_account_id'))
}

/** Adds what the conditions of a scope equate. Of those of a left join only the joined rows are sure. */
function addConditions(edges: Edges, scope: Scope, keys: readonly RowKey[]): void {
  for (const { groups = {} } of scope.text.matchAll(clauses)) {
    const { joined, conditions = '' } = groups
    if (/ or /.test(conditions)) {
      bindOfAll(edges, scope, conditions.split(' or '), keys)
      continue
    }
    for (const condition of conditions.split(' and ').map((each) => each.trim())) {
      const [, name, column = '', otherName, otherColumn = ''] = withValue.exec(condition) ?? []
      if (column !== '' || otherColumn !== '') {
        const source = find(scope, name ?? otherName, column || otherColumn)
        if (source !== undefined && isSure(source, joined)) bind(edges, source, column || otherColumn, keys)
        continue
      }
      const [, columns = '', place = ''] = rowIn.exec(condition) ?? []
      if (place !== '') addRow(edges, scope, columns.split(', '), place)
      const [, leftName, left = '', rightName, right = ''] = withColumn.exec(condition) ?? []
      const [one, other] = [find(scope, leftName, left), find(scope, rightName, right)]
      if (one === undefined || other === undefined) continue
      const [from, to] = [nodeOf(one, asTenant(one, left)), nodeOf(other, asTenant(other, right))]
      if (isSure(other, joined)) add(edges, from, to)
      if (isSure(one, joined)) add(edges, to, from)
    }
  }
}

/** Binds what each alternative equates with a value. */
function bindOfAll(
  edges: Edges,
  scope: Scope,
  alternatives: readonly string[],
  keys: readonly RowKey[],
): void {
  const [found = [], ...others] = alternatives.map((alternative) =>
    alternative.split(' and ').flatMap((each) => {
      const [, name, column = '', otherName, otherColumn = ''] = withValue.exec(each.trim()) ?? []
      const source = find(scope, name ?? otherName, column || otherColumn)
      return source === undefined ? [] : [{ source, column: column || otherColumn }]
    }),
  )
  for (const { source, column } of found)
    if (others.every((other) => other.some((each) => each.source === source && each.column === column)))
      bind(edges, source, column, keys)
}

/** Adds that a row of columns is among those of a query. */
function addRow(edges: Edges, scope: Scope, columns: readonly string[], place: string): void {
  for (const query of scope.queries.get(place) ?? [])
    for (const [index, output] of outputsOf(query).entries()) {
      const [, name, column = ''] = /^(?:(\w+)\.)?(\w+)$/.exec(columns[index] ?? '') ?? []
      const [one, other] = [find(scope, name, column), find(query, output.name, output.column)]
      if (one !== undefined && other !== undefined)
        add(edges, nodeOf(other, asTenant(other, output.column)), nodeOf(one, asTenant(one, column)))
    }
}

function isSure({ name }: Source, joined: string | undefined): boolean {
  return joined === undefined || joined === name
}

function bind(edges: Edges, source: Source, column: string, keys: readonly RowKey[]): void {
  const isKey = keys.some((key) => key.table === source.table && key.column === column)
  const columns = isKey ? (tables.get(source.table) ?? ['account_id']) : [asTenant(source, column)]
  for (const each of columns) add(edges, parameter, nodeOf(source, each))
}

/** An account's own id is the account of its row. */
function asTenant({ table }: Source, column: string): string {
  return table === 'accounts' && column === 'id' ? 'account_id' : column
}

/** What a column is of, in the scope or outside of it. Without a name, what has such a column, as far as is known. */
function find(scope: Scope | undefined, name: string | undefined, column: string): Source | undefined {
  if (scope === undefined) return undefined
  const { sources, outer } = scope
  if (name !== undefined) return sources.find((source) => source.name === name) ?? find(outer, name, column)
  if (/^(?:account_id|environment)$/.test(column))
    return sources.find((source) => hasColumn(source, column)) ?? find(outer, name, column)
  return sources.length === 1 ? sources[0] : undefined
}

function hasColumn({ table, queries }: Source, column: string): boolean {
  if (queries === undefined) return tables.get(table)?.includes(column) ?? false
  return (
    queries.length === 0 || queries.some((query) => outputsOf(query).some((output) => output.as === column))
  )
}

interface Output {
  readonly as: string
  readonly name: string | undefined
  readonly column: string
}

function outputsOf({ text, sources }: Scope): Output[] {
  const list =
    /\breturning (.*)$/.exec(text)?.[1] ??
    /\bselect (?:distinct |all )?(.*?)(?: from |$)/.exec(text)?.[1] ??
    ''
  return list.split(',').flatMap((each) => {
    const [, of, all] = /^(?:(\w+)\.)?(\*)$/.exec(each.trim()) ?? []
    if (all !== undefined)
      return sources
        .filter(({ name }) => of === undefined || of === name)
        .flatMap((source) =>
          ['account_id', 'environment']
            .filter((column) => hasColumn(source, column))
            .map((column) => ({ as: column, name: source.name, column })),
        )
    const [, name, column = '', as = column] =
      /^(?:(\w+)\.)?(\$?\w+)(?:::\w+)?(?: as (\w+))?$/.exec(each.trim()) ?? []
    return [{ as, name, column }]
  })
}

/** Adds that the columns of a query's rows are those that it selects. */
function addOutputs(edges: Edges, source: Source): void {
  if (source.queries?.length === 0)
    for (const column of ['account_id', 'environment']) add(edges, parameter, nodeOf(source, column))
  for (const query of source.queries ?? [])
    for (const { as, name, column } of outputsOf(query)) {
      const of = find(query, name, column)
      if (column.startsWith('$')) add(edges, parameter, nodeOf(source, as))
      if (of === undefined) continue
      add(edges, nodeOf(of, asTenant(of, column)), nodeOf(source, as))
      add(edges, nodeOf(source, as), nodeOf(of, asTenant(of, column)))
    }
}
