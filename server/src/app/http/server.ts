import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Express } from 'express'

/** Longer than the 60 s after which common load balancers drop an idle connection, so that they close it, not we. */
const keepAliveTimeoutMs = 65_000

/** How long a client may take to send the headers, and the whole request; how often both are checked. */
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
const timeoutCheckMs = 5_000

const maxHeaderBytes = 16 * 1024

/** How often a draining server looks for connections that have become idle. */
const sweepMs = 100

/**
 * Makes the HTTP server of an Express app; later additions to `app.request` and `app.response` have no effect.
 *
 * Express calls Object.setPrototypeOf on each request and response, after which V8 (Node 20 and 22) leaves its fast
 * paths. Here both are created with Express's prototypes, so that those calls change nothing: three to five times the
 * throughput (https://github.com/expressjs/express/issues/5998).
 *
 * @param listener What requests are handed to, which is the app unless there are several.
 */
export function createHttpServer(app: Express, listener: RequestListener = app): Server {
  // Real classes with copied members: objects whose prototype is app.request itself are slower still.
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override writeHead(...head: unknown[]): this {
      // After close() each answer ends its connection, so that clients reconnect to another process.
      if (!server.listening && !this.headersSent) this.setHeader('Connection', 'close')
      // All overloads of writeHead are passed on unchanged.
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>))
    }
  }
  adoptMembers(ExpressRequest.prototype, app.request, IncomingMessage.prototype)
  adoptMembers(ExpressResponse.prototype, app.response, ServerResponse.prototype)
  // They now have all members of Express' types, which the compiler cannot see.
  app.request = ExpressRequest.prototype as typeof app.request
  app.response = ExpressResponse.prototype as typeof app.response

  const server = createServer(
    {
      IncomingMessage: ExpressRequest,
      ServerResponse: ExpressResponse,
      keepAliveTimeout: keepAliveTimeoutMs,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      maxHeaderSize: maxHeaderBytes,
    },
    (req, res) => {
      if (isTarget(req.url) && isOfOneHost(req)) listener(req, res)
      else res.writeHead(400, { Connection: 'close' }).end()
    },
  )
  countSilentConnectionsAsIdle(server)
  return server
}

/** Lets another app handle the requests of an app's server. The settings by which Express reads them stay those of the first. */
export function shareServer(app: Express, other: Express): void {
  other.request = app.request
  other.response = app.response
}

/**
 * Ends each connection of a server after its next answer, while new ones are still accepted. A proxy then keeps none open
 * that the drain would close at the moment at which it sends a request on it.
 */
export function announceDrain(server: Server): void {
  server.prependListener('request', (_req, res) => {
    res.shouldKeepAlive = false
  })
}

interface DrainOptions {
  readonly deadlineMs: number
  /** Called when the deadline has passed, with the number of connections that are destroyed. */
  readonly onCut?: (connections: number) => void
}

/**
 * Closes a server gracefully: accepts no new connections, ends each connection after its answer or once idle, and
 * destroys the rest at the deadline.
 *
 * @returns When no connection is left; at once when the server does not listen.
 */
export async function drain(server: Server, { deadlineMs, onCut }: DrainOptions): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
  const deadline = setTimeout(() => {
    if (onCut) server.getConnections((_error, count) => onCut(count))
    server.closeAllConnections()
  }, deadlineMs)
  // An error means that the server was closed already.
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearInterval(sweep)
  clearTimeout(deadline)
}

/** Whether the request target is valid (RFC 9112 section 3.2); Express would answer an invalid one by itself. */
function isTarget(url = ''): boolean {
  return url.startsWith('/') || URL.canParse(url)
}

/**
 * Whether there is at most one Host, and a valid one. Of two, Node takes the first and a proxy may have taken the
 * second (RFC 9112 section 3.2). Node itself refuses HTTP/1.1 without one.
 */
export function isOfOneHost({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): boolean {
  // rawHeaders alternates names and values; names keep their original case.
  const isHost = (text: string, index: number) =>
    index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host'
  if (rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost)) return false
  return hostForm.test(headers.host ?? '')
}

/** RFC 3986 section 3.2.2: an address in brackets, or a name, which may be empty; and a port. */
const hostForm = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d{0,5})?$/i

/** Copies the members of an object and of its prototypes, up to one, onto another object that lacks them. */
function adoptMembers(target: object, source: object, end: object): void {
  for (let level: object | null = source; level && level !== end; level = Reflect.getPrototypeOf(level)) {
    for (const key of Reflect.ownKeys(level)) {
      const member = Reflect.getOwnPropertyDescriptor(level, key)
      if (member && !Object.hasOwn(target, key)) Object.defineProperty(target, key, member)
    }
  }
}

/**
 * Makes closeIdleConnections also close connections that never received a byte, which browsers and load balancers open
 * in advance: Node counts them as active, and a drain would wait for them until its deadline.
 */
function countSilentConnectionsAsIdle(server: Server): void {
  const connections = new Set<Socket>()
  const silentAtLastSweep = new WeakSet<Socket>()
  const closeIdleConnections = server.closeIdleConnections.bind(server)

  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.closeIdleConnections = () => {
    closeIdleConnections()
    for (const socket of connections) {
      if (socket.bytesRead > 0) continue
      // Silent in two sweeps, because the first request of a new connection may be in transit.
      if (silentAtLastSweep.has(socket)) socket.destroy()
      else silentAtLastSweep.add(socket)
    }
  }
}
