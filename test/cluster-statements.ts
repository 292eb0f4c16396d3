import { scopesOf, type Scope } from './statement-scopes.js'
import { plainText } from './tenant-statements.js'

/** What Citus refuses, or does otherwise than Postgres, where each account's tables are one schema of a cluster. */
const refusals: readonly (readonly [
  isFound: (text: string, statement: string, scope: Scope) => boolean,
  fault: string,
])[] = [
  [
    (scope) => /\binsert into \w+ (?:as \w+ )?[\w, ]*\bvalues .*#\d/.test(beforeEnd(scope)),
    'the values of an insert have a query: use insertFrom()',
  ],
  [
    (scope) => /^(?:with .* )?insert into /.test(scope) && /\breturning .*#\d/.test(scope),
    'an insert returns what a query finds: return its own columns, and read the rest from them',
  ],
  [
    (_scope, statement) =>
      /\bpg_(?:try_)?advisory_/.test(statement) && /\b(?:from|with|insert|update|delete)\b/.test(statement),
    'an advisory lock is taken where the table is: take it in a statement without one',
  ],
  [
    (_scope, statement) => readsWithoutColumn(statement),
    'the end of a statement that writes reads without a column: select one',
  ],
  [
    (_text, statement, scope) => mayReadNothing(scope, statement),
    'an insert reads no table where its parameters decide an "or", a coalesce or a case, and then inserts nothing: read one always',
  ],
  [
    (_scope, statement) =>
      isWriting.test(statement) && notImmutable.test(statement) && !isSeeding.test(statement),
    'a statement that writes calls a function that is not immutable: give its result, or use later() for a time',
  ],
]

/**
 * Whether the end of a statement that writes reads rows without a column. A cluster runs the parts that write first, and keeps their
 * results under names of their columns. So it does with a table, at an end that reads nothing but such results.
 */
function readsWithoutColumn(statement: string): boolean {
  const parts = /\b(\w+) as (?:materialized )?\((?:insert|update|delete) /g
  const names = [...statement.matchAll(parts)].map(([, name = '']) => name)
  const [outer] = scopesOf(statement)
  const end = outer?.text.replace(/^.* as (?:materialized )?#\d+/, '') ?? ''
  const read = (end.match(/#\d+/g) ?? []).flatMap((place) => outer?.queries.get(place) ?? [])
  const isAlone = names.length > 0 && !/(?<!\bdistinct )\bfrom\b/.test(end)
  if (isAlone && read.some(({ text }) => /^\s*select from /.test(text))) return true
  return names.some((name) =>
    read.some(({ text }) => new RegExp(`^\\s*select (?:1 )?from ${name}\\b`).test(text)),
  )
}

/**
 * Whether what an insert selects is from no table but those of an operand of an `or`, of a `coalesce` or of a `case`, which a plan leaves
 * out where the parameters decide it. It is strict: arguments of other functions and of `not` count as such operands.
 */
function mayReadNothing(scope: Scope, statement: string): boolean {
  const text = scope.text.trim()
  const isOfInsert = scope.outer !== undefined && /\binsert into\b/.test(scope.outer.text)
  const [, own] = /\binsert into \w+ (?:as \w+ )?[\w, ]*\b(select .*)$/.exec(beforeEnd(text)) ?? []
  const selected = own ?? (isOfInsert && /^select /.test(text) ? text : '')
  if (!selected.includes('#') || readsTable(scope)) return false
  const [head = '', condition = ''] = selected.split(/\bwhere\b/)
  const columns = head.replace(/(?<!\bdistinct )\bfrom .*$/, '')
  // A coalesce is decided without its query where something else comes first.
  const isDecided = /\bcoalesce\((?! ?\( ?select\b)/.test(statement)
  const operands = isDecided ? /@(?: #\d+)+/g : /(?<!\bcoalesce )@(?: #\d+)+/g
  const always = [/ (?:or|and) /.test(columns) ? '' : columns, / or /.test(condition) ? '' : condition]
  return !always.join(' ').replaceAll(operands, '').includes('#')
}

/** Whether a scope is from a table, itself or by a query in brackets that is; functions and values are of no table. */
function readsTable({ sources }: Scope): boolean {
  return sources.some(({ table, queries }) =>
    queries === undefined ? !/^(?:unnest|generate_series|jsonb?_\w+)$/.test(table) : queries.some(readsTable),
  )
}

const isWriting = /\b(?:insert into|delete from|update \w+(?: as \w+)? set)\b/
/** Volatile functions, and the stable ones that statements of a service could call. A `timestamptz` and an interval are one, too. */
const notImmutable =
  /\b(?:random|gen_random_uuid|now|clock_timestamp|array_to_string|concat|concat_ws|format)\(|date_trunc\([^()]*, [^()]*, |(?<!at time zone '\w*'(?: \+)?) [+-] (?:[\w.]+ \* )?(?:interval|make_interval)\b/

/** Of seedStatistics(), which does nothing in a cluster. */
const isSeeding = /^insert into \w+ \([^()]*\) select .* from generate_series\(1, \$1\) n$/

/** Describes what of a statement a cluster refuses. */
export function faultsInCluster(text: string): string[] {
  const statement = plainText(text)
  const scopes = scopesOf(statement)
  return refusals
    .filter(([isFound]) => scopes.some((scope) => isFound(scope.text.trim(), statement, scope)))
    .map(([, fault]) => `${fault}, in: ${statement}`)
}

/** An insert up to the end of its values. */
function beforeEnd(scope: string): string {
  return scope.replace(/ (?:on conflict|returning) .*$/, '')
}
