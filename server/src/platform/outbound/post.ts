import type { LookupAddress, LookupAllOptions } from 'node:dns'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { resolvingLookup } from './resolve.js'
import { txtReader, type ReadTxt } from './txt.js'
import { isAddressAllowed, isTargetAllowed, type OutboundRules } from './target.js'

/** Connections to servers that tenants name. */
export interface Outbound {
  /** Posts once. Any behavior of the receiver is an outcome, not an error. */
  post(request: OutboundPost): Promise<OutboundAnswer>
  /** The same of a GET. */
  get(request: OutboundGet): Promise<OutboundAnswer>
  /** Asks name servers for the TXT records of a name of ours below a domain; nothing is connected to. */
  readonly readTxt: ReadTxt
  /** Ends every connection; a request that is under way rejects. */
  close(): void
}

interface OutboundGet {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** For the whole exchange: name, connection, TLS, headers, and the body to its end. */
  readonly timeoutMs: number
  /** How much of the answer's body is read. */
  readonly maxAnswerBytes: number
}

export interface OutboundPost extends OutboundGet {
  readonly body: string | Buffer
  /** Whether the receiver, an application's own, may go on with the trace; nobody else is told of one. */
  readonly isTraceContinued?: boolean
}

/** A request before it is sent. */
export interface CallToWatch {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly isTraceContinued?: boolean
}

/** Watches calls: sends each once, with more headers, and gives its answer back. */
export type WatchCall = (
  call: CallToWatch,
  send: (more: Readonly<Record<string, string>>) => Promise<OutboundAnswer>,
) => Promise<OutboundAnswer>

type OutboundRequest =
  | (OutboundGet & { readonly method: 'GET' })
  | (OutboundPost & { readonly method: 'POST' })

export type OutboundAnswer =
  | {
      /**
       * A status arrived in time, also when the body hangs, breaks off or does not end and is therefore partial. A
       * redirect is an answer like any other and never followed.
       */
      readonly outcome: 'answered'
      readonly status: number
      readonly headers: { readonly retryAfter?: string; readonly contentType?: string }
      /** As text; invalid bytes are replaced. */
      readonly body: string
      /** Whether the body came to its end, in time and within its limit. */
      readonly isWhole: boolean
    }
  | {
      /**
       * - `timed_out`: no status within the time.
       * - `disconnected`: connected, and then no valid HTTP answer, such as a reset.
       * - `unreachable`: no connection: name not found, refused, certificate not trusted.
       * - `not_allowed`: the rules forbid the address, and no connection was attempted.
       */
      readonly outcome: 'timed_out' | 'disconnected' | 'unreachable' | 'not_allowed'
    }

/** Receivers of events send them in bursts; a server commonly closes what has been idle for 5 seconds. */
const idleMs = 4_000

/** Idle connections that are kept to one host and port. */
const maxIdleSockets = 4

/**
 * Opens connections to allowed addresses only. The check of an address is the lookup of its connection, so that no
 * second answer of a name server can come between: the socket connects to what was checked, and stays with it.
 *
 * @param options lookup and readTxt ask name servers unless given; without watch nothing watches the calls.
 */
export function openOutbound(
  rules: OutboundRules,
  {
    lookup = resolvingLookup({ fallback: rules.allowed.length > 0 }),
    readTxt = txtReader(),
    watch,
  }: { lookup?: LookupFunction; readTxt?: ReadTxt; watch?: WatchCall | undefined } = {},
): Outbound {
  const kept = { keepAlive: true, maxFreeSockets: maxIdleSockets, timeout: idleMs }
  const agentsOf = (settings: http.AgentOptions) => ({
    'http:': new http.Agent({ ...settings, lookup: guardedLookup('http:', rules, lookup) }),
    'https:': new https.Agent({ ...settings, lookup: guardedLookup('https:', rules, lookup) }),
  })
  const agents = { kept: agentsOf(kept), fresh: agentsOf({ keepAlive: false }) }
  const send = (request: OutboundRequest, { isFresh }: { isFresh: boolean }, timer: Timer) => {
    const url = new URL(request.url)
    const ofProtocol = isFresh ? agents.fresh : agents.kept
    return url.protocol === 'https:'
      ? exchange(https.request(url, optionsOf(request, ofProtocol['https:'])), request, timer)
      : exchange(http.request(url, optionsOf(request, ofProtocol['http:'])), request, timer)
  }
  let isClosed = false
  async function ask(request: OutboundRequest): Promise<OutboundAnswer> {
    // A literal address is not looked up, so it is checked here.
    if (!isTargetAllowed(request.url, rules)) return { outcome: 'not_allowed' }
    const timer = startTimer(request.timeoutMs)
    try {
      let exchanged = await send(request, { isFresh: false }, timer)
      // The receiver closed an idle connection while the request was being sent, and has hardly processed it.
      if (exchanged.outcome === 'stale' && !isClosed)
        exchanged = await send(request, { isFresh: true }, timer)
      if (exchanged.outcome === 'answered') return exchanged
      // We ended it: the outcome at the receiver is unknown.
      if (isClosed) throw new Error('outbound connections were closed before an answer came')
      return exchanged.outcome === 'stale' ? { outcome: 'disconnected' } : exchanged
    } finally {
      timer.stop()
    }
  }
  const askWatched = (request: OutboundRequest) =>
    watch === undefined
      ? ask(request)
      : watch(request, (more) => ask({ ...request, headers: { ...request.headers, ...more } }))
  return {
    post: (request) => askWatched({ ...request, method: 'POST' }),
    get: (request) => askWatched({ ...request, method: 'GET' }),
    readTxt,
    close() {
      isClosed = true
      for (const { 'http:': plain, 'https:': secured } of Object.values(agents)) {
        plain.destroy()
        secured.destroy()
      }
    },
  }
}

