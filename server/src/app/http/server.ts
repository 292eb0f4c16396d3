import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Express } from 'express'

/** Longer than the 60 s after which common load balancers drop an idle connection, so that they close it, not we. */
const keepAliveTimeoutMs = 65_000

/** How long a client may take to send the headers, and the whole request; how often both are looked at. */
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
const timeoutCheckMs = 5_000

const maxHeaderBytes = 16 * 1024

/** How often a draining server looks for connections that have become idle. */
const sweepMs = 100

/**
 * Makes the HTTP server of an Express app; afterwards additions to `app.request` and `app.response` are not seen.
 *
 * Express calls Object.setPrototypeOf on each request and response, at which V8 (Node 20 and 22) gives up its fast
 * paths for all that follows. Here both are born with Express' prototypes, so that those calls change nothing: three
 * to five times the throughput (https://github.com/expressjs/express/issues/5998).
 */
export function createHttpServer(app: Express): Server {
  // Real classes with copied members: objects whose prototype is app.request itself are slower still.
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override writeHead(...head: unknown[]): this {
      // After close() the server listens no more: each answer then tells its client to come back elsewhere.
      if (!server.listening && !this.headersSent) this.setHeader('Connection', 'close')
      // The overloads of writeHead do not matter here: what came in is passed on.
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
      if (isTarget(req.url) && isOfOneHost(req)) app(req, res)
      else res.writeHead(400, { Connection: 'close' }).end()
    },
  )
  countSilentConnectionsAsIdle(server)
  return server
}

interface DrainOptions {
  readonly deadlineMs: number
  /** Called when the deadline has passed, with the number of connections that are destroyed. */
  readonly onCut?: (connections: number) => void
}

/**
 * Closes a server without breaking off its answers: accepts nothing new, asks clients to leave with their answer,
 * closes connections as they become idle, and destroys what is left when the deadline has passed.
 *
 * @returns When no connection is left; at once when the server does not listen.
 */
export async function drain(server: Server, { deadlineMs, onCut }: DrainOptions): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
  const deadline = setTimeout(() => {
    if (onCut) server.getConnections((_error, count) => onCut(count))
    server.closeAllConnections()
  }, deadlineMs)
  // An error here says that the server was closed already, which is what was asked for.
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearInterval(sweep)
  clearTimeout(deadline)
}

/** Whether a request's target can be read (RFC 9112 section 3.2); Express would answer one that cannot by itself. */
function isTarget(url = ''): boolean {
  return url.startsWith('/') || URL.canParse(url)
}

/**
 * Whether there is at most one Host, and of the form of one. Node takes the first of two, and what stands before the service
 * may have taken the second (RFC 9112 section 3.2); it refuses HTTP/1.1 without one by itself.
 */
export function isOfOneHost({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): boolean {
  // Names and values in turn, and each name in the letters it came in.
  const isHost = (text: string, place: number) =>
    place % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host'
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
 * Makes closeIdleConnections close also connections on which nothing has ever arrived, as browsers and load balancers
 * open them in advance: Node takes them for requests in progress, and a drain would wait for them until its deadline.
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
      // Silent twice in a row, because a request may be on its way on a connection that is new.
      if (silentAtLastSweep.has(socket)) socket.destroy()
      else silentAtLastSweep.add(socket)
    }
  }
}
