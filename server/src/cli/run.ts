import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { terminalsOf, type Databases } from './choose-cell.js'
import { toSentence } from './failure.js'
import type { Terminal } from './terminal.js'
import { packageRoot } from '../platform/package-root.js'

interface Entry {
  readonly summary: string
  /** How it goes about several databases; undefined: it works on none, or knows them itself. */
  readonly databases?: Databases
  /** Only the command that runs is loaded, with what it imports. */
  readonly load: () => Promise<{ define: (command: Command) => void }>
}

const commands: Record<string, Entry> = {
  serve: {
    summary: 'run the API, the pages and, unless told otherwise, the worker',
    load: () => import('./serve.js'),
  },
  worker: { summary: 'run the worker alone', load: () => import('./worker.js') },
  emulate: {
    summary: 'run a throw-away service for tests: seeded, with a clock and faults that tests set',
    load: () => import('./emulate.js'),
  },
  mock: {
    summary: 'answer every operation with the example of its record, for tests in any language',
    load: () => import('./mock.js'),
  },
  migrate: {
    summary: 'apply the migrations that the database lacks',
    load: () => import('./migrate.js'),
    databases: 'each',
  },
  account: {
    summary: 'create, list and name accounts',
    load: () => import('./account.js'),
    databases: 'one',
  },
  console: {
    summary: 'invite staff to the console of an account, list them and remove them',
    load: () => import('./console.js'),
    databases: 'one',
  },
  'api-key': {
    summary: 'create, list, rotate and revoke API keys',
    load: () => import('./api-key.js'),
    databases: 'one',
  },
  keys: {
    summary: 'show and rotate signing keys, re-seal with a new master key',
    load: () => import('./keys.js'),
    databases: 'each',
  },
  social: {
    summary: 'add a social provider, step by step, and check it',
    load: () => import('./social.js'),
    databases: 'one',
  },
  listen: {
    summary: 'bring the events of the sandbox to a receiver on this machine',
    load: () => import('./listen.js'),
  },
  config: {
    summary: 'carry settings from one environment to another, as YAML that is reviewed',
    load: () => import('./config.js'),
    databases: 'one',
  },
  'sample-data': {
    summary: 'fill a database with made-up organizations and users',
    load: () => import('./sample-data.js'),
    databases: 'one',
  },
  'import-users': {
    summary: 'make the users of a file, with the password hashes of another product',
    load: () => import('./import-users.js'),
    databases: 'one',
  },
  backup: {
    summary: 'write the whole database to a file',
    load: () => import('./backup.js'),
    databases: 'one',
  },
  restore: {
    summary: 'read a backup into an empty database',
    load: () => import('./restore.js'),
    databases: 'one',
  },
  purge: { summary: 'erase what was deleted long ago', load: () => import('./purge.js'), databases: 'each' },
  'export-user': {
    summary: 'write everything that is kept of one person as JSON',
    load: () => import('./export-user.js'),
    databases: 'one',
  },
  'erase-user': {
    summary: 'erase one person at once and for good',
    load: () => import('./erase-user.js'),
    databases: 'one',
  },
  types: {
    summary: 'write the TypeScript types of what the tokens of an organization say',
    load: () => import('./types.js'),
    databases: 'one',
  },
  cells: {
    summary:
      'list the databases of accounts, find that of one, check their names, make one a schema of Citus',
    load: () => import('./cells.js'),
  },
  doctor: {
    summary: 'check the configuration and what it names',
    load: () => import('./doctor.js'),
    databases: 'each',
  },
}

