import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { setTimeout } from 'node:timers/promises'

/** Serves an application at its origin on this machine, and returns what stops it. */
export async function listen(app: RequestListener, origin: string): Promise<() => void> {
  const server = createServer(app)
  await once(server.listen(Number(new URL(origin).port), '127.0.0.1'), 'listening')
  return () => {
    server.close()
    server.closeAllConnections()
  }
}

/** Waits until a program answers at its origin, or stops it after 20 seconds. */
export async function isListening(origin: string, stop: () => void): Promise<void> {
  const signal = AbortSignal.timeout(20_000)
  for (;;) {
    const answer = await fetch(origin, { redirect: 'manual', signal }).catch(() => undefined)
    if (answer !== undefined) return
    if (signal.aborted) {
      stop()
      throw new Error(`nothing answers at ${origin}`)
    }
    await setTimeout(50)
  }
}