function optionsOf({ method, headers }: OutboundRequest, agent: http.Agent): https.RequestOptions {
  return { method, headers, agent }
}

/** The lookup found an address that may not be connected to. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** A lookup that gives addresses only where all of them are allowed: a mixed answer is an attack. */
function guardedLookup(
  protocol: 'http:' | 'https:',
  rules: OutboundRules,
  lookup: LookupFunction,
): LookupFunction {
  return (hostname, options, callback) => {
    const all: LookupAllOptions = { ...options, all: true }
    lookup(hostname, all, (error, found) => {
      const addresses: LookupAddress[] = typeof found === 'string' ? [{ address: found, family: 0 }] : found
      const [first] = error === null ? addresses : []
      if (first === undefined) callback(error ?? new Error(`${hostname} has no address`), '')
      else if (!addresses.every(({ address }) => isAddressAllowed(address, protocol, rules)))
        callback(new AddressRefused(`${hostname} may not be connected to`), '')
      else if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

interface Timer {
  /** Calls back when the time has passed, at once if it has. */
  onEnd(listener: () => void): void
  stop(): void
}

function startTimer(ms: number): Timer {
  const listeners: (() => void)[] = []
  let isOver = false
  const timeout = setTimeout(() => {
    isOver = true
    for (const listener of listeners) listener()
  }, ms)
  return {
    onEnd(listener) {
      if (isOver) listener()
      else listeners.push(listener)
    },
    stop: () => clearTimeout(timeout),
  }
}

/** `stale`: a connection from the pool that was closed before a byte of an answer came. */
type Exchanged = OutboundAnswer | { readonly outcome: 'stale' }

function exchange(req: ClientRequest, request: OutboundRequest, timer: Timer): Promise<Exchanged> {
  return new Promise((resolve) => {
    const connection = watchConnection(req)
    let answer: (() => OutboundAnswer) | undefined
    req.once('response', (res) => {
      answer = readAnswer(res, request.maxAnswerBytes, resolve)
    })
    req.on('error', (error) => resolve(answer?.() ?? outcomeOf(error, connection)))
    req.once('close', () => {
      // A server that switches protocols is closed without an error.
      if (answer === undefined) resolve({ outcome: 'disconnected' })
    })
    timer.onEnd(() => {
      resolve(answer?.() ?? { outcome: 'timed_out' })
      req.destroy()
    })
    req.end(request.method === 'POST' ? request.body : undefined)
  })
}

interface Connection {
  isMade(): boolean
  /** Whether the connection had served a request before, and no byte has come since. */
  isStale(): boolean
}

function watchConnection(req: ClientRequest): Connection {
  let isMade = false
  let bytesRead = () => 0
  req.once('socket', (socket) => {
    const before = socket.bytesRead
    bytesRead = () => socket.bytesRead - before
    const event = req.protocol === 'https:' ? 'secureConnect' : 'connect'
    if (req.reusedSocket) isMade = true
    else socket.once(event, () => (isMade = true))
  })
  return { isMade: () => isMade, isStale: () => req.reusedSocket && bytesRead() === 0 }
}

function outcomeOf(error: Error, connection: Connection): Exchanged {
  if (error instanceof AddressRefused) return { outcome: 'not_allowed' }
  if (connection.isStale()) return { outcome: 'stale' }
  return { outcome: connection.isMade() ? 'disconnected' : 'unreachable' }
}

/** Reads the body to its end, or until it is too long; the returned function makes the answer of the part that arrived. */
function readAnswer(
  res: IncomingMessage,
  maxBytes: number,
  resolve: (answer: OutboundAnswer) => void,
): () => OutboundAnswer {
  const chunks: Buffer[] = []
  let length = 0
  const { 'retry-after': retryAfter, 'content-type': contentType } = res.headers
  const answer = (isWhole = false): OutboundAnswer => ({
    outcome: 'answered',
    status: res.statusCode ?? 0,
    headers: {
      ...(retryAfter !== undefined && { retryAfter }),
      ...(contentType !== undefined && { contentType }),
    },
    body: toText(Buffer.concat(chunks).subarray(0, maxBytes)),
    isWhole,
  })
  res.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length <= maxBytes) return
    resolve(answer())
    res.destroy()
  })
  res.once('end', () => resolve(answer(length <= maxBytes)))
  res.on('error', () => resolve(answer()))
  return answer
}

/** Drops a character halved by the cut, and characters that a text of Postgres cannot hold. */
function toText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
}
