import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Service } from '../../given/harness.js'
import { until } from '../../resilience/until.js'

/** What is wrong with the service, for a product alone. */
type Fault = '' | 'away' | 'lost'

/** A program that is a product: what Node runs, and from where. */
export interface Program {
  readonly file: string
  readonly args?: readonly string[]
  readonly cwd?: string
  /** Of Node, beside the one that sets its time. */
  readonly execArgv?: readonly string[]
}

export type ProductProcess = Awaited<ReturnType<typeof startProduct>>

const preload = new URL('set-time.js', import.meta.url).href
const repository = fileURLToPath(new URL('../../..', import.meta.url))

/** Starts a product as a process of its own, whose time is that of the service under test. */
export async function startProduct(
  service: Service,
  program: Program,
  origin: string,
  variables: Readonly<Record<string, string>>,
) {
  const { file, args = [], cwd = repository, execArgv = [] } = program
  let fault: Fault = ''
  const offsetMs = () => service.clock.now().getTime() - Date.now()
  let child = await start(variables)

  async function start(changed: Readonly<Record<string, string>>) {
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, ...changed, SET_TIME_OFFSET_MS: String(offsetMs()) }
    const started = fork(file, args, {
      ...{ cwd, env, execArgv: [...execArgv, '--import', preload], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    })
    let said = ''
    for (const stream of [started.stdout, started.stderr])
      stream?.on('data', (text) => (said += String(text)))
    await until(async () => {
      if (started.exitCode !== null) throw new Error(`the product has ended: ${said}`)
      return fetch(origin).then(
        ({ ok }) => ok,
        () => false,
      )
    })
    return started
  }

  /** Tells the process its time and the fault; how many exchanges of tokens it has begun. */
  async function tell(): Promise<number> {
    const answered = once(child, 'message')
    child.send({ offsetMs: offsetMs(), fault })
    const [answer]: unknown[] = await answered
    return Number(Object(answer).exchanges)
  }

  async function stop(): Promise<void> {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  return {
    origin,
    exchanges: tell,
    /** Moves the time of service and product. */
    async advance(seconds: number): Promise<void> {
      await service.clock.advance(seconds)
      await tell()
    },
    /** `lost`: the next answer of the token endpoint. */
    async setFault(next: Fault): Promise<void> {
      fault = next
      await tell()
      if (next === 'lost') fault = ''
    },
    /** Kills the process, and starts another one with some variables changed. */
    async restart(changed: Readonly<Record<string, string>> = {}): Promise<void> {
      await stop()
      child = await start({ ...variables, ...changed })
    },
    stop,
  }
}
