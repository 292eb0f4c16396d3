import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSigner } from '@portico/contract/webhook-signature'
import { ConnectionError, isApiError, type Client, type Event, type ListenOptions } from '@portico/sdk'
import { systemClock } from '../platform/system-clock.js'
import { openOutbound, type OutboundAnswer } from '../platform/outbound/post.js'
import type { OutboundRules } from '../platform/outbound/target.js'
import { deliveryLimits } from '../delivery/webhooks/attempt.js'

/** Any address is allowed: a developer names it, at a machine of their own. */
export const forwardOutboundRules: OutboundRules = { allowed: ['0.0.0.0/0', '::/0'], isHttpAllowed: true }

/** The outcome of one event. */
export interface Forwarded extends Pick<Event, 'id' | 'code' | 'issued_at' | 'cursor'> {
  readonly outcome: OutboundAnswer['outcome']
  /** Undefined when there was no answer. */
  readonly status: number | undefined
  /** How long the answer took. */
  readonly ms: number
}

interface Forwarding {
  readonly client: Client
  readonly request: {
    readonly forward: string
    readonly key: string
    readonly code: ListenOptions['code']
    readonly after: string
  }
  /** Ends the forwarding. */
  readonly signal: AbortSignal
  readonly say: (line: string) => void
  /** Called with the place in the stream from which on every event is forwarded. */
  readonly onStart: (cursor: string) => void
  readonly onEvent: (forwarded: Forwarded) => void
}

const readPauseMs = 500
const firstPauseMs = 500
const longestPauseMs = 16_000

/**
 * Posts each event of the stream, in their order, as a webhook's delivery is posted. An event is repeated while the
 * address refuses connections; any answer, or a timeout, moves on to the next one.
 *
 * @returns The cursor of the last event that was forwarded, once the signal has ended it; undefined when there was none.
 * @throws What the client throws when the service refuses.
 */
export async function forwardEvents(forwarding: Forwarding): Promise<string | undefined> {
  const { client, request, signal, say } = forwarding
  const outbound = openOutbound(forwardOutboundRules)
  const sign = createSigner({ current: request.key })
  /** A webhook id for the run: no webhook exists, and a receiver expects one. */
  const webhookId = randomUUID()
  const pauses = createPauses(signal)
  let last: string | undefined

  try {
    const { cursor: end } = await whileAway(() =>
      client.events.list({ after: request.after, limit: 1 }, { signal }),
    )
    let after = request.after === 'latest' ? end : request.after
    forwarding.onStart(after)
    return await whileAway(async () => {
      for await (const event of client.events.listen({
        after,
        code: request.code,
        signal,
        pauseMs: readPauseMs,
      })) {
        signal.throwIfAborted()
        const forwarded = await forward(event)
        forwarding.onEvent(forwarded)
        last = after = event.cursor ?? after
        pauses.reset()
      }
      return last
    })
  } catch (error) {
    if (signal.aborted) return last
    throw error
  } finally {
    outbound.close()
  }

  /** Runs work again while the service is away; completed work stays done. */
  async function whileAway<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (signal.aborted || !isPassing(error)) throw error
        await pauses.take((seconds) => say(`The service does not answer. Asking again in ${seconds} s.`))
      }
    }
  }

  async function forward(event: Event): Promise<Forwarded> {
    const { id, code, issued_at, cursor } = event
    const body = JSON.stringify({ ...event, cursor: null, webhook_id: webhookId })
    for (;;) {
      const timestamp = Math.floor(systemClock().getTime() / 1000)
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Portico',
        ...(await sign({ id, timestamp, body })),
      }
      const start = performance.now()
      const answer = await outbound.post({ url: request.forward, headers, body, ...deliveryLimits })
      const ms = Math.round(performance.now() - start)
      const status = answer.outcome === 'answered' ? answer.status : undefined
      if (answer.outcome !== 'unreachable')
        return { id, code, issued_at, cursor, outcome: answer.outcome, status, ms }
      const doubt = request.forward.startsWith('https') ? ', or its certificate is not trusted' : ''
      await pauses.take((seconds) =>
        say(`Nobody listens at ${request.forward}${doubt}. Trying again in ${seconds} s.`),
      )
    }
  }
}

/** Whether a failure of a request to the service may be over soon. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof ConnectionError || (isApiError(error) && (error.status >= 500 || error.status === 429))
  )
}

/** Pauses that double until they are reset. */
function createPauses(signal: AbortSignal) {
  let ms = firstPauseMs
  return {
    async take(announce: (seconds: number) => void): Promise<void> {
      announce(ms / 1000)
      const current = ms
      ms = Math.min(ms * 2, longestPauseMs)
      await sleep(current, undefined, { signal })
    },
    reset() {
      ms = firstPauseMs
    },
  }
}
