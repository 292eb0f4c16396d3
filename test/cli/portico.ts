import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runCommand } from '@portico/server/command'
import { expect } from 'vitest'
import { cheapDeps } from '../cheap-deps.js'
import { atFileEnd } from '../file-end.js'
import { freePort } from '../given/free-port.js'

const repository = fileURLToPath(new URL('../../', import.meta.url))
export const program = join(repository, 'server/portico.js')

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** An empty directory until the end of the test file, whose name it has. */
export function givenFolder(): string {
  const file = basename(expect.getState().testPath ?? '', '.test.ts')
  const folder = mkdtempSync(join(tmpdir(), `portico-cli-${file}-`))
  atFileEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/**
 * Runs a command until it ends, with only these variables. In this process, which costs a twentieth; with
 * PORTICO_TEST_COMMANDS=process, in the full run, in a process of its own.
 */
export async function portico(args: readonly string[], variables: Record<string, string>): Promise<Outcome> {
  if (process.env.PORTICO_TEST_COMMANDS === 'process') return porticoProcess(args, variables)
  let stdout = ''
  let stderr = ''
  const code = await runCommand(args, {
    variables,
    isInteractive: false,
    isWatched: false,
    hasColors: false,
    write: (text) => void (stdout += text),
    tell: (text) => void (stderr += text),
    ask: () => Promise.reject(new Error('nobody is there to answer')),
    exitCode: 0,
    given: cheapDeps,
  })
  return { code, stdout, stderr }
}

/** Runs a command as a process of its own, in a directory of its own unless one is given. */
export function porticoProcess(
  args: readonly string[],
  variables: Record<string, string>,
  cwd = givenFolder(),
): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      { cwd, env: { PATH: process.env.PATH, ...variables } },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    )
  })
}

/** Runs a command that must succeed, and reads its JSON. */
export async function porticoJson<Answer>(
  args: readonly string[],
  variables: Record<string, string>,
): Promise<Answer> {
  const { code, stdout, stderr } = await portico([...args, '--json'], variables)
  if (code !== 0) throw new Error(`portico ${args.join(' ')}: ${stderr}`)
  // The test asserts the form of the output.
  return JSON.parse(stdout) as Answer
}

export interface RunningPortico {
  readonly baseUrl: string
  readonly metricsUrl: string
  /** The state of the first account's credentials file, with the embedded database. */
  readonly credentials: 'created' | 'kept' | 'missing' | undefined
  /** The link of the first owner of that account, while it has none. */
  readonly consoleLink: string | undefined
  readonly child: ChildProcess
  /** The output so far. */
  output(): string
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts the service and waits until it is ready. */
export async function startPortico(
  variables: Record<string, string>,
  args: readonly string[] = [],
): Promise<RunningPortico> {
  const port = String(await freePort())
  const child = spawn(process.execPath, [program, 'serve', '--json', ...args], {
    cwd: givenFolder(),
    env: { PATH: process.env.PATH, PORT: port, METRICS_PORT: '0', LOG_LEVEL: 'warn', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  while (!stdout.includes('\n')) {
    if (child.exitCode !== null) throw new Error(`portico serve ended: ${stderr}`)
    await sleep(10)
  }
  const { base_url, metrics, console_link, first_account } = JSON.parse(stdout) as {
    base_url: string
    metrics: string
    console_link?: string
    first_account?: { credentials: RunningPortico['credentials'] }
  }
  return {
    baseUrl: base_url,
    metricsUrl: metrics,
    credentials: first_account?.credentials,
    consoleLink: console_link,
    child,
    output: () => stdout + stderr,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}
