import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'

const flushMs = 10_000

/** Collects the last uses of keys and writes them in batches, because a write per request would cost more than the request. */
interface LastUse {
  note(apiKeyId: string): void
  /** Writes the remaining uses and stops the timer. */
  stop(): Promise<void>
}

/** Starts recording the last use of API keys. A process that crashes loses the uses of its last ten seconds. */
export function startLastUse({ db, now, log }: Pick<Deps, 'db' | 'now' | 'log'>): LastUse {
  let uses = new Map<string, Date>()

  async function flush(): Promise<void> {
    if (uses.size === 0) return
    const batch = [...uses].toSorted(([a], [b]) => (a < b ? -1 : 1))
    uses = new Map()
    const ids = batch.map(([id]) => id)
    const times = batch.map(([, at]) => at.toISOString())
    try {
      await sql`
        update api_keys set last_used_at = used.at
        from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
        where api_keys.id = used.id and (last_used_at is null or last_used_at < used.at)`.execute(db)
    } catch (error) {
      // The next use of each key is recorded again.
      log.warn({ err: error }, 'the last use of API keys cannot be written')
    }
  }

  const timer = setInterval(() => void flush(), flushMs)
  timer.unref()
  return {
    note: (apiKeyId) => uses.set(apiKeyId, now()),
    async stop() {
      clearInterval(timer)
      await flush()
    },
  }
}
