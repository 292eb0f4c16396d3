import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { exportUser } from '../operations/purge/export-user.js'
import { grouped, print, withProgress } from './output.js'
import { personOptions, toPersonQuery, type PersonOptions } from './person-options.js'
import { rowLines } from './purge.js'
import { withDeps } from './with-deps.js'

/** portico export-user */
export function define(command: Command): void {
  personOptions(command)
    .option('--out <file>', 'a file that does not exist yet, readable by you alone; stdout when not given')
    .action(exportPerson)
}

async function exportPerson(options: PersonOptions & { out?: string }): Promise<void> {
  const { out } = options
  const query = toPersonQuery(options)
  const person = await withDeps(options, (deps) =>
    withProgress(options, 'Export', (onTables) => exportUser(deps, query, onTables)),
  )
  if (out === undefined) {
    print(options, person, () => [JSON.stringify(person, null, 2)])
    return
  }
  await writeFile(out, `${JSON.stringify(person, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
  const rows = Object.fromEntries(
    Object.entries(person.records).map(([table, records]) => [table, records.length]),
  )
  const total = Object.values(rows).reduce((sum, count) => sum + count, 1)
  print(options, { file: out, id: person.user.id, rows }, () => [
    `Wrote ${grouped(total)} records of the user ${person.user.id} to ${out}.`,
    ...rowLines(rows),
  ])
}
