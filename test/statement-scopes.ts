/** One select, update, insert or delete: its text without brackets, and what its columns are named by. */
export interface Scope {
  readonly text: string
  /** The scope around this one, whose names are visible here. */
  readonly outer: Scope | undefined
  readonly sources: Source[]
  /** The queries in brackets, by what stands for them. */
  readonly queries: Map<string, readonly Scope[]>
}

/** What rows come from or go to. */
export interface Source {
  readonly name: string
  readonly table: string
  /** Undefined for a table; none where the service gives the rows: to insert them, or to a function as parameters. */
  readonly queries: readonly Scope[] | undefined
}

/**
 * The scopes of a statement without quotes, from the outermost on. In their texts `#1` stands for a query in brackets, `$0` for
 * parameters, and `@` for what need not hold: an operand of `or` or `not`, the argument of a function, a branch of `case`.
 */
export function scopesOf(statement: string): Scope[] {
  const nested: string[] = []
  const scopes: Scope[] = []
  open(withoutBrackets(statement.replace(locks, ''), nested), undefined, new Map())
  return scopes

  /** A union is several scopes. */
  function open(
    text: string,
    outer: Scope | undefined,
    known: ReadonlyMap<string, readonly Scope[]>,
  ): Scope[] {
    return text.split(/\b(?:union all|union|except|intersect)\b/).map((part) => {
      const queries = new Map(known)
      const scope: Scope = { text: part, outer, sources: [], queries }
      scopes.push(scope)
      const names = new Map([...part.matchAll(withs)].map(([, name = '', place = '']) => [place, name]))
      for (const [place] of part.matchAll(/#\d+/g)) {
        const opened = open(nested[Number(place.slice(1))] ?? '', scope, queries)
        queries.set(place, opened).set(names.get(place) ?? place, opened)
      }
      scope.sources.push(...sourcesIn(part, queries))
      return scope
    })
  }
}

const locks = /\bfor (?:no key update|update|share|key share)(?: of \w+(?:, \w+)*)?(?: skip locked| nowait)?/g
const withs = /(\w+) as (?:not materialized |materialized )?(#\d+)/g

/** Replaces what is in brackets, from the innermost on: in one pass, because a statement may have thousands of them. */
function withoutBrackets(statement: string, nested: string[]): string {
  const open: string[] = []
  let text = ''
  for (const part of statement.split(/(?<=[()])|(?=[()])/)) {
    if (part === '(') {
      open.push(text)
      text = ''
    } else if (part === ')' && open.length > 0) {
      const outside = open.pop() ?? ''
      const before = wordAtEnd(outside.endsWith(' ') ? outside.slice(0, -1) : outside)
      const isCall = !outside.endsWith(' ') && !mayPrecedeBrackets.test(before)
      const isArgument = isCall || /^(?:not|filter|over)$/.test(before)
      text = `${outside}${outside.endsWith(' ') ? '' : ' '}${toPlace(text.trim(), isArgument, nested)} `
    } else text += part
  }
  return withoutCases([...open, text].join('('))
}

/** The letters, digits, underscores and points with which a text ends. */
function wordAtEnd(text: string): string {
  let start = text.length
  while (start > 0 && /[\w.]/.test(text[start - 1] ?? '')) start -= 1
  return text.slice(start)
}

const mayPrecedeBrackets =
  /^(?:|and|or|where|on|having|when|then|else|as|in|any|all|some|exists|select|from|join|lateral|by|set|values|using|array|distinct|returning|limit|offset)$/

function toPlace(inside: string, isArgument: boolean, nested: string[]): string {
  if (/^(?:select|with|insert|update|delete)\b/.test(inside))
    return `#${nested.push(withoutCases(inside)) - 1}`
  if (/^\$\d+(?:::[\w[\]]+)?(?: ?, ?\$\d+(?:::[\w[\]]+)?)*$/.test(inside)) return '$0'
  return isArgument || / or /.test(inside) ? `@ ${queriesIn(inside)}` : inside
}

function withoutCases(text: string): string {
  const next = text.replace(/\bcase\b(?:(?!\b(?:case|end)\b).)*\bend\b/, (all) => `@ ${queriesIn(all)}`)
  return next === text ? text.replace(/\s+/g, ' ') : withoutCases(next)
}

function queriesIn(text: string): string {
  return (text.match(/#\d+/g) ?? []).join(' ')
}

const words =
  'set|where|on|inner|left|cross|join|order|group|limit|offset|for|using|returning|union|values|select|default|having|and'
const item = String.raw`(?:lateral |only )?(#\d+|\w+)(?: (?:@|\$0))?(?: as (\w+)| (?!(?:${words})\b)(\w+))?`
const first = new RegExp(String.raw`^${item}`)
const lists = new RegExp(String.raw`\b(?:from|join|update|using) (${item}(?: ?, ?${item})*)`, 'g')

function sourcesIn(text: string, queries: ReadonlyMap<string, readonly Scope[]>): Source[] {
  const written = [...text.matchAll(/\binsert into (\w+)(?: as (\w+))?/g)]
  const read = [...text.matchAll(lists)]
    .flatMap(([, list = '']) => list.split(','))
    .map((each) => each.trim())
  return [
    ...read.flatMap((each) => {
      const [, table = '', alias, bare] = first.exec(each) ?? []
      // "do update set" of a conflict names no table.
      if (table === '' || table === 'set') return []
      return [{ name: alias ?? bare ?? table, table, queries: each.includes('$0') ? [] : queries.get(table) }]
    }),
    // Last: what an insert reads is what its names without a table are of.
    ...written.map(([, table = '', name = table]) => ({ name, table, queries: [] })),
  ]
}
