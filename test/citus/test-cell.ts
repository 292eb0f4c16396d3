import pg from 'pg'

/** The schema that a database of tests becomes. */
export const cellSchema = 'cell_1'

/** Makes the database on the workers, too, as a cluster needs it before `portico cells prepare`. */
export async function addToWorkers(url: string, workers: readonly string[]): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  for (const worker of workers) {
    await onServer(`postgres://postgres@${worker}/postgres`, `create database ${name}`)
    await onServer(`postgres://postgres@${worker}/${name}`, 'create extension citus')
  }
}

/** The command that makes the database a schema of the cluster. */
export function prepareCommand(workers: readonly string[]): readonly string[] {
  return ['cells', 'prepare', cellSchema, ...workers.flatMap((worker) => ['--worker', worker])]
}

/** Drops a database on all servers; on those of a cluster also if a connection to it was left. */
export async function dropEverywhere(
  adminUrl: string,
  workers: readonly string[],
  name: string,
): Promise<void> {
  const how = workers.length > 0 ? 'with (force)' : ''
  await onServer(adminUrl, `drop database ${name} ${how}`)
  for (const worker of workers)
    await onServer(`postgres://postgres@${worker}/postgres`, `drop database if exists ${name} ${how}`)
}

/** Does work that only one process at a time may do on the servers. */
export async function inTurn(adminUrl: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(1)')
    await work()
  } finally {
    await client.end()
  }
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
