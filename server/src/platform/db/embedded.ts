import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, readdir, readlink, realpath, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgres, isAlive, spawnProgram } from './embedded-binaries.js'
import { type ClusterPlaces, connectionString, ensureCluster, placesIn } from './embedded-cluster.js'
import { ensureDataDir } from '../data-dir.js'
import { isErrorWithCode, readUnlessMissing } from '../system-error.js'

/** A Postgres that came with the service, for evaluation, development and tests. */
export interface EmbeddedPostgres {
  /** Connects as the plain role "portico" (no superuser, bound by row security), owner of the database "portico". */
  readonly url: string
  /** Whether another process started it and decides when it stops. */
  readonly attached: boolean
  /** Resolves with a sentence for the operator when Postgres has ended without stop(). It is not started again here. */
  readonly ended: Promise<string>
  /** Ends all connections and waits until Postgres is gone; does nothing when attached. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** Holds the cluster ("postgres"), its passwords and its log. Made when missing. */
  readonly dataDir: string
  /** Speed instead of durability; `stop()` removes the data directory. */
  readonly throwaway?: boolean
  readonly maxConnections?: number
  /** To keep the address over a restart; any free one unless given. */
  readonly port?: number
  /** Called when a program of Postgres has been started; never when one runs there already. */
  readonly onSpawn?: () => void
}

/** A cluster that was killed under load replays its log first. */
const startDeadlineMs = 60_000
const pollMs = 5
/** How often a process that has attached looks whether Postgres is still there. */
const watchMs = 1_000
/** A fast shutdown writes what is in memory; after this it is cut short, and the next start replays the log. */
const stopDeadlineMs = 20_000

/**
 * Starts Postgres on a data directory, or attaches to the one that runs there already. Listens on 127.0.0.1 only. On
 * Linux it stops with the process that started it, however that process ends; elsewhere it outlives a killed process,
 * and the next start attaches to it. Call it from the main thread: Linux counts the end of the thread that called.
 *
 * @throws Error a sentence that says what is in the way and what to do.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const places = placesIn(path.resolve(options.dataDir))
  await ensureDataDir(places.dataDir, 'DATABASE_URL')
  if (options.throwaway) await claimForThrowaway(places.dataDir)

  const deadline = performance.now() + startDeadlineMs
  let server: Server | undefined
  try {
    while (performance.now() < deadline) {
      const postmaster = await findPostmaster(places.cluster)
      const url = postmaster?.ready ? await connectionString(places, postmaster.port) : undefined
      if (url && server && postmaster?.pid === server.child.pid)
        return startedHere(url, server, places, options)
      if (url && postmaster) return attachedTo(url, postmaster, places)

      if (server && hasExited(server.child)) {
        await throwUnlessWorthAnotherTry(server, places)
        server = undefined
      }
      if (!server && !postmaster) server = await startServer(places, options)
      await sleep(pollMs)
    }
    throw new Error(
      `Postgres in ${places.cluster} did not accept connections within ${startDeadlineMs / 1000} seconds: ` +
        `read ${places.log} for the reason, or remove ${postmasterFile(places.cluster)} if the process it names ` +
        'is not Postgres.',
    )
  } catch (error) {
    await server?.stop()
    throw error
  }
}

/** Whether a data directory holds a cluster. */
export async function hasEmbedded(dataDir: string): Promise<boolean> {
  return (
    (await readUnlessMissing(path.join(placesIn(path.resolve(dataDir)).cluster, 'PG_VERSION'))) !== undefined
  )
}

