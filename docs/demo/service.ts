import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('../../server/dist/cli/main.js', import.meta.url))
const startDeadlineMs = 30_000

export interface Credentials {
  readonly base_url: string
  readonly domain: string
  readonly sandbox: { readonly client_id: string; readonly client_secret: string }
  readonly production: { readonly client_id: string; readonly client_secret: string }
}

export interface RunningService {
  readonly baseUrl: string
  stop(): Promise<void>
}

interface ServiceOptions {
  /** Signals to the caller's process group do not reach the service, which a second one would end at once: stop() alone ends it. */
  readonly isApart?: boolean
}

/** Starts the service as its own process on a data directory and a port. */
export async function startService(
  dataDir: string,
  port: number,
  { isApart = false }: ServiceOptions = {},
): Promise<RunningService> {
  const baseUrl = `http://localhost:${port}`
  const child = spawn(process.execPath, [command, 'serve'], {
    env: environmentOf(dataDir, port),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: isApart,
  })
  // Of use only when it does not start; later it says that it stops, as it is told to.
  let said = ''
  child.stderr.on('data', (text) => (said += String(text)))
  const deadline = performance.now() + startDeadlineMs
  while (!(await isReady(baseUrl))) {
    if (child.exitCode !== null) throw new Error(`the service ended before it was ready: ${said}`)
    if (performance.now() > deadline) throw new Error(`the service was not ready in time: ${said}`)
    await sleep(50)
  }
  return { baseUrl, stop: () => stop(child) }
}

/** Runs a command of the service's own command line on a data directory. */
export async function runCommand(dataDir: string, port: number, ...words: string[]): Promise<void> {
  const child = spawn(process.execPath, [command, ...words], {
    env: environmentOf(dataDir, port),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code]: unknown[] = await once(child, 'exit')
  if (code !== 0) throw new Error(`portico ${words.join(' ')} failed`)
}

export async function readCredentials(dataDir: string): Promise<Credentials> {
  // Written by the service at its first start, in this form.
  return JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Credentials
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  // A TCP server that listens has an address with a port.
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}

function environmentOf(dataDir: string, port: number): NodeJS.ProcessEnv {
  const { PATH } = process.env
  return { PATH, DATA_DIR: dataDir, PORT: String(port), METRICS_PORT: '0', LOG_LEVEL: 'warn' }
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/readyz`)).ok
  } catch {
    return false
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
