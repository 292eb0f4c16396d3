import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '../given/free-port.js'
import { atFileEnd } from '../file-end.js'

const main = fileURLToPath(new URL('../../server/portico.js', import.meta.url))

interface ProcessOptions {
  /** Called for each line of its log. */
  readonly onLog?: (line: string) => void
  /** The program of another version; default: that of this one. */
  readonly program?: string
}

/** `portico serve` or `portico worker` in a process of its own, at a constant address across restarts. */
export interface ServiceProcess {
  readonly baseUrl: string
  /** URL of /metrics since the last start. */
  readonly metricsUrl: string
  /** Resolves once it listens. */
  start(): Promise<void>
  /** Sends SIGKILL, which the process cannot handle. */
  kill(): Promise<void>
  /** Sends SIGTERM; resolves to the exit code. */
  terminate(): Promise<number | null>
  /** Sends another signal, such as SIGSTOP. */
  signal(name: NodeJS.Signals): void
  /** Exhausts its memory; resolves once Node has ended it. Requires `outOfMemoryVariables`. */
  exhaust(): Promise<void>
  /** The end of its log. */
  logged(): string
  /** Its log since the last call. */
  loggedSince(): string
}

/** Variables that limit the memory of a process and make it allocate all of it on SIGUSR2. */
export const outOfMemoryVariables = {
  NODE_OPTIONS: `--max-old-space-size=160 --import=data:text/javascript,${encodeURIComponent(
    `process.on('SIGUSR2', () => { for (const kept = []; ; ) kept.push(new Array(10_000).fill(0.5)) })`,
  )}`,
}

/** Prepares a process with these variables; it ends with the test file at the latest. */
export async function serviceProcess(
  variables: Record<string, string>,
  command: readonly string[] = ['serve'],
  { onLog = () => undefined, program = main }: ProcessOptions = {},
): Promise<ServiceProcess> {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  let complaint = ''
  let logged = ''
  let metricsUrl = ''

  async function start(): Promise<void> {
    const started = spawn(process.execPath, [program, ...command, '--json'], {
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        BASE_URL: baseUrl,
        METRICS_PORT: '0',
        LOG_LEVEL: 'warn',
        API_RATE_PER_MINUTE: '1000000',
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    started.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-50_000)
      logged = (logged + chunk.toString()).slice(-5_000_000)
    })
    createInterface(started.stderr).on('line', onLog)
    const lines = createInterface(started.stdout)
    const listens = once(lines, 'line').then(([line]) => String(line))
    const exits = once(started, 'exit').then(() => undefined)
    const told = await Promise.race([listens, exits])
    if (told === undefined) throw new Error(`the service does not start:\n${complaint}`)
    const { metrics } = JSON.parse(told) as { metrics: string }
    metricsUrl = metrics
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null
    const exit = once(child, 'exit')
    child.kill(signal)
    const [code] = (await exit) as [number | null]
    return code
  }

  atFileEnd(() => end('SIGKILL'))
  return {
    baseUrl,
    get metricsUrl() {
      return metricsUrl
    },
    start,
    signal: (name) => void child?.kill(name),
    terminate: () => end('SIGTERM'),
    async exhaust() {
      if (child === undefined) return
      const exit = once(child, 'exit')
      child.kill('SIGUSR2')
      const [, signal] = (await exit) as [number | null, string | null]
      if (signal !== 'SIGABRT' || !complaint.includes('heap out of memory'))
        throw new Error(`it ended with ${signal} and not for want of memory:\n${complaint}`)
    },
    logged: () => complaint,
    loggedSince() {
      const since = logged
      logged = ''
      return since
    },
    async kill() {
      await end('SIGKILL')
    },
  }
}
