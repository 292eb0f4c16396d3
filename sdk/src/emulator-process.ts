import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, rmSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { EmulatorState } from './generated-emulator.js'

/** The initial state of an emulator, and how to start it. */
export interface PorticoOptions {
  /** Path of a YAML file, or the seed as an object; the built-in seed by default. */
  readonly seed?: string | object | undefined
  /** The command that starts Portico, and its first arguments; by default PORTICO_COMMAND, node_modules/.bin, then PATH. */
  readonly command?: readonly [string, ...string[]] | undefined
  /** Settings of the service, such as `MAILS_PER_ADDRESS`. It inherits no others from this process. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  /** false: jobs run only on request and when the clock is advanced; true by default. */
  readonly runsJobs?: boolean | undefined
  /** Milliseconds until it must be ready; 60,000 by default, because the first start creates the database. */
  readonly timeoutMs?: number | undefined
}

/** The file name of the seed that the emulator reads, without characters that any shell interprets. */
const seedName = 'portico-seed.yaml'

/** The text of a seed; undefined for the built-in one. */
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

/** A private folder, removed when this process ends before the emulator is ready. */
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
      // Windows cannot remove it while it is the working directory of the emulator, which ends with this process.
    }
  }
}

/** The process of a running emulator. */
export interface StartedChild {
  readonly state: EmulatorState
  readonly logLines: readonly string[]
  stop(): Promise<void>
}

/** The environment variables that the emulator inherits; a program needs them to run. */
const passedOn =
  'PATH HOME USER USERPROFILE XDG_CACHE_HOME LOCALAPPDATA APPDATA TMPDIR TEMP TMP SystemRoot ComSpec PATHEXT'.split(
    ' ',
  )
const stopDeadlineMs = 15_000
const keptLogLines = 10_000

/**
 * Starts the service's emulator command in a folder of its own, and waits until it is ready.
 *
 * @throws Error when the command is missing, the seed is invalid, or the emulator is not ready in time.
 */
export async function startChild(options: PorticoOptions): Promise<StartedChild> {
  const seed = await readSeed(options.seed)
  const folder = await makeFolder()
  try {
    if (seed !== undefined) await writeFile(join(folder, seedName), seed)
    return await spawnEmulator(options, folder)
  } finally {
    // The emulator has read the seed and changed its folder; removed now, the folder cannot leak.
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
  // On Windows npm's commands are scripts, which only a shell runs; quotes keep its arguments literal.
  const shell = process.platform === 'win32'
  const quoted = (word: string) => (shell ? `"${word}"` : word)
  const child = spawn(quoted(program), args.map(quoted), {
    // So that the emulator does not read the .env of the program under test.
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
  // The child may have exited; its output becomes the error message.
  child.stdin.on('error', () => undefined)

  const said = await firstLine(child, {
    program,
    timeoutMs,
    complaint: () => withPathOf(seed, [...logLines, broken].join('\n').trim()),
  })
  // A test runner that never calls stop() can still exit, which ends the emulator.
  setReferenced(child, false)
  // The contract of the emulator's output: the first line is its state.
  const state = JSON.parse(said) as EmulatorState
  let stopped: Promise<void> | undefined
  return { state, logLines, stop: () => (stopped ??= stopChild(child)) }
}

/** Replaces the path of the copied seed in messages by the path of the caller's file. */
function withPathOf(seed: PorticoOptions['seed'], text: string): string {
  return typeof seed === 'string' ? text.replaceAll(`${seedName}:`, `${resolve(seed)}:`) : text
}

/** Makes paths absolute, because the emulator runs in another folder. A bare program name is looked up in PATH. */
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
  // Ends the emulator, which exits at the end of its input; Windows has no signals.
  child.stdin?.end()
  const patience = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs)
  await ended
  clearTimeout(patience)
}

/** Sets whether a child and its pipes keep this process running. */
function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
    // Pipes are sockets with both methods, which the types of streams lack.
    const { ref, unref } = handle as { ref?: () => void; unref?: () => void }
    ;(isReferenced ? ref : unref)?.call(handle)
  }
}
