import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { complaintsOf } from './typescript.js'

const run = promisify(execFile)

export const root = fileURLToPath(new URL('../../..', import.meta.url))
export const sdk = join(root, 'sdk')

/** A file of the archive, as listed by npm. */
interface PackedFile {
  readonly path: string
  readonly size: number
}

/** The folder of a program in which the package is installed from its archive. */
export interface Consumer {
  readonly folder: string
  /** The folder of the installed package. */
  readonly installed: string
  /** The archive. */
  readonly tarball: string
  readonly files: readonly PackedFile[]
  /** Links a package of the repository into the program. */
  link(name: string): Promise<void>
  /** Writes a file of the program. */
  write(file: string, text: string): Promise<void>
  remove(): Promise<void>
}

/** The SDK installed from its archive in an otherwise empty project. */
interface Packed {
  /** The project. */
  readonly program: string
  readonly tarball: string
  readonly files: readonly PackedFile[]
}

/** The package.json of the installed package. */
export async function manifestOf({ installed }: Consumer): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
}

/** Creates a project with only the published form of the SDK. */
export async function packedConsumer(): Promise<Consumer> {
  const { program, tarball, files } = await (packedOnce ??= packed())
  const folder = await mkdtemp(join(tmpdir(), 'portico-sdk-'))
  await cp(program, folder, { recursive: true })
  return {
    folder,
    installed: join(folder, 'node_modules/@portico/sdk'),
    tarball,
    files,
    link: (name) => linkPackage(folder, name),
    write: (file, text) => writeFile(join(folder, file), text),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

let packedOnce: Promise<Packed> | undefined

/** Packs and installs the SDK, once for all test files and runs until a source changes. */
async function packed(): Promise<Packed> {
  const kept = join(cache, `packed-${await digestOfSources()}`)
  if (!existsSync(kept)) await pack(kept)
  const listed = await readFile(join(kept, 'packed.json'), 'utf8')
  // The output of npm, written by pack() below.
  const { filename, files } = JSON.parse(listed) as { filename: string; files: PackedFile[] }
  return { program: join(kept, 'program'), tarball: join(kept, filename), files }
}

const cache = join(root, 'node_modules/.cache/portico')

/** A digest of the packed files and of everything that affects them. */
async function digestOfSources(): Promise<string> {
  const entries = await readdir(sdk, { recursive: true, withFileTypes: true })
  const own = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => isPacked(relative(sdk, file)))
  const others = ['contract/src/events/webhook-signature.ts', 'tsconfig.base.json', 'package-lock.json']
  const all = [...own, ...others.map((file) => join(root, file)), fileURLToPath(import.meta.url)]
  const digest = createHash('sha256').update(process.version)
  for (const file of all.toSorted()) {
    const text = await readFile(file)
    digest.update(`${relative(root, file)} ${text.length} `).update(text)
  }
  return digest.digest('hex').slice(0, 16)
}

/** Whether a file of the SDK's folder is a source of the package. */
function isPacked(path: string): boolean {
  const [first = ''] = path.split(sep)
  return !['dist', 'types', 'node_modules', 'released'].includes(first) && !/\.(test|given)\.ts$/.test(path)
}

/**
 * Packs the SDK with npm as for publication, and installs the archive into an otherwise empty project. Works in a copy
 * of its folder, because other tests read sdk/dist at the same time.
 */
async function pack(kept: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'packing-'))
  try {
    const copy = join(folder, 'sdk')
    await cp(sdk, copy, { recursive: true, filter: (path) => isPacked(relative(sdk, path)) })
    await run(join(root, 'node_modules/.bin/tsdown'), ['--out-dir', join(copy, 'dist')], { cwd: sdk })
    const { stdout } = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], copy)
    const [listed] = JSON.parse(stdout) as { filename: string; files: PackedFile[] }[]
    if (listed === undefined) throw new Error(`npm pack answers ${stdout}`)
    await rm(copy, { recursive: true })
    await writeFile(join(folder, 'packed.json'), JSON.stringify(listed))
    const program = join(folder, 'program')
    await mkdir(program)
    await writeFile(join(program, 'package.json'), JSON.stringify({ name: 'program', private: true }))
    // Without network and scripts, so that the archive must be self-contained.
    await npm(['install', '--offline', '--ignore-scripts', join(folder, listed.filename)], program)
    await removeKept()
    await rename(folder, kept)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    // Another test file has packed the same sources in the meantime.
    if (!existsSync(kept)) throw error
  }
}

/** Removes packed versions of other sources that are no longer in use. */
async function removeKept(): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name)
    if (!/^pack(ed|ing)-/.test(name) || Date.now() - (await stat(folder)).mtimeMs < keptMs) continue
    await rm(folder, { recursive: true, force: true })
  }
}

const keptMs = 3_600_000

export function npm(args: readonly string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--no-update-notifier']
  return run('npm', [...args, ...quiet], { cwd })
}

async function linkPackage(folder: string, name: string): Promise<void> {
  const target = join(folder, 'node_modules', name)
  await mkdir(join(target, '..'), { recursive: true })
  await symlink(join(root, 'node_modules', name), target)
}

/** Options of a compilation. */
export interface Compilation {
  /** Path of the compiler; default: the repository's, in this process. */
  readonly tsc?: string
  readonly options?: readonly string[]
}

const strictest = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']

/** The errors of a compilation that includes the libraries; empty text without any. */
export async function compile(
  { folder, write }: Consumer,
  files: Readonly<Record<string, string>>,
  { tsc, options = nodeNext }: Compilation = {},
): Promise<string> {
  await Promise.all(Object.entries(files).map(([file, text]) => write(file, text)))
  const args = commandOf(Object.keys(files), ['--skipLibCheck', 'false', ...options])
  // Skips only the compiler's own libraries, which other compilers check in the long tests.
  if (tsc === undefined) return complaintsOf(folder, ['--skipDefaultLibCheck', 'true', ...args])
  return run(process.execPath, [tsc, ...args], { cwd: folder }).then(
    () => '',
    (failure: { stdout: string; stderr: string }) => failure.stdout + failure.stderr,
  )
}

/** The command line of a strict program; libraries are checked only with an option. */
export function commandOf(files: readonly string[], options: readonly string[] = nodeNext): string[] {
  return ['--noEmit', ...strictest, '--skipLibCheck', 'true', '--target', 'es2022', ...options, ...files]
}

/** Node without the declarations of a browser. */
export const nodeNext = ['--module', 'nodenext', '--lib', 'es2022', '--types', 'node']

/** A bundler with only the declarations of a browser. */
export const bundler = [
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
  '--lib',
  'es2022,dom,dom.iterable',
  '--typeRoots',
  'none',
]

/** The compiler of an installed package. */
export function tscOf(name: string, from: string = import.meta.url): string {
  return createRequire(from).resolve(`${name}/bin/tsc`)
}
