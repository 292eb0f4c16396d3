import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { verifyWebhook } from '@portico/sdk/webhooks'
import { startReceiver, type Received, type ReceiverIdentity } from '../given/receiver.js'

/** One arrival of an event at a receiver. */
export interface Arrival {
  readonly eventId: string
  /** Undefined while the answer is pending. */
  end?: {
    /** `cut`: the connection closed before the answer was complete, by either side. */
    readonly kind: 'accepted' | 'refused' | 'cut'
    /** By `performance.now()`. */
    readonly at: number
  }
}

/** Answers an event given its number of arrivals, 1 for the first. */
export type Treatment = (res: ServerResponse, times: number) => void

/** A receiver and its ledger. */
export interface LedgerPage {
  readonly url: string
  readonly arrivals: readonly Arrival[]
  /** Sets the webhook to which all deliveries must belong. */
  expect(webhook: { id: string; signature_key: string }): void
  /** Messages about deliveries that do not belong to the webhook; empty without any. */
  faults(): Promise<string[]>
}

/**
 * Starts a receiver that records deliveries.
 *
 * @param now The time for the freshness check of signatures.
 * @param identity Of a receiver over https.
 */
export async function startLedgerPage(
  treat: Treatment,
  now: () => number,
  identity?: ReceiverIdentity,
): Promise<LedgerPage> {
  const arrivals: Arrival[] = []
  const timesOf = new Map<string, number>()
  const faults: string[] = []
  const checks: Promise<void>[] = []
  let webhook: { id: string; signature_key: string } | undefined

  async function check({ body, headers, event }: Received): Promise<void> {
    // Read on arrival, because the clock may be moved while the signature is verified.
    const at = now()
    try {
      const verified = await verifyWebhook(body, headers, webhook?.signature_key ?? [], {
        now: () => at,
      })
      if (verified.webhook_id !== webhook?.id) faults.push(`${event.id} names ${String(event.webhook_id)}`)
      if (verified.id !== headers['webhook-id']) faults.push(`${event.id} has another id in its header`)
    } catch (error) {
      faults.push(`${event.id}: ${String(error)}`)
    }
  }

  const receiver = await startReceiver((res, received) => {
    const { id } = received.event
    const arrival: Arrival = { eventId: id }
    arrivals.push(arrival)
    checks.push(check(received))
    const end = (kind: 'accepted' | 'refused' | 'cut') => (arrival.end ??= { kind, at: performance.now() })
    res.once('finish', () => end(res.statusCode < 300 ? 'accepted' : 'refused'))
    res.once('close', () => end('cut'))
    const times = (timesOf.get(id) ?? 0) + 1
    timesOf.set(id, times)
    treat(res, times)
  }, identity)
  return {
    url: receiver.url,
    arrivals,
    expect(expected) {
      webhook = expected
    },
    async faults() {
      await Promise.all(checks)
      return faults
    },
  }
}

/** A gate that delays answers while closed, so that deliveries are in flight during a disturbance. */
export function createGate() {
  const signals = new EventEmitter()
  let isClosed = false
  let waiting: (() => void)[] = []

  function letThrough(count: number): void {
    const passing = waiting.splice(0, count)
    for (const answer of passing) answer()
  }

  return {
    pass(answer: () => void): void {
      if (!isClosed) {
        answer()
        return
      }
      waiting.push(answer)
      signals.emit('waits')
    },
    /** Closes the gate, and resolves once this many answers wait. */
    async hold(count: number): Promise<void> {
      isClosed = true
      while (waiting.length < count) await once(signals, 'waits')
    },
    letThrough,
    open(): void {
      isClosed = false
      letThrough(waiting.length)
      waiting = []
    },
  }
}
