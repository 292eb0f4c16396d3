import { once } from 'node:events'
import { link, mkdir, open, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { Client, DatabaseError } from 'pg'
import {
  type PostgresPrograms,
  handOver,
  isAlive,
  renameUnlessTaken,
  spawnProgram,
} from './embedded-binaries.js'
import { isErrorWithCode, readUnlessMissing } from '../system-error.js'

/** The places of an embedded Postgres on disk. */
export interface ClusterPlaces {
  readonly dataDir: string
  /** The data directory in the sense of Postgres. */
  readonly cluster: string
  /** Two lines: the superuser's password, and the service's. */
  readonly passwords: string
  readonly log: string
}

interface Passwords {
  readonly superuser: string
  readonly service: string
}

interface MakeOptions {
  readonly sync: boolean
  /** Called when initdb has been started. */
  readonly onSpawn: (() => void) | undefined
}

const superuser = 'postgres'
const serviceRole = 'portico'
const serviceDatabase = 'portico'

export function placesIn(dataDir: string): ClusterPlaces {
  return {
    dataDir,
    cluster: path.join(dataDir, 'postgres'),
    passwords: path.join(dataDir, 'postgres.passwords'),
    log: path.join(dataDir, 'postgres.log'),
  }
}

/**
 * Makes sure that there is a cluster which these programs can open. Several processes may do so at once: each makes
 * its own beside the final place, the first to finish moves it there, and the others take that one.
 *
 * @throws Error when the place holds another major version of Postgres, something else, or data without its passwords.
 */
export async function ensureCluster(
  places: ClusterPlaces,
  programs: PostgresPrograms,
  options: MakeOptions,
): Promise<void> {
  await removeAbandonedClusters(places)
  if ((await versionOf(places.cluster)) === undefined) await makeCluster(places, programs, options)

  const version = await versionOf(places.cluster)
  if (version !== String(programs.majorVersion)) {
    throw new Error(
      `${places.cluster} was written by Postgres ${version}, and the Postgres found here (${programs.folder}) is ` +
        `version ${programs.majorVersion}, which cannot open it: run the release of Portico that wrote it, or set ` +
        `DATABASE_URL to a Postgres that holds your data, or move ${places.dataDir} away to begin with an empty one.`,
    )
  }
  await readPasswords(places)
  handOver(programs, places.cluster)
}

/**
 * Makes sure that the service's role and database exist.
 *
 * @returns The address the service connects with, or undefined while Postgres is not ready to say.
 */
export async function connectionString(places: ClusterPlaces, port: number): Promise<string | undefined> {
  const passwords = await readPasswords(places)
  const url = `postgres://${serviceRole}:${passwords.service}@127.0.0.1:${port}/${serviceDatabase}`
  try {
    if (!(await mayConnect(url))) await makeRoleAndDatabase(places, passwords, port)
    return url
  } catch (error) {
    if (isTransient(error)) return undefined
    throw error
  }
}

/** The major version of Postgres that wrote the cluster, or undefined when there is none. */
async function versionOf(cluster: string): Promise<string | undefined> {
  const version = await readUnlessMissing(path.join(cluster, 'PG_VERSION'))
  if (version !== undefined) return version.trim()
  if ((await namesIn(cluster)).length === 0) return undefined
  throw new Error(
    `${cluster} is not empty and holds no Postgres database: move what is in it away, or choose another data ` +
      'directory.',
  )
}

async function makeCluster(
  places: ClusterPlaces,
  programs: PostgresPrograms,
  options: MakeOptions,
): Promise<void> {
  await ensurePasswords(places)
  const workshop = `${places.cluster}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await mkdir(workshop, { mode: 0o700 })
    const cluster = path.join(workshop, 'cluster')
    const passwordFile = path.join(workshop, 'password')
    await writeFile(passwordFile, (await readPasswords(places)).superuser, { mode: 0o600 })
    handOver(programs, workshop)
    await initdb(
      programs,
      [
        ...['--pgdata', cluster, '--username', superuser, '--pwfile', passwordFile, '--auth=scram-sha-256'],
        ...['--encoding=UTF8', ...localeOptions(programs), ...(options.sync ? [] : ['--no-sync'])],
      ],
      options,
    )
    await renameUnlessTaken(cluster, places.cluster)
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

async function initdb(programs: PostgresPrograms, args: string[], { onSpawn }: MakeOptions): Promise<void> {
  const child = spawnProgram(programs, 'initdb', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  onSpawn?.()
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  await once(child, 'close')
  if (child.exitCode === 0) return
  const end =
    child.exitCode === null ? `was ended by ${child.signalCode}` : `failed with status ${child.exitCode}`
  throw new Error(`initdb ${end} and made no Postgres database:\n${complaint.trim()}`)
}

/** Text compares by code point and folds case by Unicode, whatever the machine's language. */
function localeOptions({ majorVersion }: PostgresPrograms): string[] {
  // Only Linux has a C.UTF-8 of its own everywhere; Postgres brings one since version 17.
  if (process.platform === 'linux' || majorVersion < 17) return ['--locale=C.UTF-8']
  return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
}

/** Removes the leftovers of processes that were killed while they made a cluster. */
async function removeAbandonedClusters({ dataDir, cluster }: ClusterPlaces): Promise<void> {
  const prefix = `${path.basename(cluster)}.new-`
  for (const name of await namesIn(dataDir)) {
    const pid = Number.parseInt(name.slice(prefix.length), 10)
    if (!name.startsWith(prefix) || pid === process.pid || isAlive(pid)) continue
    await rm(path.join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isErrorWithCode(error, 'ENOENT')) return []
    throw error
  }
}

async function ensurePasswords({ passwords }: ClusterPlaces): Promise<void> {
  const draft = `${passwords}.new-${randomBytes(4).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${newPassword()}\n${newPassword()}\n`)
    await file.sync()
    // A link appears complete or not at all, and never replaces the passwords of a faster process.
    await link(draft, passwords)
  } catch (error) {
    if (!isErrorWithCode(error, 'EEXIST')) throw error
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
}

/** 192 random bits, in letters that need no escaping in an address or in SQL. */
function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

async function readPasswords({ passwords, cluster }: ClusterPlaces): Promise<Passwords> {
  const lost = `${cluster} cannot be opened without it: restore it from a backup, or move both away to begin empty.`
  let text: string
  try {
    text = await readFile(passwords, 'utf8')
  } catch (error) {
    throw new Error(`The password file ${passwords} cannot be read, and ${lost}`, { cause: error })
  }
  const [first, second] = text.split('\n')
  if (!first || !second) throw new Error(`The password file ${passwords} is damaged, and ${lost}`)
  return { superuser: first, service: second }
}

/** Whether the service's role and database are there. */
async function mayConnect(url: string): Promise<boolean> {
  try {
    await withClient(url, async () => {})
    return true
  } catch (error) {
    // No such role or another password, no login, no such database.
    if (error instanceof DatabaseError && ['28P01', '28000', '3D000'].includes(error.code ?? '')) return false
    throw error
  }
}

async function makeRoleAndDatabase(places: ClusterPlaces, passwords: Passwords, port: number): Promise<void> {
  const url = `postgres://${superuser}:${passwords.superuser}@127.0.0.1:${port}/postgres`
  // Row security does not bind a superuser, so the service gets a plain role. Tests clone databases, hence CREATEDB.
  const role = `${serviceRole} WITH LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE CREATEDB PASSWORD '${passwords.service}'`
  try {
    await withClient(url, async (client) => {
      // Several processes may get here at once; the lock ends with the connection.
      await client.query('SELECT pg_advisory_lock(1)')
      const roles = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [serviceRole])
      await client.query(`${roles.rowCount ? 'ALTER' : 'CREATE'} ROLE ${role}`)
      const databases = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [serviceDatabase])
      if (!databases.rowCount) await client.query(`CREATE DATABASE ${serviceDatabase} OWNER ${serviceRole}`)
    })
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== '28P01') throw error
    throw new Error(
      `The passwords in ${places.passwords} are not those of ${places.cluster}: restore the file from a backup, ` +
        'or move both away to begin empty.',
      { cause: error },
    )
  }
}

async function withClient(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  // ssl is explicit, so that PGSSLMODE in the environment has no effect.
  const client = new Client({ connectionString: url, ssl: false, connectionTimeoutMillis: 5_000 })
  // A connection that breaks rejects the query under way; without a listener it would also end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Whether Postgres is starting, stopping or full, so that the same attempt may succeed later. */
function isTransient(error: unknown): boolean {
  // Class 57P is "operator intervention", class 53 "insufficient resources" (Postgres manual, appendix A).
  if (error instanceof DatabaseError) return /^(57P|53)/.test(error.code ?? '')
  if (isErrorWithCode(error, 'ECONNREFUSED', 'ECONNRESET', 'EPIPE')) return true
  // The pg library's own errors, which have no code.
  return error instanceof Error && /^(Connection terminated|timeout expired)/.test(error.message)
}
