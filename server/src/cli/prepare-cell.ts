import { InvalidArgumentError, type Command } from 'commander'
import { prepareCell, type ClusterNode } from '../operations/citus/prepare.js'
import { readConfig } from '../platform/config/config.js'
import { openDirectDatabase } from '../platform/db/direct-database.js'
import { print, withProgress, type OutputOptions } from './output.js'
import { toServer } from './values.js'

interface PrepareCommand extends OutputOptions {
  readonly worker: readonly ClusterNode[]
  readonly coordinator?: ClusterNode
}

/** portico cells prepare */
export function definePrepare(command: Command): void {
  command
    .description('make a database with its rows a schema of a Citus cluster, while the service is stopped')
    .argument('<schema>', 'a name for it, such as cell_1', toSchema)
    .option('--worker <host:port>', 'a server to add to the cluster; may be repeated', addWorker, [])
    .option(
      '--coordinator <host:port>',
      'this Postgres, as workers reach it; default: as in DATABASE_URL',
      toServer,
    )
    .option('--json', 'answer as JSON')
    .action(prepare)
}

function addWorker(text: string, workers: readonly ClusterNode[]): ClusterNode[] {
  return [...workers, toServer(text)]
}

/** One that needs no quotes anywhere, and that neither Postgres nor Citus has. */
function toSchema(text: string): string {
  if (!/^[a-z][a-z0-9_]{0,30}$/.test(text) || /^(?:pg_|citus|columnar|public$)/.test(text))
    throw new InvalidArgumentError('It is small letters, digits and _, such as cell_1, and not public.')
  return text
}

async function prepare(schema: string, options: PrepareCommand): Promise<void> {
  const config = readConfig(options.terminal.variables)
  if (config.database.directUrl === undefined)
    throw new Error('The embedded Postgres has no Citus: name a Postgres of your own in DATABASE_URL.')
  const { url, close } = await openDirectDatabase(config)
  const { hostname, port } = new URL(url)
  const steps: string[] = []
  try {
    const prepared = await withProgress(options, 'Tables', (onTables) =>
      prepareCell(url, {
        schema,
        coordinator: options.coordinator ?? { host: hostname, port: Number(port || 5432) },
        workers: options.worker,
        onTables,
        onStep: (sentence) => {
          steps.push(sentence)
          if (!options.json) options.terminal.tell(`${sentence}\n`)
        },
      }),
    )
    print(options, { schema, ...prepared, steps }, () => [
      `${schema} is a schema of the cluster: ${prepared.tables} tables on ${prepared.node}. Start the service again.`,
    ])
  } finally {
    await close()
  }
}
