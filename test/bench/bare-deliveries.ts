import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:https'
import { isTargetAllowed } from '@portico/server/outbound-target'
import { exampleOf } from '@portico/contract/record'
import { eventSchemas } from '@portico/contract/events'

/**
 * The upper bound of D1 in the service's process model: events in memory, serialized to JSON and posted with
 * node:https over connections kept open like the service's, with its TLS options and its check of the
 * target, and with the same concurrency. Nothing is claimed, signed or stored.
 */

/** A request to the process for a number of deliveries, distributed over the targets. */
export interface BareWave {
  readonly urls: readonly string[]
  readonly count: number
  /** Concurrent requests per target. */
  readonly perTarget: number
}

const rules = { allowed: ['127.0.0.1'], isHttpAllowed: false }
const agent = new Agent({ keepAlive: true, maxFreeSockets: 4, timeout: 4_000 })
const event = exampleOf(eventSchemas['user.user.create.success'])

async function sendWave({ urls, count, perTarget }: BareWave): Promise<void> {
  const perUrl = Math.ceil(count / urls.length)
  await Promise.all(urls.flatMap((url) => senders(url, perUrl, perTarget)))
}

function senders(url: string, count: number, atOnce: number): Promise<void>[] {
  let left = count
  const send = async () => {
    for (; left > 0;) {
      left -= 1
      await post(url)
    }
  }
  return Array.from({ length: atOnce }, send)
}

function post(url: string): Promise<void> {
  if (!isTargetAllowed(url, rules)) throw new Error(`${url} is not allowed`)
  const body = JSON.stringify({ ...event, id: randomUUID(), webhook_id: randomUUID() })
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { method: 'POST', agent, headers }, (res) => {
      res.resume().once('end', () => resolve())
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

process.on('message', (wave: BareWave) => {
  sendWave(wave).then(
    () => process.send?.('sent'),
    (error: unknown) => {
      process.stderr.write(`bare deliveries: ${String(error)}\n`)
      process.exit(1)
    },
  )
})
process.send?.('ready')
