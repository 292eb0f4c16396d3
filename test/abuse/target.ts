import { Agent, request } from 'node:http'
import { atFileEnd } from '../file-end.js'

/** A method and a path of the service that requests are sent to. */
export interface Target {
  readonly name: string
  readonly method: string
  readonly path: string
  /** The first place of the path that anything can stand in; undefined without one. */
  readonly place: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** What it reads a body of; none where it reads no body. */
  readonly reads: readonly ('json' | 'form')[]
  readonly jsonType: string
  /** Bytes of the largest body. */
  readonly maxBytes: number
  /** Whether parameters that it does not know, and those that come in no sense, are refused. */
  readonly isStrict: boolean
  /** What is wrong with an answer; undefined where it is one that is declared. */
  faultOf(answer: Answer): string | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** A request as it goes out. */
export interface Sent {
  readonly method: string
  readonly path: string
  /** Those that come twice are lists. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Buffer | string | undefined
}

export type Send = (sent: Sent) => Promise<Answer>

/** Sends requests to a port of this machine as they are, over connections that stay. */
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

/** Read from JSON; undefined where it is none. */
export function jsonOf({ text }: Answer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What an answer tells of what the service is made of; undefined where nothing. */
export function insideOf({ text }: Answer): string | undefined {
  return /node_modules|node:internal|\bat [\w.]+ \(\S+:\d+\)|\.[jt]s:\d+:\d|kysely|ts-rest|body-parser|\bselect \S+ from /i.exec(
    text,
  )?.[0]
}
