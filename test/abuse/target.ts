import { Agent, request } from 'node:http'
import { atFileEnd } from '../file-end.js'

/** A method and path of the service to which requests are sent. */
export interface Target {
  readonly name: string
  readonly method: string
  readonly path: string
  /** The first variable part of the path; undefined without one. */
  readonly place: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The body formats that it reads; empty if it reads no body. */
  readonly reads: readonly ('json' | 'form')[]
  readonly jsonType: string
  /** Maximum body size in bytes. */
  readonly maxBytes: number
  /** Whether unknown and malformed parameters are refused. */
  readonly isStrict: boolean
  /** The fault of an answer; undefined for a declared answer. */
  faultOf(answer: Answer): string | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** A raw request. */
export interface Sent {
  readonly method: string
  readonly path: string
  /** Repeated headers are lists. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Buffer | string | undefined
}

export type Send = (sent: Sent) => Promise<Answer>

/** Sends raw requests to a port of this machine over persistent connections. */
export function senderTo(port: number): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  atFileEnd(() => agent.destroy())
  return ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const own = {
        host: `127.0.0.1:${port}`,
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      }
      const sent = request({
        ...{ agent, host: '127.0.0.1', port, method, path },
        headers: Object.entries({ ...own, ...headers }).flatMap(([name, value]) =>
          [value].flat().flatMap((one) => [name, one]),
        ),
      })
      sent.on('error', reject)
      sent.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
        })
      })
      sent.end(body)
    })
}

/** The parsed JSON body; undefined if it is not JSON. */
export function jsonOf({ text }: Answer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Internal details leaked by an answer; undefined without any. */
export function insideOf({ text }: Answer): string | undefined {
  return /node_modules|node:internal|\bat [\w.]+ \(\S+:\d+\)|\.[jt]s:\d+:\d|kysely|ts-rest|body-parser|\bselect \S+ from /i.exec(
    text,
  )?.[0]
}
