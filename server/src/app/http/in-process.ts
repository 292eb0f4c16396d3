import { IncomingMessage, ServerResponse, type IncomingHttpHeaders } from 'node:http'
import { Duplex } from 'node:stream'
import type { Express } from 'express'

/** A request without a connection: its body is read already. */
interface InProcessRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** What was answered, its body not yet serialized. */
interface InProcessAnswer {
  readonly status: number
  readonly headers: ReturnType<ServerResponse['getHeaders']>
  readonly body: unknown
}

/**
 * Sends a request to an Express app without a connection, and takes the answer that it gives as JSON.
 *
 * @param prepare Called with the request before the app sees it.
 */
export function answerInProcess(
  app: Express,
  request: InProcessRequest,
  prepare: (req: IncomingMessage) => void,
): Promise<InProcessAnswer> {
  return new Promise((resolve, reject) => {
    const { method, url, headers, body } = request
    // Neither reads nor writes anything: Node's classes want a socket.
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }) as never
    const req = Object.assign(new IncomingMessage(socket), { method, url, headers, body })
    const res = new ServerResponse(req)
    let sent: unknown
    // Express finds it before its own.
    Object.assign(res, {
      json(answered: unknown) {
        sent = answered
        res.end()
        return res
      },
    })
    res.once('finish', () => {
      // As the server does at the end of an answer.
      res.emit('close')
      resolve({ status: res.statusCode, headers: res.getHeaders(), body: sent })
    })
    res.assignSocket(socket)
    prepare(req)
    app(req as never, res as never, reject)
  })
}
