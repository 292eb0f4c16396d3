import { setTimeout as pause } from 'node:timers/promises'
import { statusOf } from './fault-witness.js'
import { atFileEnd } from '../file-end.js'

/** In ms; the guide for operators says every second. */
const everyMs = 1_000
/** In ms. Longer than an answer of a process takes that has little of a loaded machine. */
const answerMs = 10_000

/** Sends requests to the processes that said they are ready, in turn, as a proxy that ends TLS does. */
export interface Balancer {
  readonly fetch: typeof globalThis.fetch
  /** From now on it asks this process. */
  add(baseUrl: string): void
  /** It asks this process no longer. */
  remove(baseUrl: string): void
  /** Whether it gives this process requests now. */
  isUsed(baseUrl: string): boolean
  /** How many requests each process has got since the last call. */
  shares(): Readonly<Record<string, number>>
}

/** Starts to ask /readyz, until the end of the file. */
export function startBalancer(): Balancer {
  const isReady = new Map<string, boolean>()
  let counts: Record<string, number> = {}
  let turn = 0
  let isOver = false

  async function watch(baseUrl: string): Promise<void> {
    while (!isOver && isReady.has(baseUrl)) {
      const asked = performance.now()
      const status = await statusOf(`${baseUrl}/readyz`, answerMs)
      if (isReady.has(baseUrl)) isReady.set(baseUrl, status === 200)
      await pause(Math.max(0, everyMs - (performance.now() - asked)))
    }
  }

  function nextProcess(): string {
    const ready = [...isReady].flatMap(([baseUrl, is]) => (is ? [baseUrl] : []))
    const chosen = ready[turn++ % Math.max(1, ready.length)]
    if (chosen === undefined) throw new Error('no process is ready')
    counts[chosen] = (counts[chosen] ?? 0) + 1
    return chosen
  }

  atFileEnd(() => (isOver = true))
  return {
    async fetch(input, init) {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input)
      const headers = new Headers(init?.headers)
      headers.set('x-forwarded-proto', 'https')
      return fetch(nextProcess() + pathname + search, { ...init, headers })
    },
    add(baseUrl) {
      isReady.set(baseUrl, false)
      void watch(baseUrl)
    },
    remove: (baseUrl) => void isReady.delete(baseUrl),
    isUsed: (baseUrl) => isReady.get(baseUrl) === true,
    shares() {
      const since = counts
      counts = {}
      return since
    },
  }
}
