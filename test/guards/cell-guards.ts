import { guard } from './guard.js'

const accounts = (title: string) => ({
  file: 'test/cells/cells.test.ts',
  title: `accounts in two databases ${title}`,
})
const named = accounts('have names of their own, though each was asked to be called the same')
const found = accounts('are in a database that a command names, or finds')

const find = 'server/src/app/cells/find-cell.ts'
const run = 'server/src/cli/run.ts'
const finds = (title: string) => ({ file: 'test/cells/find-cell.test.ts', title })
const asksOnce = finds('a cell is asked once for a record, however its id is written')

/** Guards of names that are of one space, where accounts are in several databases. */
export const cellGuards = [
  guard({
    name: 'cells: a name of another database',
    file: 'server/src/app/cells/names.ts',
    find: ".where('slugs.cell', '=', cell)",
    replace: '',
    red: named,
    green: accounts('are not found by a key of nobody, nor by a forged token'),
  }),
  guard({
    name: 'cells: whose name the first database keeps',
    file: 'server/src/app/cells/holds-key.ts',
    find: 'where slug = ${value} and cell is null',
    replace: 'where slug = ${value}',
    red: found,
    green: named,
  }),
  guard({
    name: 'cells: the owner of a name that two databases have',
    file: find,
    find: "owner === 'none' ? await known : owner",
    replace: "(await known) === 'none' ? owner : await known",
    red: finds(
      'a name that two databases have is of the one for which the first keeps it, however fast they are',
    ),
    green: asksOnce,
  }),
  guard({
    name: 'cells: what is remembered is of the record',
    file: find,
    find: '${String(valueOf(key))}',
    replace: '${key.id}',
    red: asksOnce,
    green: found,
  }),
  guard({
    name: 'cells: a program for each database',
    file: run,
    find: 'const program = await programFor(terminal, args, named)',
    replace:
      'const program = shared.get(args) ?? (await programFor(terminal, args, named))\n  shared.set(args, program)',
    also: [
      {
        file: run,
        find: '/** The same on one database:',
        replace: 'const shared = new WeakMap<readonly string[], Command>()\n/** The same on one database:',
      },
    ],
    red: {
      file: 'test/cells/cells.test.ts',
      title: 'a command that works on each database says on which, and works on that',
    },
    green: found,
  }),
  guard({
    name: 'cells: a command about one account on several databases',
    file: run,
    find: "databases === 'each' && isOfOne ? 'one' : databases",
    replace: 'isOfOne ? databases : databases',
    red: found,
    green: named,
  }),
]
