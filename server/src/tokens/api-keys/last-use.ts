import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'

const flushMs = 10_000

/** Collects last uses and writes them in batches, because a write per request would cost more than the request. */
export interface LastUse<Used> {
  note(used: Used): void
  /** Writes the remaining uses and stops the timer. */
  stop(): Promise<void>
}

/** Starts recording the last use of API keys. A process that crashes loses the uses of its last ten seconds. */
export function startLastUse(deps: Pick<Deps, 'db' | 'now' | 'log'>): LastUse<{ readonly id: string }> {
  return collectUses(deps, 'API keys', async (batch) => {
    const ids = batch.map(({ id }) => id)
    const times = batch.map(({ at }) => at.toISOString())
    await sql`
      update api_keys set last_used_at = used.at
      from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
      where api_keys.id = used.id and (last_used_at is null or last_used_at < used.at)`.execute(deps.db)
  })
}

/**
 * Collects the last uses of things with an id.
 *
 * @param what Their name, for the log.
 * @param write Writes a batch, in the order of the ids, so that two processes do not wait for each other.
 */
export function collectUses<Used extends { readonly id: string }>(
  { now, log }: Pick<Deps, 'now' | 'log'>,
  what: string,
  write: (batch: readonly (Used & { readonly at: Date })[]) => Promise<void>,
): LastUse<Used> {
  let uses = new Map<string, Used & { readonly at: Date }>()

  async function flush(): Promise<void> {
    if (uses.size === 0) return
    const batch = [...uses.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))
    uses = new Map()
    try {
      await write(batch)
    } catch (error) {
      // The next use of each is recorded again.
      log.warn({ err: error }, `the last use of ${what} cannot be written`)
    }
  }

  const timer = setInterval(() => void flush(), flushMs)
  timer.unref()
  return {
    note: (used) => uses.set(used.id, { ...used, at: now() }),
    async stop() {
      clearInterval(timer)
      await flush()
    },
  }
}
