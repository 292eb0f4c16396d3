import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Event } from '@portico/sdk'
import { listenUntilFileEnd } from './loopback.js'

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

/** Key and certificate in PEM. */
export interface ReceiverIdentity {
  readonly key: string
  readonly cert: string
}

/** A server that events are posted to, over https where it has a certificate; it ends with the test file. */
export async function startReceiver(
  behaviour: Behaviour = 204,
  identity?: ReceiverIdentity,
): Promise<Receiver> {
  const received: Received[] = []
  const arrivals = new EventEmitter()
  let current = behaviour
  const listener = (req: IncomingMessage, res: ServerResponse) => {
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
  }
  const server = identity === undefined ? createServer(listener) : createTlsServer(identity, listener)
  const port = await listenUntilFileEnd(server)
  return {
    url: `${identity === undefined ? 'http' : 'https'}://127.0.0.1:${port}/events`,
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
