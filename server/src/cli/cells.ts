import type { Command } from 'commander'
import type { Kysely } from 'kysely'
import { checkNames, keptFor, type NamesAtFault } from '../app/cells/check-names.js'
import { findKeptName, holdsKey } from '../app/cells/holds-key.js'
import { namesOf } from '../app/cells/names.js'
import { consoleAccountDomain } from '../platform/console-account.js'
import { readConfig, type Config } from '../platform/config/config.js'
import { checkMigrated } from '../platform/db/check-migrated.js'
import { closePool, connect } from '../platform/db/connect.js'
import { pendingMigrations } from '../platform/db/migrate.js'
import type { DB } from '../platform/db/schema.js'
import { systemClock } from '../platform/system-clock.js'
import { toSentence } from './failure.js'
import { definePrepare } from './prepare-cell.js'
import { grouped, print, table, type OutputOptions } from './output.js'
import { terminalLog } from './with-deps.js'

/** portico cells list, find, check and prepare */
export function define(command: Command): void {
  command
    .command('list')
    .description('list the databases, their accounts and the migrations that they lack')
    .option('--json', 'answer as JSON')
    .action(list)
  command
    .command('find')
    .description('say which database has an account or an organization')
    .argument('<domain>', 'of the account or the organization')
    .option('--json', 'answer as JSON')
    .action(find)
  command
    .command('check')
    .description('compare the names of each database with those that the first one keeps for all')
    .option('--repair', 'reserve what is missing there')
    .option('--json', 'answer as JSON')
    .action(check)
  definePrepare(command.command('prepare'))
}

interface OpenCell {
  readonly name: string
  readonly db: Kysely<DB>
}

/** Runs work on every database that CELLS lists, in its order. */
async function withCells<Result>(
  { terminal }: OutputOptions,
  work: (cells: readonly [OpenCell, ...OpenCell[]]) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(terminal.variables)
  if (config.cells === undefined)
    throw new Error('There is one database: CELLS, or a file that CELLS_FILE names, lists several.')
  const log = terminalLog(terminal, 'warn')
  const open = ({ name, database }: NonNullable<Config['cells']>[number]): OpenCell => {
    const { url = '', hasNamedStatements: named } = database
    return { name, db: connect({ url, poolSize: 2, named, log }) }
  }
  const cells = config.cells.map(open)
  try {
    return await work(cells as [OpenCell, ...OpenCell[]])
  } finally {
    await Promise.all(cells.map(({ db }) => closePool(db)))
  }
}

async function list(options: OutputOptions): Promise<void> {
  const cells = await withCells(options, (all) =>
    Promise.all(
      all.map(async ({ name, db }) => {
        try {
          const pending = await pendingMigrations(db)
          const accounts = pending.length === 0 ? await countAccounts(db) : null
          return { name, accounts, pending_migrations: pending }
        } catch (error) {
          // One that does not answer hides no other.
          return { name, accounts: null, pending_migrations: null, fault: toSentence(error, name) }
        }
      }),
    ),
  )
  if (cells.some(({ pending_migrations: pending }) => pending === null)) options.terminal.exitCode = 1
  print(options, cells, () =>
    table(
      ['NAME', 'ACCOUNTS', 'MIGRATIONS'],
      cells.map((cell) => [
        cell.name,
        cell.accounts === null ? 'not known' : grouped(cell.accounts),
        toMigrations(cell.pending_migrations),
      ]),
    ),
  )
}

/** @param pending Null where the database does not answer. */
function toMigrations(pending: readonly string[] | null): string {
  if (pending === null) return 'does not answer'
  return pending.length === 0 ? 'all' : `lacks ${pending.length}`
}

async function countAccounts(db: Kysely<DB>): Promise<number> {
  const { count } = await db
    .selectFrom('accounts')
    .where('domain', '<>', consoleAccountDomain)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function find(domain: string, options: OutputOptions): Promise<void> {
  const name = await withCells(options, async (cells) => {
    const key = { kind: 'domain', id: domain.toLowerCase() } as const
    // The first one has the names of all, also of one that does not answer.
    const kept = await named(cells[0], (db) => findKeptName(db, key.id))
    if (kept !== undefined) return kept.cell ?? cells[0].name
    for (const cell of cells) if (await named(cell, (db) => holdsKey(db, key))) return cell.name
    throw new Error(`No database has an account or an organization ${domain}.`)
  })
  print(options, { domain, cell: name }, () => [name])
}

interface CheckOptions extends OutputOptions {
  readonly repair?: boolean
}

async function check(options: CheckOptions): Promise<void> {
  const checked = await withCells(options, async ([first, ...others]) => {
    for (const cell of [first, ...others]) await named(cell, checkIsMigrated)
    await checkOrder([first, ...others])
    const found: (NamesAtFault & { readonly name: string; readonly repaired: number })[] = []
    for (const { name, db } of others) {
      const faults = await checkNames(first.db, db, name)
      const repaired = options.repair === true ? await reserve(first, name, faults.missing) : 0
      found.push({ name, ...faults, repaired })
    }
    return found
  })
  if (checked.some(({ missing, contested, repaired }) => contested.length > 0 || missing.length > repaired))
    options.terminal.exitCode = 1
  print(options, checked, () =>
    checked.length === 0 ? ['There is one database, which has its own names.'] : checked.flatMap(toLines),
  )
}

async function checkIsMigrated(db: Kysely<DB>): Promise<void> {
  checkMigrated({ pendingMigrations: await pendingMigrations(db) })
}

/** @throws Error a sentence with the name of the database on which the work failed. */
async function named<Result>(
  { name, db }: OpenCell,
  work: (db: Kysely<DB>) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(db)
  } catch (error) {
    throw new Error(`${name}: ${toSentence(error, name)}`, { cause: error })
  }
}

/** @throws Error a sentence where the databases have had another order, or other names. */
async function checkOrder([first, ...others]: readonly [OpenCell, ...OpenCell[]]): Promise<void> {
  for (const { name, db } of others)
    if ((await keptFor(db)).length > 0)
      throw new Error(
        `${name} has the names of other databases, as the first of CELLS does: put it first, as it was.`,
      )
  const names = new Set(others.map(({ name }) => name))
  const strangers = (await keptFor(first.db)).filter((name) => !names.has(name))
  if (strangers.length > 0)
    throw new Error(
      `${first.name} has names of databases that CELLS does not list: ${strangers.join(', ')}. Each keeps the name that it had.`,
    )
}

async function reserve({ db }: OpenCell, name: string, missing: readonly string[]): Promise<number> {
  const names = namesOf(name, () => ({ db }))
  let repaired = 0
  for (const slug of missing) if (await names.reserve(slug, systemClock())) repaired += 1
  return repaired
}

/** For a person, who sees the beginning of a long list. */
function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 20).join(', ')
  return names.length > 20 ? `${shown} and more, which --json lists` : shown
}

function toLines({ name, missing, contested, repaired }: NamesAtFault & { name: string; repaired: number }) {
  if (missing.length + contested.length === 0) return [`${name}: the first database has every name.`]
  return [
    ...(missing.length === 0
      ? []
      : [
          `${name}: the first database lacked ${missing.length === 1 ? 'a name' : `${grouped(missing.length)} names`}, and has ${grouped(repaired)} now: ${someOf(missing)}.${repaired < missing.length ? ' Run portico cells check --repair.' : ''}`,
        ]),
    ...(contested.length === 0
      ? []
      : [
          `${name}: other databases have these names, too: ${someOf(contested)}. Requests by the name alone are for those.`,
        ]),
  ]
}
