import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const sdk = join(root, 'sdk')

/** What a file of the archive is, as npm says it. */
interface PackedFile {
  readonly path: string
  readonly size: number
}

/** A program's folder, with the package installed from its archive and from nowhere else. */
export interface Consumer {
  readonly folder: string
  /** The folder of the installed package. */
  readonly installed: string
  /** The archive. */
  readonly tarball: string
  readonly files: readonly PackedFile[]
  /** Gives the program a package that the repository has. */
  link(name: string): Promise<void>
  /** Writes a file of the program. */
  write(file: string, text: string): Promise<void>
  remove(): Promise<void>
}

/** Packs the SDK by npm, as its owner publishes it, and installs the archive into a project that has nothing else. */
export async function packedConsumer(): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-sdk-'))
  const { tarball, files } = await pack(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'program', private: true }))
  // Without network and scripts: what it needs must be in it.
  await npm(['install', '--offline', '--ignore-scripts', tarball], folder)
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

/** In a copy of its folder, since other tests read what is built in sdk/dist meanwhile. */
async function pack(folder: string): Promise<{ tarball: string; files: readonly PackedFile[] }> {
  const copy = join(folder, 'sdk')
  await mkdir(copy)
  const own = (await readdir(sdk)).filter((name) => !['dist', 'types', 'node_modules'].includes(name))
  for (const name of own) await cp(join(sdk, name), join(copy, name), { recursive: true })
  await run(join(root, 'node_modules/.bin/tsdown'), ['--out-dir', join(copy, 'dist')], { cwd: sdk })
  const { stdout } = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], copy)
  const [packed] = JSON.parse(stdout) as { filename: string; files: PackedFile[] }[]
  if (packed === undefined) throw new Error(`npm pack answers ${stdout}`)
  await rm(copy, { recursive: true })
  return { tarball: join(folder, packed.filename), files: packed.files }
}

export function npm(args: readonly string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--no-update-notifier']
  return run('npm', [...args, ...quiet], { cwd })
}

async function linkPackage(folder: string, name: string): Promise<void> {
  const target = join(folder, 'node_modules', name)
  await mkdir(join(target, '..'), { recursive: true })
  await symlink(join(root, 'node_modules', name), target)
}

/** How a program is compiled. */
export interface Compilation {
  /** The compiler; the repository's unless given. */
  readonly tsc?: string
  readonly options?: readonly string[]
}

const strictest = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']

/** What a compiler has to say of some files of a program that checks its libraries, too; empty text when nothing. */
export async function compile(
  { folder, write }: Consumer,
  files: Readonly<Record<string, string>>,
  { tsc = tscOf('typescript'), options = nodeNext }: Compilation = {},
): Promise<string> {
  await Promise.all(Object.entries(files).map(([file, text]) => write(file, text)))
  const fixed = ['--noEmit', ...strictest, '--skipLibCheck', 'false', '--target', 'es2022']
  const args = [tsc, ...fixed, ...options, ...Object.keys(files)]
  return run(process.execPath, args, { cwd: folder }).then(
    () => '',
    (failure: { stdout: string; stderr: string }) => failure.stdout + failure.stderr,
  )
}

/** Node without the declarations of a browser. */
export const nodeNext = ['--module', 'nodenext', '--lib', 'es2022', '--types', 'node']

/** A bundler with those of a browser alone. */
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
