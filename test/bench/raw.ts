import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startOn } from './machine.js'
import type { Measured } from './measure.js'

/** The result of a program of this folder that measures only a library, printed as its last line. */
export interface RawResult {
  readonly requests: number
  readonly rate: number
  readonly cpuMs: number
}

/** Repeats the work with this concurrency until the time is over. */
export async function repeat(seconds: number, atOnce: number, once: () => Promise<void>): Promise<RawResult> {
  const start = performance.now()
  const cpuBefore = process.cpuUsage()
  let requests = 0
  async function oneByOne(): Promise<void> {
    while (performance.now() - start < seconds * 1000) {
      await once()
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, oneByOne))
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    requests,
    rate: (requests * 1000) / (performance.now() - start),
    cpuMs: (user + system) / 1000 / requests,
  }
}

/** Runs such a program on the core of the server. */
export async function measureRaw(program: string, args: readonly string[]): Promise<Measured> {
  const file = fileURLToPath(new URL(program, import.meta.url))
  const command = [process.execPath, '--import', 'tsx', file, ...args]
  const child = startOn('server', command, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await once(child, 'close')
  // The last line that the program prints.
  const { requests, rate, cpuMs } = JSON.parse(text.trim().split('\n').at(-1) ?? '') as RawResult
  return { requests, rate, cpuMs, serverCpuMs: cpuMs, p50Ms: NaN, p99Ms: NaN, failures: 0 }
}
