import type { IncomingMessage } from 'node:http'
import { z } from 'zod/v4'

/** As much as an operation with a form takes. */
const maxBytes = 100 * 1024

/**
 * Reads a form, and puts it back for those who read it next.
 *
 * @returns Its members that are texts; none where the body is none, or larger.
 */
export async function readAhead(req: IncomingMessage): Promise<Record<string, string>> {
  if (!hasBody(req)) return {}
  return textsOf(await readBack(req), req.headers['content-type'])
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method !== 'POST') return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** The body, or nothing where it is too large. */
function readBack(req: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const fail = () => reject(new Error('the client went before its request was whole'))
    const take = () => {
      for (let chunk: unknown = req.read(); Buffer.isBuffer(chunk); chunk = req.read()) {
        chunks.push(chunk)
        size += chunk.length
      }
      if (!req.complete && size <= maxBytes) return
      req.off('readable', take).off('close', fail)
      const body = Buffer.concat(chunks)
      // In the turn of the last read(): a stream with something in it does not end.
      if (size > 0) req.unshift(body)
      resolve(size > maxBytes ? '' : body.toString('utf8'))
    }
    req.on('readable', take).once('close', fail)
  })
}

function textsOf(body: string, type = ''): Record<string, string> {
  if (!/^application\/json\b/i.test(type)) return Object.fromEntries(new URLSearchParams(body))
  const { data } = z.record(z.string(), z.unknown()).safeParse(parsed(body))
  return Object.fromEntries(
    Object.entries(data ?? {}).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}

/** What is no JSON is refused by those who read it next. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
