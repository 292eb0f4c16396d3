import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, rmSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { EmulatorState } from './generated-emulator.js'

/** What an emulator begins with, and how it is started. */
export interface PorticoOptions {
  /** Path of a YAML file, or the seed itself; the default seed unless given. */
  readonly seed?: string | object | undefined
  /** The command that starts Portico, and its first arguments; else PORTICO_COMMAND, node_modules/.bin, and PATH. */
  readonly command?: readonly [string, ...string[]] | undefined
  /** Settings of the service, such as `MAILS_PER_ADDRESS`. Nothing else of this process' environment reaches it. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  /** false: jobs run when they are asked for, and when the clock is moved; true unless given. */
  readonly runsJobs?: boolean | undefined
  /** Milliseconds until it must be ready; 60,000 unless given, for the first start makes the database. */
  readonly timeoutMs?: number | undefined
}

/** What a seed is called where the emulator reads it: no shell of any system finds anything in this name. */
const seedName = 'portico-seed.yaml'

/** The text of a seed; undefined: the default one. */
async function readSeed(seed: PorticoOptions['seed']): Promise<string | undefined> {
  // JSON is YAML.
  if (typeof seed !== 'string') return seed && JSON.stringify(seed, null, 2)
  try {
    return await readFile(seed, 'utf8')
  } catch (error) {
    throw new Error(
      `The emulator did not start. The seed ${resolve(seed)} cannot be read: name a YAML file.`,
      {
        cause: error,
      },
    )
  }
}

const folders = new Set<string>()

/** A folder that nobody else can write. When this process ends before the emulator is ready, it goes, too. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-testing-'))
  if (folders.size === 0) process.on('exit', removeFolders)
  folders.add(folder)
  return folder
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  folders.delete(folder)
  if (folders.size === 0) process.off('exit', removeFolders)
}

function removeFolders(): void {
  for (const folder of folders) {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // Windows keeps it while the emulator, which ends with this process, is in it.
    }
  }
}

/** A running emulator, as its process. */
export interface StartedChild {
  readonly state: EmulatorState
  readonly logLines: readonly string[]
  stop(): Promise<void>
}

/** What a program needs of its surroundings to run at all; everything else of a test's environment stays there. */
const passedOn =
  'PATH HOME USER USERPROFILE XDG_CACHE_HOME LOCALAPPDATA APPDATA TMPDIR TEMP TMP SystemRoot ComSpec PATHEXT'.split(
    ' ',
  )
const stopDeadlineMs = 15_000
const keptLogLines = 10_000

/**
 * Starts the command of the service as an emulator, in a folder of its own, and waits until it is ready.
 *
 * @throws Error a sentence when the command is not there, the seed has a fault, or it is not ready in time.
 */
export async function startChild(options: PorticoOptions): Promise<StartedChild> {
  const seed = await readSeed(options.seed)
  const folder = await makeFolder()
  try {
    if (seed !== undefined) await writeFile(join(folder, seedName), seed)
    return await spawnEmulator(options, folder)
  } finally {
    // It has read the seed and left, so that nothing is there to be forgotten, however this process ends.
    await removeFolder(folder)
  }
}

async function spawnEmulator(options: PorticoOptions, folder: string): Promise<StartedChild> {
  const { command = findCommand(), seed, variables = {}, runsJobs = true, timeoutMs = 60_000 } = options
  const [program, ...first] = resolved(command)
  const args = [
    ...[...first, 'emulate', '--json', '--with-parent', '--port', '0'],
    ...(seed === undefined ? [] : ['--seed', seedName]),
    ...(runsJobs ? [] : ['--no-worker']),
  ]
  // npm's commands are scripts there, which only a shell runs; it takes what is quoted as it is.
  const shell = process.platform === 'win32'
  const quoted = (word: string) => (shell ? `"${word}"` : word)
  const child = spawn(quoted(program), args.map(quoted), {
    // Where no .env is read that is meant for the program under test, and nobody else has put anything.
    cwd: folder,
    env: { ...Object.fromEntries(passedOn.map((name) => [name, process.env[name]])), ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
    shell,
  })
  const logLines: string[] = []
  let broken = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const lines = (broken + text).split('\n')
    broken = lines.pop() ?? ''
    logLines.push(...lines)
    if (logLines.length > keptLogLines) logLines.splice(0, logLines.length - keptLogLines)
  })
  // A child that has ended takes no more; what it said is what is told.
  child.stdin.on('error', () => undefined)

  const said = await firstLine(child, {
    program,
    timeoutMs,
    complaint: () => withPathOf(seed, [...logLines, broken].join('\n').trim()),
  })
  // Forgotten, it does not keep a test runner from ending; and then it ends, too.
  setReferenced(child, false)
  // The first line is the state, by the contract of both.
  const state = JSON.parse(said) as EmulatorState
  let stopped: Promise<void> | undefined
  return { state, logLines, stop: () => (stopped ??= stopChild(child)) }
}

/** What the emulator says of its copy of a seed is meant for the file of the caller. */
function withPathOf(seed: PorticoOptions['seed'], text: string): string {
  return typeof seed === 'string' ? text.replaceAll(`${seedName}:`, `${resolve(seed)}:`) : text
}

/** The emulator runs elsewhere: what is a file here is named by its whole path. A bare program is looked up in PATH. */
function resolved([program, ...args]: readonly [string, ...string[]]): [string, ...string[]] {
  const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true
  return [
    /[/\\]/.test(program) ? resolve(program) : program,
    ...args.map((word) => (isFile(word) ? resolve(word) : word)),
  ]
}

function findCommand(): readonly [string, ...string[]] {
  const [program, ...args] = (process.env['PORTICO_COMMAND'] ?? '').split(' ').filter((word) => word !== '')
  if (program !== undefined) return [program, ...args]
  const installed = resolve('node_modules', '.bin', process.platform === 'win32' ? 'portico.cmd' : 'portico')
  return [existsSync(installed) ? installed : 'portico']
}

function firstLine(
  child: ChildProcess,
  { program, timeoutMs, complaint }: { program: string; timeoutMs: number; complaint: () => string },
): Promise<string> {
  return new Promise((resolveLine, reject) => {
    let said = ''
    const fail = (message: string, cause?: unknown) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new Error(message, { cause }))
    }
    const timer = setTimeout(
      () => fail(`The emulator was not ready within ${timeoutMs} ms. It says: ${complaint() || 'nothing'}`),
      timeoutMs,
    )
    child.once('error', (error) =>
      fail(
        `The emulator cannot be started by ${program}: install Portico's server, or name its command by the option ` +
          '"command" or the variable PORTICO_COMMAND, such as "node server/dist/cli/main.js".',
        error,
      ),
    )
    child.once('close', () => fail(`The emulator did not start. It says: ${complaint() || 'nothing'}`))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (said.includes('\n')) return
      said += text
      if (!said.includes('\n')) return
      clearTimeout(timer)
      child.removeAllListeners('close')
      resolveLine(said.slice(0, said.indexOf('\n')))
    })
  })
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  setReferenced(child, true)
  const ended = new Promise<void>((resolveEnd) => child.once('exit', () => resolveEnd()))
  // The end of its input is the end of its parent, and a signal would be none on Windows.
  child.stdin?.end()
  const patience = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs)
  await ended
  clearTimeout(patience)
}

/** Whether a child, and the pipes to it, keep this process running. */
function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
    // Pipes are sockets, which have both; the types of streams do not say so.
    const { ref, unref } = handle as { ref?: () => void; unref?: () => void }
    ;(isReferenced ? ref : unref)?.call(handle)
  }
}
