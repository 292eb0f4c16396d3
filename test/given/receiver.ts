import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Event } from '@portico/sdk'
import { atFileEnd } from '../file-end.js'

/** A delivery as it was received. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly event: Event
}

/** The answer to a request: a status, or a handler. */
export type Behaviour = number | ((res: ServerResponse, received: Received) => void)

export interface Receiver {
  readonly url: string
  /** In the order of arrival. */
  readonly received: Received[]
  /** Sets the answer to later requests; initially 204. */
  answer(behaviour: Behaviour): void
  /** Resolves after this many deliveries. */
  arrived(count: number): Promise<void>
  /** Closes every connection without an answer. */
  hangUp(): void
}

/** A server that events are posted to; it ends with the test file. */
export async function startReceiver(behaviour: Behaviour = 204): Promise<Receiver> {
  const received: Received[] = []
  const arrivals = new EventEmitter()
  let current = behaviour
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      // Only the service posts to it.
      const one = { headers: req.headers, body, event: JSON.parse(body) as Event }
      received.push(one)
      arrivals.emit('one')
      if (typeof current === 'function') current(res, one)
      else res.writeHead(current).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  // Only the address of a pipe is a string.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/events`,
    received,
    answer(behaviour) {
      current = behaviour
    },
    async arrived(count) {
      while (received.length < count) await once(arrivals, 'one')
    },
    hangUp: () => server.closeAllConnections(),
  }
}