/**
 * Runs the command that the arguments name; a failure is one sentence on stderr.
 *
 * @returns The exit code: 1 after a failure.
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [cell, others] = cellOf(args)
    const named = others[0] === 'help' ? others[1] : others[0]
    const isHelp = others[0] === 'help' || args.includes('--help') || args.includes('-h')
    const databases = isHelp ? undefined : databasesOf(named, others)
    let exitCode = 0
    for (const each of terminalsOf(terminal, databases, cell)) {
      if (each.cell !== undefined && cell === undefined) terminal.tell(`${each.cell.name}:\n`)
      exitCode = Math.max(exitCode, await runOn(each, others, named))
    }
    return exitCode
  } catch (error) {
    // Requested help, or a fault of usage, which Commander has reported.
    if (error instanceof CommanderError) return error.exitCode
    terminal.tell(`portico: ${toSentence(error)}\n`)
    return 1
  }
}

/** What concerns one account or organization is in one database. */
function databasesOf(named: string | undefined, args: readonly string[]): Databases | undefined {
  // It makes one of them a schema of a cluster; the other commands about cells ask all of them.
  if (named === 'cells' && args[1] === 'prepare') return 'one'
  const databases = Object.entries(commands).find(([name]) => name === named)?.[1].databases
  const isOfOne = args.some((arg) => /^--(?:account|organization)(?:=|$)/.test(arg))
  return databases === 'each' && isOfOne ? 'one' : databases
}

/** The same on one database: that one fails keeps no command from the next. */
async function runOn(
  terminal: Terminal,
  args: readonly string[],
  named: string | undefined,
): Promise<number> {
  // Another program for each: a second parse would restore the options of the first.
  const program = await programFor(terminal, args, named)
  try {
    await program.parseAsync(args, { from: 'user' })
    return terminal.exitCode
  } catch (error) {
    if (error instanceof CommanderError) throw error
    terminal.tell(`portico: ${toSentence(error, terminal.cell?.name)}\n`)
    return 1
  }
}

/** The program, whose named command works with a terminal. */
async function programFor(
  terminal: Terminal,
  args: readonly string[],
  named: string | undefined,
): Promise<Command> {
  const program = new Command('portico')
    .description('Multi-tenant authentication and user-directory service.')
    .version(version())
    .exitOverride()
    .configureOutput({
      writeOut: terminal.write,
      writeErr: terminal.tell,
      outputError: (text, write) => write(`portico: ${toUsageFault(text, commandPath(program, args))}\n`),
    })
    .option(...cellOption)
    .helpCommand('help [command]', 'show what a command does and takes')
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = program.command(name).description(summary)
    if (name !== named) continue
    ;(await load()).define(command)
    for (const each of [command, ...command.commands])
      if (databasesOf(name, [name, each.name()]) !== undefined) showCellOption(each)
  }
  giveTerminal(program, terminal)
  return program
}

/** cellOf() has read it by the time that a command is parsed. */
const cellOption = ['--cell <name>', 'the database to work on, of those that CELLS lists'] as const

/** Shows the option in the help of a command that works on a database. */
function showCellOption(command: Command): void {
  if (command.commands.length === 0) command.option(...cellOption)
}

/** The database that the arguments name, as `--cell two` or `--cell=two`, and the other arguments. */
function cellOf(args: readonly string[]): [name: string | undefined, others: readonly string[]] {
  const at = args.findIndex((arg) => arg === '--cell' || arg.startsWith('--cell='))
  const [, joined] = args[at]?.split('=', 2) ?? []
  const name = joined ?? args[at + 1]
  if (at < 0 || name === undefined) return [undefined, args]
  return [name, args.toSpliced(at, joined === undefined ? 2 : 1)]
}

/** Every action finds it among its options (OutputOptions). */
function giveTerminal(command: Command, terminal: Terminal): void {
  command.setOptionValue('terminal', terminal)
  for (const each of command.commands) giveTerminal(each, terminal)
}

function version(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'))
  const isPackage = typeof parsed === 'object' && parsed !== null && 'version' in parsed
  return isPackage ? String(parsed.version) : 'unknown'
}

/** The program's name and those of the commands that the arguments begin with. */
function commandPath(command: Command, [name, ...rest]: readonly string[]): string[] {
  const named = command.commands.find((each) => each.name() === name)
  return [command.name(), ...(named === undefined ? [] : commandPath(named, rest))]
}

/** Commander's "error: unknown option '--x'", with where to look. */
function toUsageFault(text: string, path: readonly string[]): string {
  const fault = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ')
  return `${fault}${/[.!?)]$/.test(fault) ? '' : '.'} See ${path.join(' ')} --help.`
}
