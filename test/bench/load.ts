import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { hasWrk, startOn } from './machine.js'

/** What one run of load does. */
export interface Load {
  /**
   * `journey`, `authorize`: the requests of a sign-in, one after the other, count as one. `once`: each line is sent once.
   * `refresh`: each line begins a chain of refreshes. `saml`: each line is a response that is posted once, and gone on with.
   * `passkey`: each line asks for a passkey, whose key is its last column. `invitation`: each line opens an invitation, once.
   */
  readonly kind: 'requests' | 'once' | 'journey' | 'refresh' | 'authorize' | 'saml' | 'passkey' | 'invitation'
  readonly port: number
  /** See writeRequests(). */
  readonly requestsFile: string
  readonly connections: number
  readonly seconds: number
  /** Instead of a duration. */
  readonly requests?: number
  /** Makes this run's `{unique}` texts its own. */
  readonly seed: string
  /** The application whose codes a journey exchanges. */
  readonly application?: string
  /** Whether failures are counted and no reason to stop. */
  readonly mayFail?: boolean
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly failures: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/**
 * Sends load from a process of its own.
 *
 * @throws Error when a request failed: its figure would be that of failing fast.
 */
export async function runLoad(load: Load): Promise<LoadResult> {
  const isForWrk = hasWrk && load.kind === 'requests' && load.requests === undefined
  const result = await (isForWrk ? runWrk(load) : runNode(load))
  if ((result.failures > 0 && load.mayFail !== true) || result.requests === 0)
    throw new Error(`${result.failures} of ${result.requests} requests failed on port ${load.port}`)
  return result
}

async function runWrk(load: Load): Promise<LoadResult> {
  const child = startOn('load', wrkCommand(load), { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await once(child, 'close')
  const last = text.trim().split('\n').at(-1) ?? ''
  if (!last.startsWith('{')) throw new Error(`the load has ended without a result:\n${text}`)
  // load.lua ends with this line.
  return JSON.parse(last) as LoadResult
}

/** Processes of load-node.ts without a load. The next load takes one, because to start one takes longer than a short load. */
const waiting: ChildProcess[] = []

async function runNode(load: Load): Promise<LoadResult> {
  let child = waiting.pop()
  while (child?.connected === false) child = waiting.pop()
  child ??= startOn('load', nodeCommand, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  child.ref()
  child.channel?.ref()
  child.send(load)
  const answered = new AbortController()
  const { signal } = answered
  try {
    const [result] = (await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`the load has ended with code ${code} without a result`)
      }),
    ])) as [LoadResult]
    waiting.push(child)
    // The process ends with the bench, and does not keep the bench from ending.
    child.unref()
    child.channel?.unref()
    return result
  } finally {
    answered.abort()
  }
}

function wrkCommand({ port, requestsFile, connections, seconds, seed }: Load): string[] {
  const size = ['-t1', `-c${connections}`, `-d${Math.max(1, Math.round(seconds))}s`, '--timeout', '10s']
  return ['wrk', ...size, '-s', here('load.lua'), `http://127.0.0.1:${port}`, '--', requestsFile, seed]
}

const nodeCommand = [process.execPath, '--import', 'tsx', here('load-node.ts')]
