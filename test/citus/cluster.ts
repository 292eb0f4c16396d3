import { join } from 'node:path'
import { freePort } from '../given/free-port.js'
import { makePostgresFolder, postgresPrograms } from '../resilience/postgres-programs.js'

/** A Citus cluster of this machine: a coordinator and two workers. */
export interface Cluster {
  /** The address of the coordinator's database postgres. */
  readonly url: string
  /** Each as host:port. */
  readonly workers: readonly string[]
  /** The processes of the coordinator and the workers. */
  readonly pids: readonly number[]
  close(): Promise<void>
}

const settings = [
  'shared_preload_libraries=citus',
  'wal_level=logical',
  'max_connections=400',
  // A daemon for each database, and those that copy a shard.
  'max_worker_processes=200',
  'max_replication_slots=20',
  'max_wal_senders=20',
  'max_locks_per_transaction=512',
  'citus.max_cached_conns_per_worker=2',
  'citus.node_connection_timeout=30s',
  'citus.node_conninfo=sslmode=prefer',
]

/** @param bin The folder of its programs. */
export async function startCluster(bin: string): Promise<Cluster> {
  const folder = await makePostgresFolder()
  const programs = postgresPrograms(bin)
  const servers: { readonly pid: number; stop(): Promise<void> }[] = []
  const ports: number[] = []
  try {
    for (const name of ['coordinator', 'worker-1', 'worker-2']) {
      const data = join(folder.path, name)
      const port = await freePort()
      programs.initialize(data)
      servers.push(await programs.start(data, port, [...settings, `unix_socket_directories=${folder.path}`]))
      ports.push(port)
    }
  } catch (error) {
    await close()
    throw error
  }
  async function close(): Promise<void> {
    await Promise.all(servers.map((server) => server.stop()))
    await folder.remove()
  }
  const [coordinator = 0, ...workers] = ports
  return {
    url: `postgres://postgres@127.0.0.1:${coordinator}/postgres`,
    workers: workers.map((port) => `127.0.0.1:${port}`),
    pids: servers.map(({ pid }) => pid),
    close,
  }
}
