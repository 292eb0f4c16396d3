import type { Compilable, CompiledQuery, Insertable, InsertObject, Kysely, RawBuilder } from 'kysely'
import { runLookup } from './lookups.js'
import { sendWithNext } from './prepared.js'
import type { DB } from './schema.js'

type RowOf<Built> = Built extends Compilable<infer Row> ? Row : never

/** Runs a statement with the values of its parameters. */
type Statement<Parameters, Row> = (db: Kysely<DB>, parameters: Parameters) => Promise<Row[]>

/**
 * A statement that is built and compiled once, on its first run; later runs only bind other values. Building and
 * compiling one costs the service more than sending it.
 *
 * @param build Makes the statement from placeholders in place of the values. They have no values, so that the statement
 *   cannot depend on one: for that, write two statements.
 */
export function statement<Parameters extends object, Built extends Compilable<unknown>>(
  build: (db: Kysely<DB>, parameters: Parameters) => Built,
): Statement<Parameters, RowOf<Built>> {
  return compiledOnce(build, (db, query) => db.executeQuery(query))
}

/**
 * A statement that reads a few rows by their keys and locks none. Outside of a transaction, many of them are sent at once
 * on a connection that they share (lookups.ts), and a slow one delays the others: a list is a statement().
 */
export function lookup<Parameters extends object, Built extends Compilable<unknown>>(
  build: (db: Kysely<DB>, parameters: Parameters) => Built,
): Statement<Parameters, RowOf<Built>> {
  return compiledOnce(build, runLookup, assertOnlyReads)
}

/**
 * A statement whose answer tells nothing, such as the row of a log. In a transaction it waits for the statement after it
 * (prepared.ts) and saves a wait for Postgres; a constraint that it violates is reported by that one.
 */
export function companion<Parameters extends object>(
  build: (db: Kysely<DB>, parameters: Parameters) => Compilable<unknown>,
): (db: Kysely<DB>, parameters: Parameters) => Promise<void> {
  const run = compiledOnce(
    build,
    (db, query) => db.executeQuery(query),
    ({ sql: text }) => sendWithNext(text),
  )
  return async (db, parameters) => {
    await run(db, parameters)
  }
}

function compiledOnce<Parameters extends object, Built extends Compilable<unknown>>(
  build: (db: Kysely<DB>, parameters: Parameters) => Built,
  run: (db: Kysely<DB>, query: CompiledQuery<RowOf<Built>>) => Promise<{ readonly rows: RowOf<Built>[] }>,
  check: (query: CompiledQuery) => void = () => undefined,
): Statement<Parameters, RowOf<Built>> {
  let compiled: CompiledQuery<RowOf<Built>> | undefined
  return async (db, parameters) => {
    if (compiled === undefined) {
      // Placeholders have the form of the parameters and, where a value is needed, nothing but an error.
      const built = build(db, placeholders as Parameters).compile() as CompiledQuery<RowOf<Built>>
      check(built)
      compiled = built
    }
    const values = compiled.parameters.map((value) =>
      isPlaceholder(value) ? parameters[value[parameterName] as keyof Parameters] : value,
    )
    const { rows } = await run(db, { ...compiled, parameters: values })
    return rows
  }
}

/** A lookup may be sent twice, and one that waited would delay others. */
function assertOnlyReads({ sql: text }: CompiledQuery): void {
  if (
    !/^\s*select\b/.test(text) ||
    /\bfor (?:no key update|update|key share|share)\b|\bpg_|\bnextval\b/.test(text)
  )
    throw new Error(`a lookup is a select without a lock, and this is none: ${text}`)
}

/** The same for a statement that is written in SQL. */
export function sqlStatement<Parameters extends object, Row>(
  write: (parameters: Parameters) => RawBuilder<Row>,
  kind: typeof statement = statement,
): Statement<Parameters, Row> {
  return kind((db, parameters: Parameters) => ({
    compile: () => write(parameters).compile(db),
  }))
}

type StatementWithoutRows = <Parameters extends object>(
  build: (db: Kysely<DB>, parameters: Parameters) => Compilable<unknown>,
) => (db: Kysely<DB>, parameters: Parameters) => Promise<unknown>

/** A statement that inserts one row, compiled once for the columns that rows have. */
export function insertion<Table extends keyof DB>(
  table: Table,
  kind: StatementWithoutRows = statement,
): (db: Kysely<DB>, row: Insertable<DB[Table]>) => Promise<unknown> {
  const byColumns = new Map<string, (db: Kysely<DB>, row: Insertable<DB[Table]>) => Promise<unknown>>()
  return (db, row) => {
    const columns = Object.keys(row)
    const key = columns.join()
    const insert =
      byColumns.get(key) ??
      kind((own, placeholder: Readonly<Record<string, unknown>>) =>
        own
          .insertInto(table)
          // The row's type has each of the columns.
          .values(
            Object.fromEntries(columns.map((name) => [name, placeholder[name]])) as InsertObject<DB, Table>,
          ),
      )
    byColumns.set(key, insert)
    return insert(db, row)
  }
}

/** The key under which a placeholder has its parameter's name. */
const parameterName = Symbol('parameter')

interface Placeholder {
  readonly [parameterName]: string
}

function placeholderOf(name: string) {
  const refuse = (): never => {
    throw new Error(`${name} is a parameter of a statement and has no value while it is built`)
  }
  return { [parameterName]: name, [Symbol.toPrimitive]: refuse, toJSON: refuse }
}

function isPlaceholder(value: unknown): value is Placeholder {
  return typeof value === 'object' && value !== null && parameterName in value
}

const placeholders: unknown = new Proxy(
  {},
  {
    get(_target, name) {
      if (typeof name === 'symbol') throw new Error('the parameters of a statement can only be named')
      return placeholderOf(name)
    },
    // A copy has no members, so that a condition on one of them would compare with null.
    ownKeys() {
      throw new Error('the parameters of a statement cannot be copied while it is built, as by ...rest')
    },
  },
)
