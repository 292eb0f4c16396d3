/** What is told of a statement. */
interface StatementName {
  /** Its verb and its table, such as `insert users`. */
  readonly name: string
  /** As in `db.operation.name`. */
  readonly operation: string
  /** The table that it writes, or that it reads first; undefined where it has none. */
  readonly table: string | undefined
}

/** More texts than a process has, but for lists that vary. */
const maxKnown = 2_000
const known = new Map<string, StatementName>()

/** The name of a statement, from its text with placeholders. */
export function nameOfStatement(text: string): StatementName {
  const found = known.get(text)
  if (found !== undefined) return found
  if (known.size >= maxKnown) known.clear()
  const name = readName(text)
  known.set(text, name)
  return name
}

const write =
  /\b(?<verb>insert|delete|(?<!\b(?:for|key|do)\s+)update)\s+(?:into\s+|from\s+)?(?:only\s+)?"?(?<table>\w+)"?/i

/** Followed by a bracket it is a function; after `distinct` and in `extract (… from …)` it is no source. */
const source = /(?<!\bdistinct\s+)\b(?:from|join)\s+(?:only\s+)?"?(?<table>[a-z_]\w*)"?(?!\w*\s*\()/gi

function readName(text: string): StatementName {
  const plain = text.replaceAll(/'(?:[^']|'')*'/g, "''").replaceAll(/\bextract\s*\([^)]*\)/gi, '')
  const written = write.exec(plain)?.groups
  if (written?.['verb'] !== undefined) return named(written['verb'], written['table'])
  const operation = /^\s*(?:with|select|values|\()/i.test(plain) ? 'select' : firstWord(plain)
  if (operation !== 'select') return named(operation, undefined)
  // Names of `with` are read like tables, and are none.
  const [table] = [...plain.matchAll(source)].flatMap(({ groups }) => {
    const name = groups?.['table'] ?? ''
    return isNamedByWith(plain, name) ? [] : [name]
  })
  return named(operation, table)
}

function isNamedByWith(plain: string, name: string): boolean {
  return (
    /^(?:lateral|select)$/i.test(name) ||
    new RegExp(`\\b${name}"?\\s*(?:\\([^)]*\\)\\s*)?\\bas\\s*(?:not\\s+)?(?:materialized\\s*)?\\(`, 'i').test(
      plain,
    )
  )
}

function firstWord(text: string): string {
  return /^\s*(\w+)/.exec(text)?.[1] ?? 'statement'
}

function named(verb: string, table: string | undefined): StatementName {
  const operation = verb.toLowerCase()
  return { name: table === undefined ? operation : `${operation} ${table}`, operation, table }
}
