import { readFileSync } from 'node:fs'
import { request, type Agent } from 'node:http'
import type { Load } from './load.js'

/** The work repeated by each connection. */
export interface Work {
  /** Sends one request, or the requests of one journey, and throws when an answer is a failure. */
  readonly once: (port: number, agent: Agent) => Promise<void>
  readonly isUsedUp?: () => boolean
}

/** The answer to a request over a kept connection. */
export interface Answer {
  readonly status: number
  readonly location: string | undefined
  /** What it sets, as a browser sends it back. */
  readonly cookie: string
  readonly body: string
}

interface Sending {
  readonly method: string
  readonly path: string
  readonly token?: string | undefined
  readonly cookie?: string | undefined
  readonly accept?: string
  readonly body?: string | undefined
  /** JSON, unless it is said. */
  readonly type?: string
  /** Others than those of the members before. */
  readonly headers?: Readonly<Record<string, string>>
}

export const formType = 'application/x-www-form-urlencoded'

export function send(port: number, agent: Agent, sending: Sending): Promise<Answer> {
  const { method, path, token, cookie, accept, body, type = 'application/json' } = sending
  return new Promise((resolve, reject) => {
    const headers = {
      ...sending.headers,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(cookie && { cookie }),
      ...(accept && { accept }),
      ...(body && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
    }
    const sent = request({ host: '127.0.0.1', port, method, path, agent, headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          location: res.headers.location,
          cookie: (res.headers['set-cookie'] ?? []).map((line) => line.replace(/;.*/, '')).join('; '),
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The lines of writeRequests(), as their columns. */
export function readLines(load: Load): string[][] {
  const lines = readFileSync(load.requestsFile, 'utf8').trimEnd().split('\n')
  return lines.map((line) => line.split('\t'))
}

/** A text of a JSON answer. */
export function memberOf(body: string, name: string): string {
  const parsed: unknown = JSON.parse(body)
  const value = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
  const found: unknown = value.find(([key]) => key === name)?.[1]
  if (typeof found !== 'string') throw new Error(`no ${name} in ${body}`)
  return found
}
