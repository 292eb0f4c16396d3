import type { Command } from 'commander'
import { eraseUser } from '../operations/purge/erase-user.js'
import { findPerson } from '../operations/purge/find-person.js'
import { print } from './output.js'
import { personOptions, toPersonQuery, type PersonOptions } from './person-options.js'
import { rowLines } from './purge.js'
import { withDeps } from './with-deps.js'

/** portico erase-user */
export function define(command: Command): void {
  personOptions(command)
    .option('--yes', 'do it; without this the command only says who it would be')
    .action(erase)
}

async function erase(options: PersonOptions & { yes?: boolean }): Promise<void> {
  const query = toPersonQuery(options)
  const { id, rows } = await withDeps(options, async (deps, cause) => {
    if (options.yes !== true) {
      const found = await findPerson(deps, query)
      throw new Error(
        `This would erase the user ${found.id} of ${query.organization} (${query.environment}) for good: add --yes to do it.`,
      )
    }
    return eraseUser(deps, query, cause)
  })
  print(options, { id, rows }, () => [
    `Erased the user ${id} of ${query.organization} (${query.environment}).`,
    ...rowLines(rows),
    'Backups and logs that were written before still have what they had.',
  ])
}
