import { attemptOutcomes } from '@portico/contract/webhook-records'
import { promptly } from '../../platform/db/connect.js'
import type { Deps } from '../deps.js'
import { inBatches } from '../jobs/in-batches.js'
import { inTurn } from '../../platform/in-turn.js'
import { openLoop, type Loop } from '../jobs/loop.js'
import { onDeliveries } from '../events/announce.js'
import { attempt } from './attempt.js'
import { deactivateGoneWebhook } from './disable.js'
import {
  claimDeliveries,
  endAttempts,
  findDueWebhooks,
  type ClaimedDelivery,
  type DueWebhook,
  type EndedAttempt,
  type Room,
} from './queue.js'
import { cacheSigners } from './signers.js'

export interface SenderOptions {
  /** Concurrent attempts to one webhook, so that no webhook starves the others. */
  readonly perWebhook?: number
  /** Concurrent attempts in this process: a bound on its sockets, far above what healthy receivers need. */
  readonly limit?: number
  /** Another process sends the deliveries of a dead one after this time; longer than an attempt can take. */
  readonly leaseMs?: number
  /** How often to look for deliveries that other processes added or that have become due. */
  readonly pollMs?: number
}

/** Longer than a transaction takes to commit after it has announced its deliveries. */
const soonMs = 200

/**
 * Sends events to webhooks until it is stopped: each at least once, with retries on the schedule when it is refused. Any
 * number of processes may share one database.
 */
export function startSender(opened: Deps, options: SenderOptions = {}): Loop {
  const deps = promptly(opened)
  const { perWebhook = 4, limit = 2_000, leaseMs = 30_000, pollMs = 1000 } = options
  const { db, log } = deps
  const sendOnce = oneAttempt(deps)
  /** The number of running attempts, by webhook. */
  const running = new Map<string, number>()
  /** Webhooks to look at before the next poll, and until when: the announcing transaction has committed by then. */
  const soon = new Map<string, number>()
  /** Webhooks that had at least as many deliveries due as there was room for. */
  const behind = new Set<string>()
  /** Webhooks that were failing at the last look: single attempts probe whether they have recovered. */
  const failing = new Set<string>()
  const loop = openLoop(deps, {
    name: 'deliveries',
    pollMs,
    messages: {
      failing: 'the sender cannot reach its deliveries, and keeps trying',
      unfinished: 'deliveries were left unfinished and will be sent again',
    },
  })

  // Concurrent claims would fill the same free slots twice.
  const startDueInTurn = inTurn(startDue)

  async function startDue(webhookIds: readonly string[]): Promise<number> {
    const rooms = roomsFor(webhookIds)
    if (rooms.length === 0 || loop.isStopping()) return 0
    const at = deps.now()
    const leaseUntil = new Date(at.getTime() + leaseMs)
    const claimed = await claimDeliveries(db, { at, leaseUntil, rooms })
    const taken = new Map<string, number>()
    for (const { webhook_id: id, failing_since: since } of claimed) {
      taken.set(id, (taken.get(id) ?? 0) + 1)
      note({ webhookId: id, isFailing: since !== null })
    }
    for (const { webhookId, healthy, failing } of rooms) {
      const count = taken.get(webhookId) ?? 0
      if (count > 0 && (count === healthy || count === failing)) behind.add(webhookId)
      else behind.delete(webhookId)
    }
    for (const delivery of claimed) void loop.run(() => run(delivery))
    return claimed.length
  }

  function roomsFor(webhookIds: readonly string[]): Room[] {
    let free = limit - loop.underWay()
    const rooms: Room[] = []
    // In random order, so that scarce slots do not always miss the same webhooks.
    for (const webhookId of shuffled(webhookIds)) {
      const busy = running.get(webhookId) ?? 0
      const room = { healthy: Math.min(perWebhook - busy, free), failing: Math.min(busy === 0 ? 1 : 0, free) }
      const needed = failing.has(webhookId) ? room.failing : room.healthy
      if (needed <= 0) continue
      rooms.push({ webhookId, ...room })
      free -= needed
    }
    return rooms
  }

  function note({ webhookId, isFailing }: DueWebhook): void {
    if (isFailing) failing.add(webhookId)
    else failing.delete(webhookId)
  }

  async function startAllDue(): Promise<number> {
    const due = await findDueWebhooks(db, deps.now())
    failing.clear()
    due.forEach(note)
    return startDueInTurn(due.map(({ webhookId }) => webhookId))
  }

  async function run(delivery: ClaimedDelivery): Promise<boolean> {
    const { webhook_id: webhookId } = delivery
    running.set(webhookId, (running.get(webhookId) ?? 0) + 1)
    try {
      await sendOnce(delivery)
    } catch (error) {
      // The event is sent again when the lease expires.
      log.error({ delivery_id: delivery.id, err: error }, 'a delivery attempt was interrupted')
    }
    const left = (running.get(webhookId) ?? 1) - 1
    if (left === 0) running.delete(webhookId)
    else running.set(webhookId, left)
    const isBehind = behind.has(webhookId)
    if (isBehind) soon.set(webhookId, performance.now() + soonMs)
    return isBehind
  }

  const stopListening = onDeliveries(db, (webhookIds) => {
    const until = performance.now() + soonMs
    for (const id of webhookIds) soon.set(id, until)
    loop.lookSoon()
  })

  let polledAt = -Infinity
  async function look(): Promise<number> {
    const tick = performance.now()
    for (const [webhookId, until] of soon) if (until < tick) soon.delete(webhookId)
    if (tick - polledAt < pollMs) return startDueInTurn([...soon.keys()])
    polledAt = tick
    return startAllDue()
  }

  return loop.start({ look, startDue: startAllDue, stopListening })
}

/** Makes the function that sends one claimed delivery and stores the outcome. */
function oneAttempt(deps: Deps) {
  const signerOf = cacheSigners(deps)
  const endTogether = inBatches((attempts: EndedAttempt[]) => endAttempts(deps.db, attempts))
  for (const outcome of attemptOutcomes) deps.metrics.deliveries.inc({ outcome }, 0)

  return async function sendOnce(delivery: ClaimedDelivery): Promise<void> {
    const send = () => attempt({ ...deps, signerOf }, delivery)
    const ending = await (deps.traces?.runInBackground(spanOf(delivery), send) ?? send())
    deps.metrics.deliveries.inc({ outcome: ending.outcome })
    const ended = { delivery, ending, at: deps.now() }
    // An attempt that cannot be stored must not cause the rest of its batch to be sent again: each is stored on its own.
    await endTogether(ended).catch(() => endAttempts(deps.db, [ended]))
    if (ending.state !== 'delivered') await deactivateGoneWebhook(deps, delivery)
  }
}

function spanOf(delivery: ClaimedDelivery) {
  return {
    name: 'webhook delivery',
    attributes: {
      'portico.delivery.id': delivery.id,
      'portico.event.code': delivery.code,
      // Of what caused the event, which is in a trace of its own.
      'portico.request_id': delivery.request_id,
      'portico.webhook.id': delivery.webhook_id,
      'portico.account_id': delivery.account_id,
    },
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
