import { scopesOf } from './statement-scopes.js'
import { plainText } from './tenant-statements.js'

/** What Citus refuses, or does otherwise than Postgres, where each account's tables are one schema of a cluster. */
const refusals: readonly (readonly [
  isFound: (scope: string, statement: string) => boolean,
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

const isWriting = /\b(?:insert into|delete from|update \w+(?: as \w+)? set)\b/
/** Volatile functions, and the stable ones that statements of a service could call. A `timestamptz` and an interval are one, too. */
const notImmutable =
  /\b(?:random|gen_random_uuid|now|clock_timestamp|array_to_string|concat|concat_ws|format)\(|date_trunc\([^()]*, [^()]*, |(?<!at time zone '\w*'(?: \+)?) [+-] (?:[\w.]+ \* )?(?:interval|make_interval)\b/

/** Of seedStatistics(), which does nothing in a cluster. */
const isSeeding = /^insert into \w+ \([^()]*\) select .* from generate_series\(1, \$1\) n$/

/** Describes what of a statement a cluster refuses. */
export function faultsInCluster(text: string): string[] {
  const statement = plainText(text)
  const scopes = scopesOf(statement).map((scope) => scope.text.trim())
  return refusals
    .filter(([isFound]) => scopes.some((scope) => isFound(scope, statement)))
    .map(([, fault]) => `${fault}, in: ${statement}`)
}

/** An insert up to the end of its values. */
function beforeEnd(scope: string): string {
  return scope.replace(/ (?:on conflict|returning) .*$/, '')
}
