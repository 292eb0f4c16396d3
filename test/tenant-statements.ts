import pg from 'pg'
import { tenantTables } from './tenant-tables.js'

const tables = tenantTables()

/** Statements that legitimately span accounts, each with a distinguishing pattern and the reason. */
const exceptions: readonly (readonly [statement: RegExp, reason: string])[] = [
  [/^delete from \w+ where .*\bctid = any\(/, 'A worker deletes what has expired.'],
  [/^(with recursive earliest|with wanted) as .*\bwebhook_deliveries\b/, 'A worker sends what is due.'],
  [
    /^(update|delete from|select last from|with (?:over)?due as) .*\bjobs\b/,
    'A worker runs the jobs that are due.',
  ],
  [/^(with (scopes|counted) as|select kind, ).*\brecord_counts\b/, 'A worker adds counts up.'],
  [/\bunnumbered_events\b/, 'A worker gives events their positions.'],
  [
    /^select (?:account_id, |\(select count).*\bdeleted_at (< \$\d|is not null)/,
    'A worker erases what was deleted.',
  ],
  [
    /\bfrom signing_keys where state = (\$1|'active') and (kid > \$2|activated_at <= \$1)/,
    'A worker rotates keys, and publishes those that are missing.',
  ],
  [/\bfrom signing_keys where kid = \$1/, 'The key of a token, which names its account.'],
  [
    /\bfrom api_keys where id = \$1|^update api_keys .* where id = \$\d$/,
    'A client names itself, or an operator names it.',
  ],
  [
    /^select account_id, id from organizations where domain = \$1/,
    'A domain names one organization of the service.',
  ],
  [
    /\bfrom outbox_messages (?:order by|where id = \$1)/,
    'The outbox of a machine has the messages of every account.',
  ],
  [/\bfrom magic_link_challenges where token_hash = \$2/, 'A link is its own proof.'],
]

/** The statements sent by services of this process since the last check. */
const sent = new Set<string>()
const known = new Set<string>()

/** Records each statement that a service sends; these are named, while those of tests are not. */
export function watchStatements(): void {
  const { query } = pg.Client.prototype
  if ('isWatched' in query) return
  const watched = function (this: pg.Client, ...args: unknown[]) {
    const [first] = args
    if (typeof first === 'object' && first !== null && 'name' in first && 'text' in first)
      if (!known.has(String(first.text))) sent.add(String(first.text))
    return Reflect.apply(query, this, args) as unknown
  }
  // The implementation has only one of the declared overloads.
  pg.Client.prototype.query = Object.assign(watched, { isWatched: true }) as typeof query
}

/** Describes the faults of the statements sent since the last call. */
export function faultsOfStatements(): string[] {
  const faults = [...sent].flatMap(faultsOf)
  for (const text of sent) known.add(text)
  sent.clear()
  return faults
}

/** The tenant tables in a statement whose rows are not limited to an account; none for the listed exceptions. */
export function faultsOf(text: string): string[] {
  const plain = text
    .replace(/'(?:[^']|'')*'/g, (literal) => (/^'\w*'$/.test(literal) ? literal : "''"))
    .replaceAll('"', '')
    .replace(/\s+/g, ' ')
    .trim()
  if (exceptions.some(([statement]) => statement.test(plain))) return []
  return referencesIn(plain)
    .filter(({ name }) => !isOfOneAccount(plain, name))
    .map(({ table }) => `${table} of any account, in: ${plain}`)
}

interface Reference {
  readonly table: string
  /** The alias that qualifies its columns. */
  readonly name: string
}

const one = String.raw`\w+(?: as \w+| (?!set\b|where\b|on\b|inner\b|left\b|cross\b|join\b|order\b|group\b|limit\b|offset\b|for\b|using\b|returning\b|union\b|values\b|select\b|default\b)\w+)?`
const lists = new RegExp(
  String.raw`\b(?:from|join|update|using) (?:only |lateral )?(${one}(?: ?, ?${one})*)`,
  'gi',
)

/** The tenant tables that a statement reads, changes or deletes from. The columns of an insert contain the tenant. */
function referencesIn(text: string): Reference[] {
  return [...text.matchAll(lists)]
    .flatMap(([, list = '']) => list.split(','))
    .flatMap((item) => {
      const [table = '', ...rest] = item.trim().split(' ')
      return tables.has(table) ? [{ table, name: rest.at(-1) ?? table }] : []
    })
}

/** Whether the account of a table's rows is compared with a parameter, or with the account of another table. */
function isOfOneAccount(text: string, name: string): boolean {
  const own = String.raw`\b${name}\.account_id`
  return new RegExp(
    String.raw`${own} (?:=|in\b|is not distinct)|= ${own}\b|(?<![.\w])account_id(?:::\w+)? (?:=|in\b)`,
    'i',
  ).test(text)
}
