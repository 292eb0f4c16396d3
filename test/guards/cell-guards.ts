import { guard } from './guard.js'

const accounts = (title: string) => ({
  file: 'test/cells/cells.test.ts',
  title: `accounts in two databases ${title}`,
})
const named = accounts('have names of their own, though each was asked to be called the same')
const found = accounts('are in a database that a command names, or finds')

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
]