function startedHere(
  url: string,
  { child, stop }: Server,
  places: ClusterPlaces,
  { throwaway }: EmbeddedOptions,
): EmbeddedPostgres {
  let isStopping = false
  const ended = new Promise<string>((resolve) => {
    const tell = () => {
      if (!isStopping) resolve(whyEnded(places, child.signalCode ?? `status ${child.exitCode}`))
    }
    if (hasExited(child)) tell()
    else child.once('exit', tell)
  })
  return {
    url,
    attached: false,
    ended,
    async stop() {
      isStopping = true
      await stop()
      // Windows holds files for a moment after their process has ended.
      if (throwaway) await rm(places.dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function attachedTo(url: string, { pid }: Postmaster, places: ClusterPlaces): EmbeddedPostgres {
  let watch: NodeJS.Timeout | undefined
  const ended = new Promise<string>((resolve) => {
    const look = async () => {
      // A failure to look says nothing about Postgres.
      const postmaster = await findPostmaster(places.cluster).catch(() => ({ pid }))
      if (postmaster?.pid === pid) return
      clearInterval(watch)
      resolve(whyEnded(places, 'with the process that has started it'))
    }
    watch = setInterval(() => void look(), watchMs).unref()
  })
  return { url, attached: true, ended, stop: () => Promise.resolve(clearInterval(watch)) }
}

function whyEnded({ cluster, log }: ClusterPlaces, how: string): string {
  return `The embedded Postgres in ${cluster} has ended (${how}): start this process again, and read ${log} for the reason.`
}

/** Stopping removes the directory, so it must have been empty: no data of the service, and no other files. */
async function claimForThrowaway(dataDir: string): Promise<void> {
  const mark = 'throwaway'
  const names = await readdir(dataDir)
  if (names.includes(mark)) return
  if (names.length > 0) {
    throw new Error(
      `${dataDir} holds files, and a throwaway Postgres removes its directory: give it an empty one.`,
    )
  }
  const file = await open(path.join(dataDir, mark), 'a')
  await file.close()
}

interface Postmaster {
  readonly pid: number
  readonly port: number
  readonly ready: boolean
}

/** The Postgres that runs on the cluster, or undefined when there is none. */
async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const file = postmasterFile(cluster)
  const text = await readUnlessMissing(file)
  if (text === undefined) return undefined
  // The status is the last line (Postgres, pidfile.h); while Postgres writes the file, lines are missing.
  const [pidLine, , , port, , , , status] = text.split('\n')
  const pid = Number(pidLine)
  // 0 stands for our own process group.
  if (!(pid > 0) || !isAlive(pid)) return undefined
  if (await worksIn(cluster, pid)) return { pid, port: Number(port), ready: status?.trim() === 'ready' }

  // After a restart of the machine or the container the pid may belong to another program, and Postgres would refuse to
  // start. A file that has changed since belongs to a new start.
  if ((await readUnlessMissing(file)) === text) await rm(file, { force: true })
  return undefined
}

/** The file that keeps a second Postgres off the cluster. */
function postmasterFile(cluster: string): string {
  return path.join(cluster, 'postmaster.pid')
}

/** Whether the process has its working directory there, as Postgres does; assumed where the system does not report it. */
async function worksIn(folder: string, pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return true
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(folder))
  } catch (error) {
    // Gone, or a zombie.
    if (isErrorWithCode(error, 'ENOENT', 'ESRCH')) return false
    if (isErrorWithCode(error, 'EACCES', 'EPERM')) return true
    throw error
  }
}

/** The Postgres started by this process. */
interface Server {
  readonly child: ChildProcess
  /** Where its messages begin in the log, in bytes. */
  readonly logStart: number
  stop(): Promise<void>
}

async function startServer(places: ClusterPlaces, options: EmbeddedOptions): Promise<Server> {
  const { throwaway = false, maxConnections = 100, port = await freePort(), onSpawn } = options
  const programs = await findPostgres(places.dataDir, places.cluster)
  await ensureCluster(places, programs, { sync: !throwaway, onSpawn })

  const settings = [
    'unix_socket_directories=',
    `max_connections=${maxConnections}`,
    'shared_buffers=64MB',
    // Containers often have a /dev/shm of 64 MB.
    'dynamic_shared_memory_type=mmap',
    // Failed statements are the service's to report, and their details hold personal data.
    ...['log_min_messages=log', 'log_checkpoints=off', 'log_error_verbosity=terse', 'lc_messages=C'],
    ...(throwaway ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
  ]
  const args = ['-D', places.cluster, '-h', '127.0.0.1', '-p', String(port)]
  const log = await open(places.log, 'a', 0o600)
  try {
    const logStart = (await log.stat()).size
    const child = spawnProgram(programs, 'postgres', [...args, ...settings.flatMap((each) => ['-c', each])], {
      // A file and not a pipe: Postgres must not wait for us to read what it writes.
      stdio: ['ignore', 'ignore', log.fd],
      // Ctrl-C goes to the whole group of processes, and the service still needs Postgres to finish its requests.
      detached: true,
    })
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    await once(child, 'spawn')
    onSpawn?.()
    child.unref()
    return { child, logStart, stop: () => stopServer(child, exited) }
  } finally {
    await log.close()
  }
}

async function stopServer(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (hasExited(child)) return
  // While the child is unreferenced, Node might exit before it learns of the child's end.
  child.ref()
  // Postgres: SIGINT is a fast shutdown, SIGQUIT an immediate one.
  child.kill('SIGINT')
  const patience = setTimeout(() => child.kill('SIGQUIT'), stopDeadlineMs)
  await exited
  clearTimeout(patience)
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function throwUnlessWorthAnotherTry({ logStart }: Server, places: ClusterPlaces): Promise<void> {
  const messages = (await readFile(places.log)).subarray(logStart).toString('utf8').trim()
  // Another process was faster, a killed Postgres is still ending, or the port has just been taken.
  if (/lock file "|pre-existing shared memory block|could not bind/.test(messages)) return
  throw new Error(`Postgres did not start in ${places.cluster}; it says:\n${messages}`)
}

/** A port that is free now; nothing keeps it so. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // An address of a TCP server is never a string; that is for pipes.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
