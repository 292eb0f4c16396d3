import type { CellSetting } from '../platform/config/cells.js'
import { readConfig } from '../platform/config/config.js'
import type { Terminal } from './terminal.js'

/** On which of several databases a command works. */
export type Databases = 'each' | 'one'

/** The settings of one database, which those of CELLS take the place of. */
const settings = {
  DATABASE_URL: 'url',
  DATABASE_DIRECT_URL: 'direct_url',
  DATABASE_READ_URL: 'read_url',
  DATABASE_POOL_SIZE: 'pool_size',
} as const satisfies Record<string, keyof CellSetting>

/** A text that names settings of a database, with the members of the list where it has them. */
export function nameInCells(text: string, cell: string): string {
  return Object.entries(settings).reduce(
    (named, [setting, member]) => named.replaceAll(setting, `the ${member} of ${cell} in CELLS`),
    text,
  )
}

/**
 * The terminals of a command, one for each database that it works on. Each has the settings of its database alone, so that commands
 * know of no other.
 *
 * @param name The database that the caller has chosen; undefined: none.
 * @throws Error a sentence where one has to be chosen, or there is none of that name.
 */
export function terminalsOf(
  terminal: Terminal,
  databases: Databases | undefined,
  name: string | undefined,
): readonly Terminal[] {
  const { variables } = terminal
  const hasCells = Boolean(variables['CELLS'] || variables['CELLS_FILE'])
  if (name !== undefined && (!hasCells || databases === undefined))
    throw new Error(
      hasCells ? 'This command works on no database: leave --cell out.' : '--cell needs CELLS or CELLS_FILE.',
    )
  if (!hasCells || databases === undefined) return [terminal]
  const cells = readConfig(variables).cells ?? []
  const chosen = cells.filter((cell) => name === undefined || cell.name === name)
  const names = cells.map((cell) => cell.name).join(', ')
  if (chosen.length === 0) throw new Error(`There is no database ${name}: CELLS has ${names}.`)
  if (databases === 'one' && chosen.length > 1)
    throw new Error(
      `Say on which database, with --cell: ${names}. portico cells find <domain> tells that of an account.`,
    )
  return chosen.map((cell) => ({
    ...terminal,
    variables: { ...variables, ...variablesOf(cell.setting) },
    cell: {
      name: cell.name,
      first: cell === cells[0] ? undefined : cells[0]?.database,
      isOneOfSeveral: chosen.length > 1,
    },
  }))
}

function variablesOf(cell: CellSetting): Record<string, string | undefined> {
  const own = Object.entries(settings).map(([name, member]) => [name, cell[member]?.toString()] as const)
  return { ...Object.fromEntries(own), CELLS: undefined, CELLS_FILE: undefined }
}
