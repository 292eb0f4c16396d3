import { z } from 'zod/v4'

const address = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must be an address such as postgres://user:password@host:5432/database')

const Cell = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,29}$/, 'must be lower-case letters, digits and dashes, at most 30'),
  url: address,
  direct_url: address.optional(),
  read_url: address.optional(),
  pool_size: z.int().min(1).max(10_000).optional(),
})

/** One of several databases that each have the whole of some accounts, as the setting CELLS lists them. */
export type CellSetting = z.output<typeof Cell>

const Cells = z
  .array(Cell)
  .min(1)
  .superRefine((cells, { addIssue }) => {
    for (const member of ['name', 'url'] as const)
      for (const [index, cell] of cells.entries()) {
        const same = cells.slice(0, index).find((before) => before[member] === cell[member])
        if (same !== undefined)
          addIssue({ code: 'custom', message: `${same.name} and ${cell.name} have the same ${member}` })
      }
  })

/**
 * Reads the list of databases.
 *
 * @returns What is wrong instead, without quoting an address, which has a password.
 */
export function readCells(text: string): { cells: readonly CellSetting[] } | { fault: string } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { fault: 'must be a list in JSON' }
  }
  const { data, error } = Cells.safeParse(json)
  if (data !== undefined) return { cells: data }
  const faults = error.issues.map((issue) => {
    const fault =
      issue.code === 'unrecognized_keys'
        ? `takes no ${issue.keys.join(', ')}, but ${Object.keys(Cell.shape).join(', ')}`
        : issue.message
    return issue.path.length === 0 ? fault : `${issue.path.map(String).join('.')}: ${fault}`
  })
  return { fault: `must be a list of databases (${faults.join('; ')})` }
}
